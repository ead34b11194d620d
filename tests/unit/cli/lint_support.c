/* SPDX-License-Identifier: Apache-2.0 */
#include "lint_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "dns/zone_file.h"

#define HEAD "$ORIGIN example.com.\n$TTL 300\n@ IN SOA ns hostmaster 1 2 3 4 5\n"

void lint_zone(const char *text, sp_lint_t *ret_lint)
{
    sp_error_t err = {.message = ""};
    sp_status_t status = SP_OK;

    sp_lint_init(ret_lint, sp_str_from(text));
    status = sp_zone_text_read(sp_str_from(text), NULL, sp_lint_on_record, sp_lint_on_fault,
                               ret_lint, &err);
    cr_assert(status == SP_OK || status == SP_BAD_SYNTAX, "%s", err.message);
    cr_assert_eq(sp_lint_run(ret_lint), SP_OK);
}

static void lint_records(const char *records, char *text, size_t size, sp_lint_t *ret_lint)
{
    int length = snprintf(text, size, "%s%s\n", HEAD, records);

    cr_assert(length > 0 && (size_t)length < size);
    lint_zone(text, ret_lint);
}

void expect_codes(const char *records, const char *codes)
{
    static char text[32768];
    char found[1024] = "";
    sp_lint_t lint;

    lint_records(records, text, sizeof(text), &lint);
    for (size_t i = 0; i != lint.finding_count; ++i) {
        size_t used = strlen(found);

        (void)snprintf(found + used, sizeof(found) - used, "%s%s", i == 0 ? "" : " ",
                       lint.findings[i].code);
    }
    cr_expect_str_eq(found, codes, "%s\ngave '%s', not '%s'", records, found, codes);
    sp_lint_clear(&lint);
}

void expect_place(const char *records, const char *code, size_t line, size_t column)
{
    static char text[32768];
    sp_lint_t lint;

    lint_records(records, text, sizeof(text), &lint);
    cr_assert_eq(lint.finding_count, 1, "%s\ngave %zu findings", records, lint.finding_count);
    cr_expect_str_eq(lint.findings[0].code, code);
    cr_expect_eq(lint.findings[0].place.line, line, "line %zu", lint.findings[0].place.line);
    cr_expect_eq(lint.findings[0].place.column, column, "column %zu",
                 lint.findings[0].place.column);
    sp_lint_clear(&lint);
}
