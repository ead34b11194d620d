/* SPDX-License-Identifier: Apache-2.0 */

/* Memory that runs out anywhere in a lint ends it as SP_NO_MEMORY, without a leak. */

#include <criterion/criterion.h>
#include <stdio.h>

#include "cli/lint/lint.h"
#include "support/failing_alloc.h"

#define RECORDS 300

/* A zone that is large enough to grow every array, with mistakes for most checks. */
static void add_records(sp_lint_t *lint)
{
    static const char *const texts[] = {
        "v=txtv0;type=path;re=record;to=https://www.example.net/",
        "v=txtv0;use=_redirect.nowhere.example.com",
        "v=txtv0;to=https://{?to}.example/{pathh}",
        "v=txtv0;to=https://www.example.net/;code=200;unknown=1",
    };

    for (size_t i = 0; i != RECORDS; ++i) {
        char owner[64];
        sp_str_t text = sp_str_from(texts[i % SP_COUNT(texts)]);
        sp_zone_record_t record = {.type = SP_RR_TXT, .strings = &text, .string_count = 1};

        (void)snprintf(owner, sizeof(owner), "_redirect.h%zu.example.com", i / 2);
        record.owner = sp_str_from(owner);
        record.target = SP_STR("");
        record.line = i + 1;
        record.column = 1;
        sp_lint_on_record(lint, &record);
    }
}

static sp_status_t lint_once(void)
{
    sp_lint_t lint;
    sp_status_t status = SP_OK;

    sp_lint_init(&lint, sp_str_from(NULL));
    add_records(&lint);
    status = sp_lint_run(&lint);
    sp_lint_clear(&lint);
    return status;
}

Test(lint_fault, reports_each_failed_allocation_once)
{
    bool failed = true;
    size_t n = 0;

    while (failed) {
        sp_status_t status = SP_OK;

        sp_alloc_fail_at(++n);
        status = lint_once();
        failed = sp_alloc_stop();
        cr_assert_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu", n);
    }
    cr_expect_gt(n, 15, "only %zu allocations", n);
}
