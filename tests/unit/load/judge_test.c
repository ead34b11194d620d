/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "load/judge.h"

static const sp_load_answer_t redirect = {
    .status = 302, .location_count = 1, .location = {"https://a/", 10}};

static sp_load_kind_t judge_status(unsigned expected, unsigned got)
{
    sp_load_target_t target = {.status = expected};

    return sp_load_judge(&target, &(sp_load_answer_t){.status = got});
}

static sp_load_kind_t judge_location(const char *expected, const sp_load_answer_t *answer)
{
    sp_load_target_t target = {
        .status = 302, .has_location = true, .location = sp_str_from(expected)};

    return sp_load_judge(&target, answer);
}

Test(judge, wants_the_status_that_was_named)
{
    cr_expect_eq(judge_status(302, 302), SP_LOAD_OK);
    cr_expect_eq(judge_status(302, 301), SP_LOAD_WRONG_STATUS);
    cr_expect_eq(judge_status(404, 404), SP_LOAD_OK);
}

Test(judge, is_content_with_any_success_where_none_was_named)
{
    cr_expect_eq(judge_status(0, 200), SP_LOAD_OK);
    cr_expect_eq(judge_status(0, 399), SP_LOAD_OK);
    cr_expect_eq(judge_status(0, 400), SP_LOAD_WRONG_STATUS);
}

Test(judge, compares_the_location_octet_for_octet)
{
    cr_expect_eq(judge_location("https://a/", &redirect), SP_LOAD_OK);
    cr_expect_eq(judge_location("https://A/", &redirect), SP_LOAD_WRONG_LOCATION);
    cr_expect_eq(judge_location("https://a/b", &redirect), SP_LOAD_WRONG_LOCATION);
    cr_expect_eq(judge_location("https://a", &redirect), SP_LOAD_WRONG_LOCATION);
}

Test(judge, looks_at_the_location_only_where_one_was_named)
{
    sp_load_target_t target = {.status = 302};

    cr_expect_eq(sp_load_judge(&target, &redirect), SP_LOAD_OK);
}

Test(judge, wants_exactly_one_location_or_none)
{
    sp_load_answer_t none = {.status = 302};
    sp_load_answer_t two = redirect;

    two.location_count = 2;
    cr_expect_eq(judge_location("https://a/", &none), SP_LOAD_WRONG_LOCATION);
    cr_expect_eq(judge_location("https://a/", &two), SP_LOAD_WRONG_LOCATION);
    cr_expect_eq(judge_location("", &none), SP_LOAD_OK);
    cr_expect_eq(judge_location("", &redirect), SP_LOAD_WRONG_LOCATION);
}

Test(judge, names_the_status_first)
{
    cr_expect_eq(judge_location("x", &(sp_load_answer_t){.status = 301}), SP_LOAD_WRONG_STATUS);
}
