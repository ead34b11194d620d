/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/outcome.h>
#include <string.h>

Test(outcome, kinds_have_the_names_of_the_metrics)
{
    static const struct {
        sp_outcome_kind_t kind;
        const char *name;
    } kinds[] = {
        {SP_OUTCOME_REDIRECT, "redirect"},       {SP_OUTCOME_PAGE, "page"},
        {SP_OUTCOME_FALLBACK, "fallback"},       {SP_OUTCOME_NOT_FOUND, "not_found"},
        {SP_OUTCOME_BAD_REQUEST, "bad_request"}, {SP_OUTCOME_RECORD_ERROR, "record_error"},
        {SP_OUTCOME_DNS_FAILURE, "dns_failure"}, {SP_OUTCOME_LIMITED, "limited"},
    };

    for (size_t i = 0; i != SP_COUNT(kinds); ++i) {
        cr_expect_str_eq(sp_outcome_kind_name(kinds[i].kind), kinds[i].name);
    }
}
