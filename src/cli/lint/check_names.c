/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/checks.h"

#define ARGS(text) (int)(text).len, (text).ptr

static const sp_lint_rule_t two_records = {
    SP_SEVERITY_ERROR, "two-records",
    "keep one of them: a name with two redirect records redirects nowhere"};
static const sp_lint_rule_t missing_prefix = {
    SP_SEVERITY_ERROR, "missing-prefix",
    "move it to _redirect. and the host's name: no other name is ever asked"};
static const sp_lint_rule_t no_record = {
    SP_SEVERITY_WARNING, "no-redirect-record",
    "a redirect record has a field v=txtv0, or is the only TXT record of its name and has to=, "
    "type=, use= or root="};
static const sp_lint_rule_t doubled_zone = {
    SP_SEVERITY_ERROR, "doubled-zone",
    "end the owner name with a dot, or leave the zone's name out: it is appended by itself"};
static const sp_lint_rule_t wildcard_cname = {
    SP_SEVERITY_WARNING, "wildcard-cname",
    "names under it that have no record of their own, _redirect. names too, are answered with "
    "what the target has: list the hosts, or put a record at each _redirect. name"};
static const sp_lint_rule_t wildcard_txt = {
    SP_SEVERITY_WARNING, "wildcard-txt",
    "a DNS wildcard answers for every missing _redirect. name below it; for hosts one level down "
    "write _redirect._.ZONE instead"};
static const sp_lint_rule_t wildcard_hidden = {
    SP_SEVERITY_WARNING, "wildcard-hidden",
    "give the host an address or CNAME record of its own: since a _redirect. name lies below it, "
    "the wildcard no longer answers for it (RFC 4592, 2.2.2)"};

static const sp_lint_rule_t star_label = {
    SP_SEVERITY_ERROR, "star-label",
    "write the label _ instead: _redirect._.ZONE serves ZONE and each host one level below it"};

static const sp_lint_rule_t missing_origin = {
    SP_SEVERITY_WARNING, "missing-origin",
    "begin the file with $ORIGIN and the zone's name: names without a final dot are taken to be "
    "right below the root here"};

/* Calls `visit` for the records of each owner name. */
static void each_owner(sp_lint_t *lint, void (*visit)(sp_lint_t *lint, sp_lint_set_t set))
{
    for (size_t i = 0; i < lint->zone.count;) {
        sp_lint_set_t set = sp_lint_zone_at(&lint->zone, lint->zone.by_owner[i]->owner);

        visit(lint, set);
        i += set.count;
    }
}

static void check_two_records(sp_lint_t *lint, sp_lint_set_t set)
{
    const sp_lint_record_t *first = NULL;

    for (size_t i = 0; i != set.count; ++i) {
        if (!set.list[i]->ours) {
            continue;
        }
        if (first != NULL) {
            sp_lint_report(lint, &two_records, set.list[i], SP_LINT_NO_OFFSET,
                           "second redirect record at %.*s; the first is in line %zu",
                           ARGS(first->owner), first->line);
        } else {
            first = set.list[i];
        }
    }
}

void sp_lint_check_uniqueness(sp_lint_t *lint)
{
    each_owner(lint, check_two_records);
}

static bool is_wildcard(sp_str_t owner)
{
    return sp_str_starts_with(owner, SP_STR("*."));
}

static void check_owner(sp_lint_t *lint, sp_lint_set_t set)
{
    bool redirect = sp_lint_redirect_zone(set.list[0]->owner).ptr != NULL;
    size_t ours = 0;
    const sp_lint_record_t *text = NULL;

    if (set.list[0]->owner.len == 0 || is_wildcard(set.list[0]->owner)) {
        return;
    }
    for (size_t i = 0; i != set.count; ++i) {
        const sp_lint_record_t *record = set.list[i];

        ours += record->ours ? 1U : 0U;
        text = record->type == SP_RR_TXT ? record : text;
        if (record->ours && !redirect) {
            sp_lint_report(lint, &missing_prefix, record, SP_LINT_NO_OFFSET,
                           "redirect record at %.*s, where it is never looked for",
                           ARGS(record->owner));
        }
    }
    if (redirect && ours == 0 && text != NULL) {
        sp_lint_report(lint, &no_record, text, SP_LINT_NO_OFFSET,
                       "no TXT record at %.*s is a redirect record", ARGS(text->owner));
    }
}

void sp_lint_check_owners(sp_lint_t *lint)
{
    each_owner(lint, check_owner);
}

/* The tail of `name` that stands in it twice, one right behind the other: the zone's name, or where
 * the zone has no SOA anything of two labels or more. Empty when there is none. */
