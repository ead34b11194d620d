/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/lint/lint.h"
#include "cli/lint/report.h"
#include "cli/read_file.h"
#include "dns/zone_file.h"

static const sp_option_t options[] = {
    {"zone", 0, "FILE", "look over this zone file"},
    {"record", 0, "TEXT", "look over one record, given as its text"},
    {"json", 0, NULL, "print a JSON object"},
};

static int report(const sp_lint_t *lint, const char *file, bool json)
{
    if (!json) {
        sp_lint_print_text(lint, file, stdout);
    } else if (sp_lint_print_json(lint, file, stdout) != SP_OK) {
        (void)fputs("signpost lint: the report can't be written\n", stderr);
        return SP_EXIT_FAILED;
    }
    return lint->severities[SP_SEVERITY_ERROR] == 0 ? SP_EXIT_DONE : SP_EXIT_FAILED;
}

static int run_and_report(sp_lint_t *lint, const char *file, bool json)
{
    if (sp_lint_run(lint) != SP_OK) {
        (void)fputs("signpost lint: out of memory\n", stderr);
        return SP_EXIT_FAILED;
    }
    return report(lint, file, json);
}

static int lint_record(const char *text, bool json)
{
    sp_lint_t lint;
    int result = SP_EXIT_DONE;

    sp_lint_init(&lint, (sp_str_t){.ptr = NULL, .len = 0});
    sp_lint_add_text(&lint, sp_str_from(text));
    result = run_and_report(&lint, "record", json);
    sp_lint_clear(&lint);
    return result;
}

/* `path` is NULL for standard input. */
static int lint_zone(const char *path, bool json)
{
    const char *name = path == NULL ? "-" : path;
    sp_str_t source = {.ptr = NULL, .len = 0};
    sp_lint_t lint;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = sp_file_read(path, &source, &err);
    int result = SP_EXIT_FAILED;

    sp_lint_init(&lint, source);
    if (status == SP_OK) {
        status =
            path == NULL
                ? sp_zone_text_read(source, NULL, sp_lint_on_record, sp_lint_on_fault, &lint, &err)
                : sp_zone_file_read(path, NULL, sp_lint_on_record, sp_lint_on_fault, &lint, &err);
    }
    if (status == SP_OK || status == SP_BAD_SYNTAX) {
        result = run_and_report(&lint, name, json);
    } else if (status == SP_NO_MEMORY) {
        (void)fputs("signpost lint: out of memory\n", stderr);
    } else {
        (void)fprintf(stderr, "signpost lint: %s\n", err.message);
    }
    sp_lint_clear(&lint);
    sp_file_free(source);
    return result;
}

static int run(const sp_arguments_t *arguments)
{
    size_t zones = sp_arguments_count(arguments, "zone");
    size_t records = sp_arguments_count(arguments, "record");
    size_t operands = sp_arguments_count(arguments, NULL);
    bool json = sp_arguments_has(arguments, "json");
    size_t at = 0;
    const char *operand = sp_arguments_next(arguments, NULL, &at);

    if (operand != NULL && strcmp(operand, "-") != 0) {
        return sp_usage_error("lint", "unexpected argument '%s'; a file is given with --zone",
                              operand);
    }
    if (zones + records + operands != 1) {
        return sp_usage_error("lint", "give one of --zone FILE, --record TEXT and -");
    }
    if (records != 0) {
        return lint_record(sp_arguments_value(arguments, "record"), json);
    }
    return lint_zone(sp_arguments_value(arguments, "zone"), json);
}

const sp_command_t sp_command_lint = {
    .name = "lint",
    .summary = "find mistakes in a record or a zone file",
    .usage = "[--json] (--zone FILE | --record TEXT | -)",
    .about = "Finds what makes a redirect record faulty or lets parts of it be ignored, and the\n"
             "mistakes that people make around it: a missing _redirect. in front, the zone name\n"
             "twice, a forgotten https://, loops, wildcards that swallow records, and more. Each\n"
             "finding is FILE:LINE:COLUMN: SEVERITY: MESSAGE [CODE], with an advice below.\n"
             "A lone - reads a zone file from standard input.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost lint --zone examples/zones/demo.zone\n"
                "  signpost lint --record 'v=txtv0;to=https://example.com;code=999'\n"
                "  signpost lint --json - < example.com.zone",
    .failure = "a finding of severity error, or a file that can't be read",
    .run = run,
};
