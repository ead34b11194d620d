/* SPDX-License-Identifier: Apache-2.0 */

/* The report when memory runs out, at every allocation: SP_NO_MEMORY or a whole page, and no leak.
 */

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lab/report/report.h"
#include "support/failing_alloc.h"
#include "support/lab_result.h"

Test(report_memory, every_allocation_may_fail)
{
    json_t *root = sp_sample_result(1);
    sp_lab_report_result_t result = {.label = "r", .root = root};
    FILE *out = fopen("/dev/null", "w");
    bool failed = true;

    cr_assert_not_null(out);
    for (size_t n = 1; failed; ++n) {
        sp_status_t status = SP_OK;

        sp_alloc_fail_at(n);
        status = sp_lab_report_write(&result, 1, out);
        failed = sp_alloc_stop();
        cr_expect_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu: %s", n,
                     sp_status_name(status));
        cr_expect_lt(n, 1000U);
    }
    cr_expect_eq(fclose(out), 0);
    json_decref(root);
}