static sp_str_t repeated_tail(const sp_lint_zone_t *zone, sp_str_t name)
{
    for (sp_str_t tail = sp_lint_parent(name); tail.len != 0; tail = sp_lint_parent(tail)) {
        bool candidate =
            zone->apex.len != 0 ? sp_str_eq(tail, zone->apex) : sp_lint_label_count(tail) >= 2;

        if (candidate && name.len > 2 * tail.len + 1 &&
            sp_lint_is_below(sp_str_slice(name, 0, name.len - tail.len - 1), tail)) {
            return tail;
        }
    }
    return SP_STR("");
}

static void check_doubled_zone(sp_lint_t *lint, sp_lint_set_t set)
{
    sp_str_t owner = set.list[0]->owner;
    sp_str_t tail = SP_STR("");

    if (sp_lint_redirect_zone(owner).ptr != NULL) {
        tail = repeated_tail(&lint->zone, owner);
    }
    if (tail.len != 0) {
        sp_lint_report(lint, &doubled_zone, set.list[0], SP_LINT_NO_OFFSET,
                       "%.*s ends in %.*s twice", ARGS(owner), ARGS(tail));
    }
}

void sp_lint_check_doubled(sp_lint_t *lint)
{
    each_owner(lint, check_doubled_zone);
}

/* RFC 4592, 2.1.1: "*" is a wildcard as the leftmost label only. */
static void check_star(sp_lint_t *lint, sp_lint_set_t set)
{
    sp_str_t owner = set.list[0]->owner;

    if (sp_lint_redirect_zone(owner).ptr != NULL &&
        sp_str_search(owner, SP_STR(".*.")) != owner.len) {
        sp_lint_report(lint, &star_label, set.list[0], SP_LINT_NO_OFFSET,
                       "the * of %.*s is no wildcard there", ARGS(owner));
    }
}

void sp_lint_check_stars(sp_lint_t *lint)
{
    each_owner(lint, check_star);
}

/* Told once: a zone file whose names lie right below the root was written for a server that is told
 * the zone's name elsewhere. */
void sp_lint_check_origin(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];
        sp_str_t host = sp_lint_redirect_zone(record->owner);

        if ((record->type == SP_RR_SOA && record->owner.len <= 1) ||
            (record->ours && host.len != 0 && sp_lint_label_count(host) == 1)) {
            sp_lint_report(lint, &missing_origin, record, SP_LINT_NO_OFFSET,
                           record->type == SP_RR_SOA ? "the zone is the root"
                                                     : "the host is a top-level domain");
            return;
        }
    }
}

/* A wildcard above a redirect host that has nothing at its own name. */
static void check_hidden_host(sp_lint_t *lint, sp_lint_set_t set)
{
    sp_str_t host = sp_lint_redirect_zone(set.list[0]->owner);
    sp_str_t parent = sp_lint_parent(host);
    sp_lint_name_t memory;
    sp_lint_set_t above;

    if (host.len == 0 || parent.len == 0 || host.ptr[0] == '_' || host.ptr[0] == '*' ||
        sp_lint_zone_at(&lint->zone, host).count != 0) {
        return;
    }
    above = sp_lint_zone_at(&lint->zone, sp_lint_join(&memory, SP_STR("*."), parent));
    for (size_t i = 0; i != above.count; ++i) {
        uint16_t type = above.list[i]->type;

        if (type == SP_RR_A || type == SP_RR_AAAA || type == SP_RR_CNAME) {
            sp_lint_report(lint, &wildcard_hidden, set.list[0], SP_LINT_NO_OFFSET,
                           "%.*s has no address: *.%.*s stops answering for it", ARGS(host),
                           ARGS(parent));
            return;
        }
    }
}

static void check_wildcard(sp_lint_t *lint, sp_lint_set_t set)
{
    check_hidden_host(lint, set);
    if (!is_wildcard(set.list[0]->owner)) {
        return;
    }
    for (size_t i = 0; i != set.count; ++i) {
        const sp_lint_record_t *record = set.list[i];

        if (record->type == SP_RR_CNAME) {
            sp_lint_report(lint, &wildcard_cname, record, SP_LINT_NO_OFFSET,
                           "%.*s also answers for the _redirect. names below it, with the TXT "
                           "records of %.*s",
                           ARGS(record->owner), ARGS(record->target));
        } else if (record->type == SP_RR_TXT) {
            sp_lint_report(lint, &wildcard_txt, record, SP_LINT_NO_OFFSET,
                           "%.*s also answers for the _redirect. names below it%s",
                           ARGS(record->owner), record->ours ? "" : ", with a foreign TXT record");
        }
    }
}

void sp_lint_check_wildcards(sp_lint_t *lint)
{
    each_owner(lint, check_wildcard);
}
