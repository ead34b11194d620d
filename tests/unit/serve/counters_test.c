/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "serve/counters.h"

static uint64_t count_of(sp_counters_t *counters, sp_outcome_kind_t kind, unsigned status)
{
    for (size_t i = 0; i != SP_COUNTERS_STATUSES; ++i) {
        if (sp_counters_status(i) == status) {
            return atomic_load(&counters->requests[kind][i]);
        }
    }
    return UINT64_MAX;
}

Test(counters, count_by_outcome_and_status)
{
    sp_counters_t counters = {0};
    sp_report_t report = {.was_answered = true, .kind = SP_OUTCOME_REDIRECT, .status = 302};

    sp_counters_add(&counters, &report);
    sp_counters_add(&counters, &report);
    report.kind = SP_OUTCOME_FALLBACK;
    sp_counters_add(&counters, &report);
    report.kind = SP_OUTCOME_LIMITED;
    report.status = 508;
    sp_counters_add(&counters, &report);
    cr_expect_eq(count_of(&counters, SP_OUTCOME_REDIRECT, 302), 2);
    cr_expect_eq(count_of(&counters, SP_OUTCOME_FALLBACK, 302), 1);
    cr_expect_eq(count_of(&counters, SP_OUTCOME_LIMITED, 508), 1);
    cr_expect_eq(count_of(&counters, SP_OUTCOME_LIMITED, 302), 0);
}

Test(counters, count_an_unexpected_status_as_other)
{
    sp_counters_t counters = {0};
    sp_report_t report = {.was_answered = true, .kind = SP_OUTCOME_PAGE, .status = 299};

    sp_counters_add(&counters, &report);
    cr_expect_eq(count_of(&counters, SP_OUTCOME_PAGE, 0), 1);
}

Test(counters, count_clients_that_left_apart)
{
    sp_counters_t counters = {0};
    sp_report_t report = {.was_answered = false, .kind = SP_OUTCOME_REDIRECT, .status = 302};

    sp_counters_add(&counters, &report);
    cr_expect_eq(atomic_load(&counters.gone), 1);
    cr_expect_eq(count_of(&counters, SP_OUTCOME_REDIRECT, 302), 0);
}
