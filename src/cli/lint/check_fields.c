/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/checks.h"

#include <string.h>

#define ARGS(text) (int)(text).len, (text).ptr

/* Why a record is faulty, told by the field that its reader stopped at. */
static const struct {
    const char *key;
    sp_lint_rule_t rule;
} faults[] = {
    {"v", {SP_SEVERITY_ERROR, "bad-version", "write v=txtv0"}},
    {"type", {SP_SEVERITY_ERROR, "bad-type", "write type=host, path, gometa or dockerv2"}},
    {"code", {SP_SEVERITY_ERROR, "bad-code", "write code=301, 302, 303, 307 or 308"}},
    {"ref", {SP_SEVERITY_ERROR, "bad-ref", "write ref=true or ref=false"}},
    {"vcs", {SP_SEVERITY_ERROR, "bad-vcs", "write vcs=git, hg, svn, bzr, fossil or mod"}},
};
static const sp_lint_rule_t missing_target = {SP_SEVERITY_ERROR, "missing-target",
                                              "add to=https://HOST/PATH"};
static const sp_lint_rule_t too_long = {
    SP_SEVERITY_ERROR, "too-long",
    "shorten it: move long targets to records of their own, or use fewer headers"};
static const sp_lint_rule_t faulty = {SP_SEVERITY_ERROR, "faulty-record",
                                      "correct the field; a faulty record redirects nowhere"};
static const sp_lint_rule_t not_ours = {
    SP_SEVERITY_ERROR, "no-redirect-record",
    "begin with v=txtv0; and have at least a target: v=txtv0;type=host;to=https://HOST/PATH"};
static const sp_lint_rule_t ignored_key = {SP_SEVERITY_WARNING, "ignored-key",
                                           "remove it, or choose the type that reads it"};
static const sp_lint_rule_t missing_separator = {
    SP_SEVERITY_ERROR, "missing-separator",
    "end each character-string but the last with ';': they are joined with nothing between"};

/* One record being looked at. */
typedef struct subject {
    sp_lint_t *lint;
    const sp_lint_record_t *record;
} subject_t;

/* The key of the field that `offset` of the text lies in. */
static sp_str_t key_at(sp_str_t text, size_t offset)
{
    sp_str_t rest = text;
    sp_field_t field;
    sp_str_t key = SP_STR("");

    while (sp_field_next(&rest, &field) && field.value.ptr <= text.ptr + offset) {
        key = field.key;
    }
    return key;
}

static void report_fault(sp_lint_t *lint, const sp_lint_record_t *record, const sp_error_t *err)
{
    const sp_lint_rule_t *rule = &faulty;
    sp_str_t key = key_at(record->text, err->offset);

    if (err->status == SP_TOO_LONG) {
        rule = &too_long;
    } else if (err->offset >= record->text.len) {
        rule = &missing_target;
    } else {
        for (size_t i = 0; i != SP_COUNT(faults); ++i) {
            if (sp_str_eq(key, sp_str_from(faults[i].key))) {
                rule = &faults[i].rule;
            }
        }
    }
    sp_lint_report(lint, rule, record, err->offset, "%s", err->message);
}

/* A go command takes more schemes than a browser, and which groups an expression has is known
 * better where the whole zone is at hand (sp_lint_check_templates). */
static bool is_known_better(const subject_t *subject, const sp_remark_t *remark)
{
    sp_field_t field;

    if (strcmp(remark->code, "group-placeholder") == 0) {
        return subject->record->owner.len != 0;
    }
    return strcmp(remark->code, "bad-scheme") == 0 &&
           sp_lint_field(subject->record, "type", &field) &&
           sp_str_eq(field.value, SP_STR("gometa")) &&
           sp_str_eq(key_at(subject->record->text, remark->offset), SP_STR("to"));
}

