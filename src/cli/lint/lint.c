/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lint/checks.h"

/* Every check, in the order in which findings at one place are shown. */
static sp_lint_check_fn *const checks[] = {
    sp_lint_check_fields,     sp_lint_check_types,  sp_lint_check_strings,   sp_lint_check_targets,
    sp_lint_check_templates,  sp_lint_check_self,   sp_lint_check_rings,     sp_lint_check_docker,
    sp_lint_check_uniqueness, sp_lint_check_owners, sp_lint_check_doubled,   sp_lint_check_stars,
    sp_lint_check_origin,     sp_lint_check_cname,  sp_lint_check_wildcards, sp_lint_check_use,
    sp_lint_check_numbers,    sp_lint_check_from,   sp_lint_check_orphans,
};

static const sp_lint_rule_t zone_syntax = {
    SP_SEVERITY_ERROR, "zone-syntax",
    "correct the line; a server that loads this file refuses it or drops the record"};

void sp_lint_init(sp_lint_t *lint, sp_str_t source)
{
    *lint = (sp_lint_t){.status = SP_OK};
    sp_lint_zone_init(&lint->zone, source);
}

void sp_lint_clear(sp_lint_t *lint)
{
    sp_lint_zone_clear(&lint->zone);
    free(lint->findings);
    *lint = (sp_lint_t){.status = SP_OK};
}

static sp_lint_finding_t *add_finding(sp_lint_t *lint, const sp_lint_rule_t *rule)
{
    sp_lint_finding_t *finding = NULL;

    if (lint->finding_count == lint->finding_capacity) {
        size_t capacity = lint->finding_capacity == 0 ? 32 : lint->finding_capacity * 2;
        size_t bytes = 0;
        sp_lint_finding_t *findings = sp_array_size(capacity, sizeof(*findings), &bytes)
                                          ? realloc(lint->findings, bytes)
                                          : NULL;

        if (findings == NULL) {
            lint->status = SP_NO_MEMORY;
            return NULL;
        }
        lint->findings = findings;
        lint->finding_capacity = capacity;
    }
    finding = &lint->findings[lint->finding_count++];
    *finding = (sp_lint_finding_t){.severity = rule->severity, .code = rule->code};
    finding->advice = rule->advice;
    return finding;
}

static void make_printable(char *text)
{
    for (; *text != '\0'; ++text) {
        if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e) {
            *text = '?';
        }
    }
}

void sp_lint_report(sp_lint_t *lint, const sp_lint_rule_t *rule, const sp_lint_record_t *record,
                    size_t offset, const char *format, ...)
{
    sp_lint_finding_t *finding = add_finding(lint, rule);
    va_list args;

    if (finding == NULL) {
        return;
    }
    finding->name = record->owner;
    finding->place = sp_lint_locate(&lint->zone, record, offset);
    va_start(args, format);
    (void)vsnprintf(finding->message, sizeof(finding->message), format, args);
    va_end(args);
    make_printable(finding->message);
}

void sp_lint_on_record(void *arg, const sp_zone_record_t *record)
{
    sp_lint_t *lint = arg;

    if (lint->status == SP_OK) {
        lint->status = sp_lint_zone_add(&lint->zone, record);
    }
}

void sp_lint_on_fault(void *arg, size_t line, size_t column, const char *message)
{
    sp_lint_t *lint = arg;
    sp_lint_finding_t *finding = add_finding(lint, &zone_syntax);

    if (finding != NULL) {
        finding->place = (sp_lint_place_t){line, column};
        (void)snprintf(finding->message, sizeof(finding->message), "%s", message);
        make_printable(finding->message);
    }
}

void sp_lint_add_text(sp_lint_t *lint, sp_str_t text)
{
    sp_zone_record_t record = {.type = SP_RR_TXT, .strings = &text, .string_count = 1, .line = 1};

    record.owner = SP_STR("");
    record.target = SP_STR("");
    record.column = 1;
    sp_lint_on_record(lint, &record);
}

static int compare_findings(const void *a, const void *b)
{
    const sp_lint_finding_t *x = a;
    const sp_lint_finding_t *y = b;

    if (x->place.line != y->place.line) {
        return x->place.line < y->place.line ? -1 : 1;
    }
    if (x->place.column != y->place.column) {
        return x->place.column < y->place.column ? -1 : 1;
    }
    if (x->severity != y->severity) {
        return x->severity < y->severity ? -1 : 1;
    }
    return strcmp(x->code, y->code) != 0 ? strcmp(x->code, y->code)
                                         : strcmp(x->message, y->message);
}

/* Two checks may see one mistake: of findings with one place and one code the first stays. */
static void drop_repeated(sp_lint_t *lint)
{
    size_t kept = 0;

    for (size_t i = 0; i != lint->finding_count; ++i) {
        const sp_lint_finding_t *last = kept == 0 ? NULL : &lint->findings[kept - 1];
        const sp_lint_finding_t *next = &lint->findings[i];

        if (last == NULL || last->place.line != next->place.line ||
            last->place.column != next->place.column || strcmp(last->code, next->code) != 0) {
            lint->findings[kept++] = *next;
            ++lint->severities[next->severity];
        }
    }
    lint->finding_count = kept;
}

sp_status_t sp_lint_run(sp_lint_t *lint)
{
    if (lint->status == SP_OK) {
        lint->status = sp_lint_zone_seal(&lint->zone);
    }
    for (size_t i = 0; i != SP_COUNT(checks) && lint->status == SP_OK; ++i) {
        checks[i](lint);
    }
    if (lint->status != SP_OK) {
        return lint->status;
    }
    if (lint->finding_count != 0) {
        qsort(lint->findings, lint->finding_count, sizeof(*lint->findings), compare_findings);
        drop_repeated(lint);
    }
    return SP_OK;
}

size_t sp_lint_offset(const sp_lint_record_t *record, const char *ptr)
{
    uintptr_t start = (uintptr_t)record->text.ptr;
    uintptr_t at = (uintptr_t)ptr;

    return ptr == NULL || at < start || at > start + record->text.len ? SP_LINT_NO_OFFSET
                                                                      : (size_t)(at - start);
}

bool sp_lint_field(const sp_lint_record_t *record, const char *key, sp_field_t *ret_field)
{
    sp_str_t rest = record->readable ? record->record.text : record->text;
    sp_field_t field;
    bool found = false;

    while (sp_field_next(&rest, &field)) {
        if (sp_str_eq(field.key, sp_str_from(key))) {
            *ret_field = field;
            found = true;
        }
    }
    return found;
}

const char *sp_severity_name(sp_severity_t severity)
{
    switch (severity) {
    case SP_SEVERITY_ERROR:
        return "error";
    case SP_SEVERITY_WARNING:
        return "warning";
    case SP_SEVERITY_NOTE:
        return "note";
    }
    return "note";
}
