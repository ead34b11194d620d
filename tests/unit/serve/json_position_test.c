/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/json_position.h"

#include <criterion/criterion.h>

static const char sample[] = "{\n"
                             "  \"a\": [1, {\"b\": \"x]}\\\"\"}, [ ]],\n"
                             "  \"ü\": true , \"c\":{}\n"
                             "}";

static void expect_found(const char *pointer, size_t line, size_t column)
{
    sp_str_t text = sp_str_from(sample);
    size_t offset = 0;
    sp_json_place_t place;

    cr_assert(sp_json_find(text, sp_str_from(pointer), &offset), "%s", pointer);
    place = sp_json_place(text, offset);
    cr_expect_eq(place.line, line, "%s is on line %zu, not %zu", pointer, line, place.line);
    cr_expect_eq(place.column, column, "%s is in column %zu, not %zu", pointer, column,
                 place.column);
}

Test(json_position, finds_values_by_their_pointer)
{
    expect_found("", 1, 1);
    expect_found("/a", 2, 8);
    expect_found("/a/0", 2, 9);
    expect_found("/a/1", 2, 12);
    expect_found("/a/1/b", 2, 18);
    expect_found("/a/2", 2, 28);
    expect_found("/ü", 3, 8);
    expect_found("/c", 3, 19);
}

Test(json_position, finds_nothing_where_nothing_is)
{
    static const char *const missing[] = {"/b",   "/a/3",   "/a/x", "/a/1/c", "/a/2/0",
                                          "/c/d", "/a/0/0", "/",    "/a/",    "//a"};
    size_t offset = 77;

    for (size_t i = 0; i != SP_COUNT(missing); ++i) {
        cr_expect_not(sp_json_find(sp_str_from(sample), sp_str_from(missing[i]), &offset), "%s",
                      missing[i]);
    }
    cr_expect_eq(offset, 77, "the result is written on success only");
}

Test(json_position, takes_the_last_of_a_repeated_key)
{
    sp_str_t text = SP_STR("{\"a\":1,\"a\":2}");
    size_t offset = 0;

    cr_assert(sp_json_find(text, SP_STR("/a"), &offset));
    cr_expect_eq(offset, 11);
}

Test(json_position, counts_columns_in_characters)
{
    sp_str_t text = SP_STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80x");
    sp_json_place_t place = sp_json_place(text, text.len - 1);

    cr_expect_eq(place.line, 1);
    cr_expect_eq(place.column, 4);
}

Test(json_position, places_what_lies_behind_the_end_at_the_end)
{
    sp_json_place_t place = sp_json_place(SP_STR("ab\n"), 100);

    cr_expect_eq(place.line, 2);
    cr_expect_eq(place.column, 1);
}

Test(json_position, walks_members_in_order)
{
    sp_str_t text = SP_STR("{ \"x\" : [1,[2]] , \"y\":null}");
    sp_json_walk_t walk;
    sp_json_item_t item;

    cr_assert(sp_json_walk_init(&walk, text, 0));
    cr_assert(sp_json_walk_next(&walk, &item));
    cr_expect(sp_str_eq(item.key, SP_STR("\"x\"")));
    cr_expect_eq(item.key_at, 2);
    cr_expect_eq(item.value_at, 8);
    cr_assert(sp_json_walk_next(&walk, &item));
    cr_expect(sp_str_eq(item.key, SP_STR("\"y\"")));
    cr_expect_eq(item.value_at, 22);
    cr_expect_not(sp_json_walk_next(&walk, &item));
}

Test(json_position, does_not_walk_what_has_no_items)
{
    sp_json_walk_t walk;

    cr_expect_not(sp_json_walk_init(&walk, SP_STR("12"), 0));
    cr_expect_not(sp_json_walk_init(&walk, SP_STR("{}"), 2));
    cr_expect_not(sp_json_walk_init(&walk, SP_STR(""), 0));
}

/* Every beginning of the sample is a broken text: no walk may leave it (AddressSanitizer watches)
 * or go on for ever. */
Test(json_position, ends_inside_broken_texts)
{
    for (size_t len = 0; len != sp_str_from(sample).len; ++len) {
        char *copy = malloc(len + 1);
        sp_str_t text = {.ptr = copy, .len = len};
        size_t offset = 0;

        cr_assert_not_null(copy);
        memcpy(copy, sample, len);
        cr_expect_not(sp_json_find(text, SP_STR("/none/0"), &offset));
        if (sp_json_find(text, SP_STR("/a/1/b"), &offset)) {
            cr_expect_lt(offset, len);
        }
        free(copy);
    }
}