/* The remark's texts end with the call. */
static void on_remark(void *arg, const sp_remark_t *remark)
{
    const subject_t *subject = arg;
    sp_arena_t *arena = &subject->lint->zone.arena;
    size_t code_size = strlen(remark->code) + 1;
    size_t advice_size = strlen(remark->advice) + 1;
    sp_str_t code = sp_arena_copy(arena, (sp_str_t){remark->code, code_size});
    sp_str_t advice = sp_arena_copy(arena, (sp_str_t){remark->advice, advice_size});
    sp_lint_rule_t rule = {remark->severity, code.ptr, advice.ptr};

    if (is_known_better(subject, remark)) {
        return;
    }
    if (code.ptr == NULL || advice.ptr == NULL) {
        subject->lint->status = SP_NO_MEMORY;
        return;
    }
    sp_lint_report(subject->lint, &rule, subject->record, remark->offset, "%s", remark->message);
}

static void check_record(sp_lint_t *lint, const sp_lint_record_t *record)
{
    subject_t subject = {lint, record};
    sp_record_t compiled;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = sp_dialect_txtv0.parse(record->text, &lint->zone.arena, on_remark,
                                                &subject, &compiled, &err);

    if (status == SP_NO_MEMORY) {
        lint->status = status;
    } else if (status != SP_OK) {
        report_fault(lint, record, &err);
    } else {
        sp_record_clear(&compiled);
    }
}

void sp_lint_check_fields(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count && lint->status == SP_OK; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];

        if (record->ours) {
            check_record(lint, record);
        } else if (record->owner.len == 0 && record->type == SP_RR_TXT) {
            sp_lint_report(lint, &not_ours, record, 0, "this is no redirect record");
        }
    }
}

/* `re` counts in a host record as well, but only in a numbered one: `_redirect.3.ZONE`. */
static bool reads_re(const sp_lint_record_t *record)
{
    sp_str_t zone = sp_lint_redirect_zone(record->owner);
    uint64_t number = 0;

    return record->record.type == SP_TYPE_PATH || record->owner.len == 0 ||
           sp_str_to_uint(sp_str_slice(zone, 0, sp_str_find(zone, '.')), UINT16_MAX, &number);
}

/* The keys of root, website and from are remarked on by the record's reader. */
void sp_lint_check_types(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];
        sp_record_type_t type = record->record.type;
        const struct {
            const char *key;
            bool read;
        } keys[] = {{"code", type == SP_TYPE_HOST || type == SP_TYPE_PATH},
                    {"vcs", type == SP_TYPE_GOMETA},
                    {"re", reads_re(record)}};

        for (size_t j = 0; j != SP_COUNT(keys); ++j) {
            sp_field_t field;

            if (record->readable && record->record.use == NULL && !keys[j].read &&
                sp_lint_field(record, keys[j].key, &field)) {
                sp_lint_report(lint, &ignored_key, record, sp_lint_offset(record, field.value.ptr),
                               "%s= has no meaning in this record of type %s", keys[j].key,
                               sp_record_type_name(type));
            }
        }
    }
}

static bool begins_with_key(sp_str_t text)
{
    static const char *const keys[] = {"v",    "type",    "to",  "code", "from", "re",
                                       "root", "website", "vcs", "use",  "ref"};
    sp_str_t rest;
    sp_str_t key = sp_str_trim(sp_str_cut(text, '=', &rest));

    for (size_t i = 0; rest.ptr != NULL && i != SP_COUNT(keys); ++i) {
        if (sp_str_eq(key, sp_str_from(keys[i]))) {
            return true;
        }
    }
    return false;
}

void sp_lint_check_strings(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];

        for (size_t j = 1; record->ours && j < record->string_count; ++j) {
            sp_str_t before = sp_str_trim(record->strings[j - 1]);

            if (before.len != 0 && before.ptr[before.len - 1] != ';' &&
                begins_with_key(record->strings[j])) {
                sp_lint_report(lint, &missing_separator, record,
                               sp_lint_offset(record, record->strings[j].ptr),
                               "no ';' before '%.*s', which becomes part of the field in front",
                               ARGS(record->strings[j]));
            }
        }
    }
}
