/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/checks.h"
#include "cli/lint/target.h"
#include "cli/suggest.h"

#define ARGS(text) (int)(text).len, (text).ptr

static const sp_lint_rule_t no_placeholder = {
    SP_SEVERITY_WARNING, "unknown-placeholder",
    "correct the name; braces that are no placeholder are sent percent-encoded"};
static const sp_lint_rule_t bad_label = {SP_SEVERITY_ERROR, "bad-label",
                                         "labels are counted from the left, {label1} being the "
                                         "first; the record is faulty for hosts with fewer"};
static const sp_lint_rule_t in_authority = {
    SP_SEVERITY_ERROR, "open-redirect",
    "a visitor's value may only stand in the first label of the host, with two or more labels "
    "behind it; otherwise it would choose where the redirect leads"};

static const char *const names[] = {
    "uri",    "path", "query",  "uri_escaped", "path_escaped", "query_escaped",
    "dir",    "file", "host",   "hostonly",    "port",         "scheme",
    "method", "user", "label1", "fragment",
};

static bool regex_names(const sp_lint_record_t *record, sp_str_t group)
{
    const sp_regex_t *regex = record == NULL ? NULL : record->record.re;

    for (size_t i = 1; regex != NULL && i <= sp_regex_group_count(regex); ++i) {
        if (sp_str_eq(sp_regex_group_name(regex, i), group)) {
            return true;
        }
    }
    return false;
}

/* Does the record's own expression, or that of a path record above it, have the group? */
static bool has_group(const sp_lint_t *lint, const sp_lint_record_t *record, sp_str_t group)
{
    sp_str_t zone = sp_lint_redirect_zone(record->owner);

    if (regex_names(record, group)) {
        return true;
    }
    for (; zone.len != 0; zone = sp_lint_parent(zone)) {
        if (regex_names(sp_lint_path_record(lint, zone), group)) {
            return true;
        }
    }
    return record->owner.len == 0; /* a record by itself: what stands above is not known */
}

static void report_braces(sp_lint_t *lint, const sp_lint_target_t *target, sp_str_t inside)
{
    const char *near = sp_suggest(inside, names, SP_COUNT(names));
    size_t offset = sp_lint_offset(target->record, inside.ptr);

    offset = offset == SP_LINT_NO_OFFSET || offset == 0 ? target->offset : offset - 1;
    sp_lint_report(lint, &no_placeholder, target->record, offset,
                   near != NULL ? "{%.*s} is no placeholder; did you mean {%s}?"
                                : "{%.*s} is no placeholder",
                   ARGS(inside), near);
}

static void check_label(sp_lint_t *lint, const sp_lint_target_t *target, unsigned number)
{
    sp_str_t host = sp_lint_redirect_zone(target->record->owner);
    size_t labels = sp_lint_label_count(host);

    if (labels != 0 && number > labels) {
        sp_lint_report(lint, &bad_label, target->record, target->offset,
                       "%s= has {label%u}, but the host has %zu labels", target->key, number,
                       labels);
    }
}

static void check_parts(sp_lint_t *lint, const sp_lint_target_t *target)
{
    for (size_t i = 0; i != target->template->part_count; ++i) {
        const sp_template_part_t *part = &target->template->parts[i];
        sp_str_t text = sp_template_part_text(part);
        sp_str_t group = sp_str_skip(text, sp_str_starts_with(text, SP_STR("$")) ? 1 : 0);

        if (part->kind == SP_PH_LABEL) {
            check_label(lint, target, part->number);
        } else if (part->kind == SP_PH_GROUP && !has_group(lint, target->record, group)) {
            report_braces(lint, target, text);
        }
    }
}

/* Placeholders that are the request's own host, or parts of it (TO-5). */
static bool is_of_host(sp_str_t inside)
{
    return sp_str_eq(inside, SP_STR("host")) || sp_str_eq(inside, SP_STR("hostonly")) ||
           sp_str_eq(inside, SP_STR("port")) || sp_str_starts_with(inside, SP_STR("label"));
}

static size_t count_dots(sp_str_t text)
{
    size_t count = 0;

    for (size_t i = 0; i != text.len; ++i) {
        count += text.ptr[i] == '.' ? 1U : 0U;
    }
    return count;
}

static void check_authority(sp_lint_t *lint, const sp_lint_target_t *target)
{
    sp_str_t rest = target->authority;
    bool first_label = true;

    while (rest.len != 0) {
        size_t open = sp_str_find(rest, '{');
        size_t close = open + sp_str_find(sp_str_skip(rest, open), '}');
        sp_str_t before = sp_str_slice(rest, 0, open);
        sp_str_t inside = sp_str_slice(rest, open + 1, close);
        bool host_behind = false;
        bool may_be_path = false; /* a group or segment at the end may begin with '/' */

        first_label = first_label && count_dots(before) == 0 &&
                      sp_str_find(before, ':') == before.len &&
                      sp_str_find(before, '@') == before.len;
        rest = sp_str_skip(rest, close + 1);
        host_behind = sp_str_search(rest, SP_STR("{host")) != rest.len;
        may_be_path = rest.len == 0 && open != 0 && inside.len != 0 &&
                      sp_str_find(SP_STR("?>~"), inside.ptr[0]) == 3;
        if (inside.len != 0 && !is_of_host(inside) && !may_be_path &&
            (!first_label || (count_dots(rest) < 2 && !host_behind))) {
            sp_lint_report(lint, &in_authority, target->record, target->offset,
                           "%s= lets {%.*s} choose the host", target->key, ARGS(inside));
            return;
        }
    }
}

void sp_lint_check_templates(sp_lint_t *lint)
{
    sp_lint_target_t target;
    size_t at = 0;

    while (sp_lint_next_target(lint, &at, &target)) {
        check_parts(lint, &target);
        check_authority(lint, &target);
    }
}
