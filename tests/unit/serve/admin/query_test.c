/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/query.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_value(const char *query, const char *key, size_t index, const char *expected)
{
    sp_arena_t arena;
    sp_str_t value;

    sp_arena_init(&arena, NULL, 0, 1024);
    value = sp_query_value(sp_str_from(query), sp_str_from(key), index, &arena);
    if (expected == NULL) {
        cr_expect_null(value.ptr);
    } else {
        cr_assert_not_null(value.ptr);
        cr_expect_str_eq(value.ptr, expected);
        cr_expect_eq(value.len, strlen(expected));
    }
    sp_arena_clear(&arena);
}

Test(query, finds_a_value)
{
    expect_value("url=http://a/&method=GET", "url", 0, "http://a/");
    expect_value("url=http://a/&method=GET", "method", 0, "GET");
    expect_value("url=a=b", "url", 0, "a=b");
    expect_value("url=", "url", 0, "");
    expect_value("url", "url", 0, "");
    expect_value("xurl=1", "url", 0, NULL);
    expect_value("", "url", 0, NULL);
}

Test(query, decodes_as_forms_encode)
{
    expect_value("url=http%3A%2F%2Fa%2F%3Fx%3D1%26y", "url", 0, "http://a/?x=1&y");
    expect_value("h=Name%3A+a%20b", "h", 0, "Name: a b");
    expect_value("h=100%", "h", 0, "100%");
    expect_value("h=%zz%4", "h", 0, "%zz%4");
    expect_value("h=%c3%BC", "h", 0, "\xc3\xbc");
}

Test(query, finds_the_next_of_one_key)
{
    expect_value("h=a&x=1&h=b", "h", 1, "b");
    expect_value("h=a&x=1&h=b", "h", 2, NULL);
}

Test(query, keeps_an_octet_zero)
{
    sp_arena_t arena;
    sp_str_t value;

    sp_arena_init(&arena, NULL, 0, 1024);
    value = sp_query_value(SP_STR("url=a%00b"), SP_STR("url"), 0, &arena);
    cr_expect_eq(value.len, 3);
    sp_arena_clear(&arena);
}
