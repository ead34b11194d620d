/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/checks.h"

#define CHAIN_MAX 64 /* longer rings are left to whoever meets them */
#define ARGS(text) (int)(text).len, (text).ptr

static const sp_lint_rule_t cname_loop = {SP_SEVERITY_ERROR, "cname-loop",
                                          "break the ring: one of these names needs a record"};
static const sp_lint_rule_t cname_missing = {
    SP_SEVERITY_WARNING, "cname-missing",
    "add the record there, or point the CNAME at a name that has one"};
static const sp_lint_rule_t cname_beside = {
    SP_SEVERITY_ERROR, "cname-beside-data",
    "a CNAME must be the only record of its name (RFC 1034, 3.6.2): remove one of them"};
static const sp_lint_rule_t use_loop = {SP_SEVERITY_ERROR, "use-loop",
                                        "let one record of the ring have a target of its own"};
static const sp_lint_rule_t use_missing = {
    SP_SEVERITY_ERROR, "use-missing",
    "add the record there or correct the name; a use= that finds nothing is passed over"};
static const sp_lint_rule_t use_faulty = {
    SP_SEVERITY_ERROR, "use-faulty",
    "repair the record there; a use= that finds a faulty record is passed over"};
static const sp_lint_rule_t use_hides = {
    SP_SEVERITY_NOTE, "use-hides",
    "remove the field: of a record with use= only v, type, code, ref and headers are looked at"};

/* RRSIG, NSEC, KEY and NSEC3 may stand beside a CNAME (RFC 4035, 2.5). */
static bool may_stand_beside(uint16_t type)
{
    return type == 25 || type == 46 || type == 47 || type == 50;
}

static const sp_lint_record_t *cname_at(const sp_lint_zone_t *zone, sp_str_t owner)
{
    sp_lint_set_t set = sp_lint_zone_at(zone, owner);

    for (size_t i = 0; i != set.count; ++i) {
        if (set.list[i]->type == SP_RR_CNAME) {
            return set.list[i];
        }
    }
    return NULL;
}

static void check_beside(sp_lint_t *lint, const sp_lint_record_t *cname)
{
    sp_lint_set_t set = sp_lint_zone_at(&lint->zone, cname->owner);

    for (size_t i = 0; i != set.count; ++i) {
        if (set.list[i] != cname && !may_stand_beside(set.list[i]->type)) {
            sp_lint_report(lint, &cname_beside, cname, SP_LINT_NO_OFFSET,
                           "CNAME at %.*s beside another record, in line %zu", ARGS(cname->owner),
                           set.list[i]->line);
            return;
        }
    }
}

/* Follows a chain as long as it stays in the zone. A ring is reported once, at its member that
 * comes first in the file. */
static void check_chain(sp_lint_t *lint, const sp_lint_record_t *cname)
{
    const sp_lint_record_t *last = cname;
    const sp_lint_record_t *next = cname_at(&lint->zone, cname->target);

    for (size_t hops = 0; next != NULL && hops <= CHAIN_MAX; ++hops) {
        if (next == cname) {
            sp_lint_report(lint, &cname_loop, cname, SP_LINT_NO_OFFSET,
                           "CNAME loop: %.*s leads back to itself through %.*s", ARGS(cname->owner),
                           ARGS(cname->target));
            return;
        }
        if (next < cname) {
            return;
        }
        last = next;
        next = cname_at(&lint->zone, next->target);
    }
    if (next == NULL && sp_lint_redirect_zone(cname->owner).ptr != NULL &&
        sp_lint_zone_covers(&lint->zone, last->target) && lint->zone.apex.len != 0 &&
        !sp_lint_zone_knows(&lint->zone, last->target)) {
        sp_lint_report(lint, &cname_missing, cname, SP_LINT_NO_OFFSET,
                       "CNAME to %.*s, which the zone does not have", ARGS(last->target));
    }
}

void sp_lint_check_cname(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];

        if (record->type == SP_RR_CNAME) {
            check_beside(lint, record);
            check_chain(lint, record);
        }
    }
}

/* The record that `use=_redirect.Z` finds: Z exactly, then _redirect._.Z (USE-1). *ret_exists: some
 * record of ours is there, readable or not. */
static const sp_lint_record_t *find_use(const sp_lint_t *lint, sp_str_t zone, bool *ret_exists)
{
    static const sp_str_t prefixes[] = {{"_redirect.", 10}, {"_redirect._.", 12}};

    *ret_exists = false;
    for (size_t i = 0; i != SP_COUNT(prefixes); ++i) {
        sp_lint_name_t memory;
        sp_str_t owner = sp_lint_join(&memory, prefixes[i], zone);
        const sp_lint_record_t *found = sp_lint_zone_redirect(&lint->zone, owner);

        if (found != NULL || sp_lint_zone_at(&lint->zone, owner).count != 0) {
            *ret_exists = true;
            return found;
        }
    }
    return NULL;
}

/* Goes along first readable `use` values; true when that leads back to `start`. */
static bool leads_back(const sp_lint_t *lint, const sp_lint_record_t *start,
                       const sp_lint_record_t *record)
{
    for (size_t hops = 0; record != NULL && hops <= CHAIN_MAX; ++hops) {
        const sp_lint_record_t *next = NULL;
        bool exists = false;

        if (record == start) {
            return true;
        }
        for (const sp_use_t *use = record->record.use; use != NULL && next == NULL;
             use = use->next) {
            next = use->zone.len == 0 ? NULL : find_use(lint, use->zone, &exists);
        }
        record = next;
    }
    return false;
}

static void check_one_use(sp_lint_t *lint, const sp_lint_record_t *record, const sp_use_t *use,
                          size_t offset)
{
    bool exists = false;
    const sp_lint_record_t *found = NULL;

    /* A value that is no _redirect. name has been remarked on by the record's reader. */
    if (use->zone.len == 0 || record->owner.len == 0 ||
        !sp_lint_zone_covers(&lint->zone, use->zone)) {
        return;
    }
    found = find_use(lint, use->zone, &exists);
    if (found == NULL) {
        sp_lint_report(lint, exists ? &use_faulty : &use_missing, record, offset,
                       exists ? "use= finds no usable record at _redirect.%.*s"
                              : "use= finds nothing at _redirect.%.*s",
                       ARGS(use->zone));
    } else if (leads_back(lint, record, found)) {
        sp_lint_report(lint, &use_loop, record, offset, "use= loop: %.*s leads back to itself",
                       ARGS(record->owner));
    }
}

/* Fields that do nothing beside `use`; `to` is remarked on by the record's reader. */
static void check_hidden_fields(sp_lint_t *lint, const sp_lint_record_t *record)
{
    static const char *const hidden[] = {"root", "website", "re", "from", "vcs"};

    for (size_t i = 0; i != SP_COUNT(hidden); ++i) {
        sp_field_t field;

        if (sp_lint_field(record, hidden[i], &field)) {
            sp_lint_report(lint, &use_hides, record, sp_lint_offset(record, field.key.ptr),
                           "%s= has no effect beside use=", hidden[i]);
        }
    }
}

void sp_lint_check_use(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *record = &lint->zone.records[i];
        sp_str_t rest = record->readable ? record->record.text : record->text;
        sp_field_t field;
        const sp_use_t *use = record->readable ? record->record.use : NULL;

        if (use == NULL) {
            continue;
        }
        check_hidden_fields(lint, record);
        while (use != NULL && sp_field_next(&rest, &field)) {
            if (sp_str_eq(field.key, SP_STR("use"))) {
                check_one_use(lint, record, use, sp_lint_offset(record, field.value.ptr));
                use = use->next;
            }
        }
    }
}
