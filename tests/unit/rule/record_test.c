/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/record.h>

#include "unit/rule/expect_str.h"

Test(record, types_have_names)
{
    EXPECT_STR(sp_str_from(sp_record_type_name(SP_TYPE_HOST)), "host");
    EXPECT_STR(sp_str_from(sp_record_type_name(SP_TYPE_PATH)), "path");
    EXPECT_STR(sp_str_from(sp_record_type_name(SP_TYPE_GOMETA)), "gometa");
    EXPECT_STR(sp_str_from(sp_record_type_name(SP_TYPE_DOCKERV2)), "dockerv2");
    EXPECT_STR(sp_str_from(sp_record_type_name(SP_TYPE_COUNT)), "unknown");
}

Test(record, types_are_found_by_their_exact_names)
{
    for (unsigned i = 0; i != SP_TYPE_COUNT; ++i) {
        sp_record_type_t type = (sp_record_type_t)i;

        cr_expect_eq(sp_record_type_from(sp_str_from(sp_record_type_name(type))), type);
    }
    cr_expect_eq(sp_record_type_from(SP_STR("HOST")), SP_TYPE_COUNT);
    cr_expect_eq(sp_record_type_from(SP_STR("hosts")), SP_TYPE_COUNT);
    cr_expect_eq(sp_record_type_from(SP_STR("")), SP_TYPE_COUNT);
}

Test(field, is_cut_at_semicolons_and_its_first_equals_sign)
{
    sp_str_t rest = SP_STR("v=txtv0;to=https://a/?b=c");
    sp_field_t field;

    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "v");
    EXPECT_STR(field.value, "txtv0");
    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "to");
    EXPECT_STR(field.value, "https://a/?b=c");
    cr_expect_not(sp_field_next(&rest, &field));
}

Test(field, loses_the_blanks_around_it_and_around_its_first_equals_sign)
{
    sp_str_t rest = SP_STR(" \t to \r\n = \t a b = c \r\n ; code=\t301\n");
    sp_field_t field;

    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "to");
    EXPECT_STR(field.value, "a b = c");
    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "code");
    EXPECT_STR(field.value, "301");
}

Test(field, that_is_empty_is_passed_over)
{
    sp_str_t rest = SP_STR(";; \t;a=1; ;");
    sp_field_t field;

    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "a");
    cr_expect_not(sp_field_next(&rest, &field));
}

Test(field, without_an_equals_sign_has_no_key)
{
    sp_str_t rest = SP_STR("https://example.com/ ; a=");
    sp_field_t field;

    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "");
    EXPECT_STR(field.value, "https://example.com/");
    cr_assert(sp_field_next(&rest, &field));
    EXPECT_STR(field.key, "a");
    EXPECT_STR(field.value, "");
    cr_expect_not_null(field.value.ptr, "empty is not missing");
}

Test(field, there_is_none_in_an_empty_text)
{
    sp_str_t rest = SP_STR("");
    sp_str_t none = {.ptr = NULL, .len = 0};
    sp_field_t field;

    cr_expect_not(sp_field_next(&rest, &field));
    cr_expect_not(sp_field_next(&none, &field));
}

Test(record, may_be_cleared_twice)
{
    sp_arena_t arena;
    sp_record_t record;

    sp_arena_init(&arena, NULL, 0, 512);
    cr_assert_eq(
        sp_dialect_txtv0.parse(SP_STR("type=path;re=a(b)"), &arena, NULL, NULL, &record, NULL),
        SP_OK);
    cr_expect_not_null(record.re);
    sp_record_clear(&record);
    cr_expect_null(record.re);
    sp_record_clear(&record);
    sp_arena_clear(&arena);
}
