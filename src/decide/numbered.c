/* SPDX-License-Identifier: Apache-2.0 */

/* `re=record`: the numbered records below a path record (records.md PATH-8). */

#include "decide/run.h"

typedef struct candidate {
    const sp_record_t *record;
    sp_str_t name;
    const sp_match_t *match;
} candidate_t;

/* The longest first match, then the most groups, then the lowest number. */
static bool is_better(const candidate_t *a, const candidate_t *b)
{
    size_t a_len = a->match->groups[0].len;
    size_t b_len = b->record == NULL ? 0 : b->match->groups[0].len;

    if (b->record == NULL || a_len != b_len) {
        return b->record == NULL || a_len > b_len;
    }
    return sp_regex_group_count(a->record->re) > sp_regex_group_count(b->record->re);
}

/* Asks for all of them before the first expression runs. *ret_count: the valid ones among
 * `candidates`. */
static sp_found_t collect(sp_run_t *run, sp_str_t zone, candidate_t *candidates, size_t *ret_count)
{
    size_t count = 0;

    for (unsigned number = 1; number <= SP_NUMBERED_MAX; ++number) {
        const sp_answer_t *answer = NULL;
        sp_str_t name = sp_lookup_name_of_number(number, zone, run->arena);
        sp_found_t found = sp_run_ask(run, name, number == 1, &answer);

        if (found == SP_FOUND_STOP) {
            return found;
        }
        if (found == SP_FOUND_ABSENT || found == SP_FOUND_LIMIT) {
            break;
        }
        if (found == SP_FOUND_FAULT || answer->record->re == NULL) {
            sp_run_note(run, name, "has no usable re= and is passed over");
            continue;
        }
        candidates[count++] = (candidate_t){.record = answer->record, .name = name};
    }
    *ret_count = count;
    return SP_FOUND_RECORD;
}

static sp_found_t choose(sp_run_t *run, candidate_t *candidates, size_t count,
                         candidate_t *ret_best)
{
    candidate_t best = {.record = NULL};

    for (size_t i = 0; i != count; ++i) {
        candidates[i].match = sp_match_path(run, candidates[i].record->re, 1);
        if (candidates[i].match == NULL) {
            return SP_FOUND_STOP;
        }
        if (candidates[i].match->groups != NULL && is_better(&candidates[i], &best)) {
            best = candidates[i];
        }
    }
    *ret_best = best;
    return best.record == NULL ? SP_FOUND_ABSENT : SP_FOUND_RECORD;
}

/* {1} is the whole match, {2} the first group (PATH-9). */
static void set_values(sp_level_t *level, const candidate_t *best)
{
    const sp_regex_t *regex = best->record->re;

    level->values.numbered = best->match->groups;
    level->values.numbered_count = sp_regex_group_count(regex) + 1;
    level->values.numbered_sent = false;
    level->values.regex = sp_regex_has_names(regex) ? regex : NULL;
    level->values.groups = best->match->groups;
}

sp_found_t sp_find_numbered(sp_run_t *run, sp_level_t *level, const sp_met_t **ret_met)
{
    candidate_t *candidates = sp_arena_zalloc(run->arena, SP_NUMBERED_MAX, sizeof(*candidates));
    bool was_faulty = run->record_was_faulty;
    candidate_t best = {.record = NULL};
    size_t count = 0;
    sp_found_t found = SP_FOUND_STOP;

    if (candidates == NULL) {
        sp_run_out_of_memory(run);
        return found;
    }
    found = collect(run, level->met->zone, candidates, &count);
    if (found == SP_FOUND_RECORD) {
        found = choose(run, candidates, count, &best);
    }
    if (found != SP_FOUND_RECORD) {
        return found;
    }
    run->record_was_faulty = was_faulty; /* what was passed over did not decide */
    sp_run_note(run, best.name, "fits the path best: its re= matches %zu octets",
                best.match->groups[0].len);
    set_values(level, &best);
    if (!sp_type_is_enabled(run, best.record)) {
        sp_run_fault(run, best.name, "its type is not among the enabled types");
        return SP_FOUND_FAULT;
    }
    *ret_met = sp_meet(run, best.record, best.name, level->met->zone, level->met);
    return *ret_met == NULL ? SP_FOUND_STOP : SP_FOUND_RECORD;
}
