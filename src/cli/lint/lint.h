/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LINT_LINT_H
#define SIGNPOST_CLI_LINT_LINT_H

/* Looks a zone over for what records.md calls faulty or ignored, and for the mistakes that people
 * make. No I/O: records come in, findings come out. Adding a check is adding a function and a row
 * to the table in lint.c. */

#include "cli/lint/position.h"
#include "cli/lint/zone.h"

#define SP_LINT_MESSAGE_MAX 240

typedef struct sp_lint_finding {
    sp_lint_place_t place;
    sp_severity_t severity;
    const char *code; /* stable, for programs */
    const char *advice;
    sp_str_t name; /* owner name; empty for a fault of the file */
    char message[SP_LINT_MESSAGE_MAX];
} sp_lint_finding_t;

typedef struct sp_lint {
    sp_lint_zone_t zone;
    sp_lint_finding_t *findings; /* after sp_lint_run in the order of the file */
    size_t finding_count;
    size_t finding_capacity;
    size_t severities[3]; /* how many of each, by sp_severity_t */
    sp_status_t status;   /* SP_NO_MEMORY sticks */
} sp_lint_t;

/* What a finding says apart from its message. */
typedef struct sp_lint_rule {
    sp_severity_t severity;
    const char *code;
    const char *advice;
} sp_lint_rule_t;

/* `source`: the text that the records' lines and columns count in, ptr NULL for a record by itself.
 * It must outlive the lint. */
void sp_lint_init(sp_lint_t *lint, sp_str_t source);
void sp_lint_clear(sp_lint_t *lint);

/* As callbacks of sp_zone_text_read, with the sp_lint_t as `arg`. */
void sp_lint_on_record(void *arg, const sp_zone_record_t *record);
void sp_lint_on_fault(void *arg, size_t line, size_t column, const char *message);

/* One record without a name, as given on the command line. */
void sp_lint_add_text(sp_lint_t *lint, sp_str_t text);

/* Runs every check. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_lint_run(sp_lint_t *lint);

/* For the checks: a finding at `offset` of the record's text (SP_LINT_NO_OFFSET: the whole). The
 * message is cut at SP_LINT_MESSAGE_MAX and made printable. */
void sp_lint_report(sp_lint_t *lint, const sp_lint_rule_t *rule, const sp_lint_record_t *record,
                    size_t offset, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Offset of a pointer into the record's text; SP_LINT_NO_OFFSET when it points elsewhere. */
size_t sp_lint_offset(const sp_lint_record_t *record, const char *ptr);

/* The last field of that key, as it counts (TXT-4); false when there is none. */
bool sp_lint_field(const sp_lint_record_t *record, const char *key, sp_field_t *ret_field);

/* "error", "warning", "note" */
const char *sp_severity_name(sp_severity_t severity);

#endif
