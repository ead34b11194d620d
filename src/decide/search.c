/* SPDX-License-Identifier: Apache-2.0 */

/* Finding records: the host's own, the one that `use` names, a path record's child (records.md,
 * sections 2 to 4). */

#include "decide/run.h"

const sp_met_t *sp_meet(sp_run_t *run, const sp_record_t *record, sp_str_t name, sp_str_t zone,
                        const sp_met_t *outer)
{
    sp_met_t *met = sp_arena_alloc(run->arena, sizeof(*met));

    if (met == NULL) {
        sp_run_out_of_memory(run);
        return NULL;
    }
    *met = (sp_met_t){.record = record, .name = name, .zone = zone, .outer = outer};
    run->met = met;
    return met;
}

bool sp_type_is_enabled(const sp_run_t *run, const sp_record_t *record)
{
    /* Beside `use` a type that is not written down is nobody's wish. */
    if (record->use != NULL && !record->has_type) {
        return true;
    }
    return (run->policy->types & (1U << record->type)) != 0;
}

/* Asks for `name` and checks what the request's policy has to say of the record there. */
static sp_found_t find(sp_run_t *run, sp_str_t name, const sp_answer_t **ret_answer)
{
    sp_found_t found = sp_run_ask(run, name, true, ret_answer);

    if (found == SP_FOUND_RECORD && !sp_type_is_enabled(run, (*ret_answer)->record)) {
        sp_run_fault(run, name, "its type is not among the enabled types");
        return SP_FOUND_FAULT;
    }
    return found;
}

static sp_found_t meet_answer(sp_run_t *run, const sp_answer_t *answer, sp_str_t name,
                              sp_str_t zone, const sp_met_t *outer, const sp_met_t **ret_met)
{
    *ret_met = sp_meet(run, answer->record, name, zone, outer);
    return *ret_met == NULL ? SP_FOUND_STOP : SP_FOUND_RECORD;
}

sp_found_t sp_find_host_record(sp_run_t *run, const sp_met_t **ret_met)
{
    sp_str_t host = run->request->host;

    for (size_t i = 0; i != SP_HOST_CANDIDATES; ++i) {
        const sp_answer_t *answer = NULL;
        sp_str_t name = sp_lookup_name_of_host(host, i, run->arena);
        sp_found_t found = SP_FOUND_ABSENT;

        if (name.ptr != NULL && name.len == 0) {
            break;
        }
        found = find(run, name, &answer);
        if (found == SP_FOUND_RECORD) {
            return meet_answer(run, answer, name, host, NULL, ret_met);
        }
        if (found != SP_FOUND_ABSENT) {
            return found;
        }
    }
    return SP_FOUND_ABSENT;
}

/* ---- use ---- */

static bool zone_is_valid(sp_str_t zone)
{
    if (zone.len == 0) {
        return false;
    }
    for (sp_str_t rest = zone; rest.ptr != NULL;) {
        if (!sp_label_is_valid(sp_str_cut(rest, '.', &rest))) {
            return false;
        }
    }
    return true;
}

/* Is `name` the name of `met`, or of a record whose `use` led to it, back to `first`? */
static bool is_in_chain(const sp_met_t *met, const sp_met_t *first, sp_str_t name)
{
    for (;; met = met->outer) {
        if (sp_str_eq(met->name, name)) {
            return true;
        }
        if (met == first) {
            return false;
        }
    }
}

/* The record at _redirect.ZONE or _redirect._.ZONE. */
static sp_found_t find_used(sp_run_t *run, const sp_met_t *met, const sp_met_t *first,
                            sp_str_t zone, const sp_met_t **ret_met)
{
    sp_found_t found = SP_FOUND_ABSENT;

    for (int wildcard = 0; found == SP_FOUND_ABSENT && wildcard != 2; ++wildcard) {
        const sp_answer_t *answer = NULL;
        sp_str_t name = sp_lookup_name_of_zone(zone, wildcard != 0, run->arena);

        if (name.ptr != NULL && is_in_chain(met, first, name)) {
            sp_run_fault(run, name, "the chain of use= comes back to it");
            return SP_FOUND_FAULT;
        }
        found = find(run, name, &answer);
        if (found == SP_FOUND_RECORD) {
            return meet_answer(run, answer, name, zone, met, ret_met);
        }
    }
    return found;
}

static sp_found_t follow(sp_run_t *run, const sp_met_t *met, const sp_met_t *first, unsigned *steps,
                         const sp_met_t **ret_met);

