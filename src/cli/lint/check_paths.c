/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/lint/checks.h"
#include "cli/lint/target.h"

#define ARGS(text) (int)(text).len, (text).ptr
#define NUMBERED_MAX 64 /* PATH-8 */

static const sp_lint_rule_t numbered_missing = {
    SP_SEVERITY_WARNING, "numbered-missing",
    "add _redirect.1.ZONE and so on, each with an re= field; until then to= answers everything"};
static const sp_lint_rule_t numbered_gap = {
    SP_SEVERITY_WARNING, "numbered-gap",
    "number the records without a gap: reading stops at the first absent one"};
static const sp_lint_rule_t numbered_without_re = {
    SP_SEVERITY_WARNING, "numbered-without-re",
    "give it an re= field with a valid expression, or it is passed over"};
static const sp_lint_rule_t numbered_beyond = {
    SP_SEVERITY_WARNING, "numbered-beyond",
    "keep to 64 numbered records: those beyond are not read"};
static const sp_lint_rule_t bad_from = {
    SP_SEVERITY_ERROR, "bad-from",
    "give each segment one number, as in from=/$2/$1; otherwise only to= is used"};
static const sp_lint_rule_t orphan = {
    SP_SEVERITY_WARNING, "orphan-child",
    "add a type=path record at _redirect. and the zone's name, or correct the owner name"};

/* The records at `_redirect.NUMBER.ZONE`. */
static sp_lint_set_t numbered_set(const sp_lint_t *lint, unsigned number, sp_str_t zone)
{
    char prefix[32];
    sp_lint_name_t memory;

    (void)snprintf(prefix, sizeof(prefix), "_redirect.%u.", number);
    return sp_lint_zone_at(&lint->zone, sp_lint_join(&memory, sp_str_from(prefix), zone));
}

static void check_numbered(sp_lint_t *lint, const sp_lint_record_t *record, sp_str_t zone)
{
    unsigned missing = 0; /* the first absent number */

    for (unsigned number = 1; number <= NUMBERED_MAX + 1; ++number) {
        sp_lint_set_t set = numbered_set(lint, number, zone);

        if (set.count == 0) {
            missing = missing == 0 ? number : missing;
            continue;
        }
        if (missing != 0) {
            sp_lint_report(lint, &numbered_gap, set.list[0], SP_LINT_NO_OFFSET,
                           "record %u is never read: _redirect.%u.%.*s is missing", number, missing,
                           ARGS(zone));
            return;
        }
        if (number > NUMBERED_MAX) {
            sp_lint_report(lint, &numbered_beyond, set.list[0], SP_LINT_NO_OFFSET,
                           "record %u is never read: 64 is the last", number);
        } else if (set.list[0]->readable && set.list[0]->record.re == NULL) {
            sp_lint_report(lint, &numbered_without_re, set.list[0], SP_LINT_NO_OFFSET,
                           "numbered record without a valid re=");
        }
    }
    if (missing == 1) {
        sp_lint_report(lint, &numbered_missing, record, SP_LINT_NO_OFFSET,
                       "re=record, but there is no _redirect.1.%.*s", ARGS(zone));
    }
}

void sp_lint_check_numbers(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];
        sp_str_t zone = sp_lint_redirect_zone(record->owner);

        /* A record at _redirect._.ZONE serves hosts whose names are not known here. */
        if (record->readable && record->record.numbered && zone.len != 0 && zone.ptr[0] != '_') {
            check_numbered(lint, record, zone);
        }
    }
}

/* What is wrong with an order of segments whatever the path (PATH-4); NULL when nothing is. */
static const char *fault_of_from(sp_str_t from)
{
    bool seen[10] = {false}; /* of one digit; greater numbers are left to the reader */
    size_t tokens = 0;

    for (size_t at = 0; at + 2 < from.len; ++at) {
        bool token =
            from.ptr[at] == '/' && from.ptr[at + 1] == '$' && sp_is_digit(from.ptr[at + 2]);
        bool single = at + 3 == from.len || !sp_is_digit(from.ptr[at + 3]);

        if (token && single) {
            if (seen[from.ptr[at + 2] - '0']) {
                return "from= has a number twice";
            }
            seen[from.ptr[at + 2] - '0'] = true;
        }
        tokens += token ? 1U : 0U;
    }
    return tokens == 0 ? "from= has no segment" : NULL;
}

void sp_lint_check_from(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];
        const char *fault = NULL;

        if (record->readable && record->record.has_from && record->record.type == SP_TYPE_PATH) {
            fault = fault_of_from(record->record.from);
        }
        if (fault != NULL) {
            sp_lint_report(lint, &bad_from, record, sp_lint_offset(record, record->record.from.ptr),
                           "%s", fault);
        }
    }
}

/* {1}, {$1}: values that only a path record above can give. */
static bool uses_segments(const sp_template_t *template)
{
    for (size_t i = 0; template != NULL && i != template->part_count; ++i) {
        if (template->parts[i].kind == SP_PH_VALUE || template->parts[i].kind == SP_PH_SEGMENT) {
            return true;
        }
    }
    return false;
}

static bool is_number(sp_str_t label)
{
    uint64_t number = 0;

    return sp_str_to_uint(label, UINT16_MAX, &number);
}

/* What shows that a record was meant as a child: a wildcard label that no host-level lookup uses, a
 * number in front and an expression, or the values of a path. */
static bool looks_like_child(const sp_lint_record_t *record, sp_str_t host)
{
    sp_str_t behind = sp_lint_parent(host);
    sp_str_t first = sp_str_slice(host, 0, sp_str_find(host, '.'));

    return sp_str_starts_with(behind, SP_STR("_.")) ||
           sp_str_search(behind, SP_STR("._.")) != behind.len ||
           (is_number(first) && record->record.has_re && record->record.type != SP_TYPE_PATH) ||
           uses_segments(record->record.to);
}

void sp_lint_check_orphans(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];
        sp_str_t host = sp_lint_redirect_zone(record->owner);

        if (record->readable && host.len != 0 && record->record.type != SP_TYPE_PATH &&
            looks_like_child(record, host) && sp_lint_path_zone(lint, host).len == 0) {
            sp_lint_report(lint, &orphan, record, SP_LINT_NO_OFFSET, "no path record leads to %.*s",
                           ARGS(record->owner));
        }
    }
}