/* One `use` of a record. SP_FOUND_ABSENT and SP_FOUND_FAULT: it is passed over. */
/* NOLINTNEXTLINE(misc-no-recursion): SP_USE_STEPS_MAX bounds it */
static sp_found_t try_use(sp_run_t *run, const sp_met_t *met, const sp_met_t *first,
                          const sp_use_t *use, unsigned *steps, const sp_met_t **ret_met)
{
    const sp_met_t *used = NULL;
    sp_str_t zone = sp_arena_copy_lower(run->arena, use->zone);
    sp_found_t found = SP_FOUND_FAULT;

    if (zone.ptr == NULL) {
        sp_run_out_of_memory(run);
        return SP_FOUND_STOP;
    }
    if (!zone_is_valid(zone)) {
        sp_run_fault(run, met->name, "a use= of it names no record _redirect.NAME");
        return SP_FOUND_FAULT;
    }
    if (++*steps > SP_USE_STEPS_MAX) {
        sp_run_fault(run, met->name, "its use= leads through too many records");
        return SP_FOUND_FAULT;
    }
    found = find_used(run, met, first, zone, &used);
    if (found == SP_FOUND_RECORD) {
        found = follow(run, used, first, steps, ret_met);
    }
    if (found == SP_FOUND_ABSENT || found == SP_FOUND_FAULT) {
        sp_run_note(run, met->name, "its use=_redirect.%.*s gives no record and is passed over",
                    (int)zone.len, zone.ptr);
        run->met = met;
    }
    return found;
}

/* NOLINTNEXTLINE(misc-no-recursion): SP_USE_STEPS_MAX bounds it */
static sp_found_t follow(sp_run_t *run, const sp_met_t *met, const sp_met_t *first, unsigned *steps,
                         const sp_met_t **ret_met)
{
    if (met->record->use == NULL) {
        if (met != first && met->record->type == SP_TYPE_DOCKERV2 &&
            !sp_registry_is_usable(run, met, NULL)) {
            return run->settled ? SP_FOUND_STOP : SP_FOUND_FAULT;
        }
        *ret_met = met;
        return SP_FOUND_RECORD;
    }
    for (const sp_use_t *use = met->record->use; use != NULL; use = use->next) {
        sp_found_t found = try_use(run, met, first, use, steps, ret_met);

        if (found != SP_FOUND_ABSENT && found != SP_FOUND_FAULT) {
            return found;
        }
    }
    return SP_FOUND_ABSENT;
}

sp_found_t sp_follow_use(sp_run_t *run, const sp_met_t *met, const sp_met_t **ret_met)
{
    unsigned steps = 0;

    return follow(run, met, met, &steps, ret_met);
}

/* ---- children ---- */

/* PATH-3: labels that are still asked for must be ones that a name can hold. */
static bool can_be_asked(const sp_str_t *labels, size_t count, size_t replaced)
{
    for (size_t i = 0; i + replaced < count; ++i) {
        if (!sp_label_is_valid(labels[i])) {
            return false;
        }
    }
    return true;
}

static size_t name_length(const sp_str_t *labels, size_t count, size_t replaced, sp_str_t zone)
{
    size_t length = SP_STR("_redirect.").len + 2 * replaced + zone.len;

    for (size_t i = 0; i + replaced < count; ++i) {
        length += labels[i].len + 1;
    }
    return length;
}

/* Asks for one name of a child. Names that can't be asked are absent. */
static sp_found_t ask_child(sp_run_t *run, const sp_level_t *level, const sp_str_t *labels,
                            size_t count, size_t replaced, const sp_met_t **ret_met)
{
    sp_str_t zone = level->met->zone;
    const sp_answer_t *answer = NULL;
    sp_str_t name;
    sp_found_t found = SP_FOUND_ABSENT;

    if (name_length(labels, count, replaced, zone) > SP_NAME_MAX) {
        return SP_FOUND_ABSENT; /* not even written down: the path may be long */
    }
    name = sp_lookup_name_of_child(labels, count, replaced, zone, run->arena);
    if (name.ptr != NULL && !can_be_asked(labels, count, replaced)) {
        sp_run_skip(run, name, "it has a label that no DNS name of ours can hold");
        return SP_FOUND_ABSENT;
    }
    found = find(run, name, &answer);
    return found == SP_FOUND_RECORD ? meet_answer(run, answer, name, zone, level->met, ret_met)
                                    : found;
}

sp_found_t sp_find_child(sp_run_t *run, const sp_level_t *level, const sp_str_t *labels,
                         size_t count, const sp_met_t **ret_met)
{
    sp_found_t found = SP_FOUND_ABSENT;

    /* With nothing but `_` the name is shortest. */
    if (name_length(labels, count, count, level->met->zone) > SP_NAME_MAX) {
        sp_run_note(run, level->met->name, "the path has too many parts for a DNS name");
        return SP_FOUND_ABSENT;
    }
    if (name_length(labels, count, 0, level->met->zone) > SP_NAME_MAX) {
        sp_run_note(run, level->met->name, "the path makes a name that is too long to be asked");
    }
    for (size_t replaced = 0; found == SP_FOUND_ABSENT && replaced <= count; ++replaced) {
        found = ask_child(run, level, labels, count, replaced, ret_met);
    }
    return found == SP_FOUND_LIMIT ? SP_FOUND_ABSENT : found; /* PATH-6 */
}
