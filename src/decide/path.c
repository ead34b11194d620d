/* SPDX-License-Identifier: Apache-2.0 */

/* `type=path`: from the path to the child that decides (records.md, section 4). */

#include "decide/run.h"

bool sp_path_is_root(sp_str_t path)
{
    for (size_t i = 0; i != path.len; ++i) {
        if (path.ptr[i] != '/') {
            return false;
        }
    }
    return true;
}

/* PATH-7: a record that is looked into a second time would go round for ever. */
static bool was_looked_into(const sp_level_t *level, sp_str_t name)
{
    for (; level != NULL; level = level->parent) {
        if (sp_str_eq(level->met->name, name)) {
            return true;
        }
    }
    return false;
}

/* ---- labels ---- */

/* What the path comes to below one record. */
typedef struct labels {
    sp_str_t *labels; /* in the order of segments or matches */
    size_t count;
} labels_t;

/* The number of a token "/$N" at *at; moves *at behind it. */
static bool next_token(sp_str_t from, size_t *at, uint64_t *ret_number)
{
    for (; *at + 2 < from.len; ++*at) {
        size_t end = *at + 2;

        if (from.ptr[*at] != '/' || from.ptr[*at + 1] != '$') {
            continue;
        }
        while (end != from.len && sp_is_digit(from.ptr[end])) {
            ++end;
        }
        if (end != *at + 2) {
            if (!sp_str_to_uint(sp_str_slice(from, *at + 2, end), UINT32_MAX, ret_number)) {
                *ret_number = UINT32_MAX;
            }
            *at = end;
            return true;
        }
    }
    return false;
}

/* PATH-4: orders the labels by the numbers that `from` assigns to them. SP_FOUND_ABSENT when it
 * does not fit. */
static sp_found_t order_by_from(sp_run_t *run, sp_str_t from, labels_t *labels)
{
    uint64_t *numbers = sp_arena_zalloc(run->arena, labels->count, sizeof(*numbers));
    size_t tokens = 0;
    size_t at = 0;
    uint64_t number = 0;

    if (numbers == NULL) {
        sp_run_out_of_memory(run);
        return SP_FOUND_STOP;
    }
    while (next_token(from, &at, &number)) {
        if (tokens == labels->count) {
            return SP_FOUND_ABSENT;
        }
        numbers[tokens++] = number;
    }
    if (tokens != labels->count) {
        return SP_FOUND_ABSENT;
    }
    /* Insertion sort, ascending: the name is written backwards, which makes it descending. */
    for (size_t i = 1; i < tokens; ++i) {
        for (size_t j = i; j != 0 && numbers[j - 1] >= numbers[j]; --j) {
            sp_str_t label = labels->labels[j];

            if (numbers[j - 1] == numbers[j]) {
                return SP_FOUND_ABSENT;
            }
            number = numbers[j];
            numbers[j] = numbers[j - 1];
            numbers[j - 1] = number;
            labels->labels[j] = labels->labels[j - 1];
            labels->labels[j - 1] = label;
        }
    }
    return SP_FOUND_RECORD;
}

/* Groups of `regex` that have names, in bytewise order of these (PATH-5). */
static size_t sort_names(const sp_regex_t *regex, size_t *order)
{
    size_t count = 0;

    for (size_t group = 1; group <= sp_regex_group_count(regex); ++group) {
        sp_str_t name = sp_regex_group_name(regex, group);
        size_t j = count;

        if (name.len == 0) {
            continue;
        }
        for (; j != 0 && sp_str_compare(sp_regex_group_name(regex, order[j - 1]), name) > 0; --j) {
            order[j] = order[j - 1];
        }
        order[j] = group;
        ++count;
    }
    return count;
}

/* The values that `regex` gives: of its named groups, or one of each match. */
static bool values_of_match(sp_run_t *run, const sp_match_t *match, sp_values_t *values)
{
    size_t order[SP_REGEX_GROUPS_MAX];
    size_t count = match->each_count;
    sp_str_t *named = match->each;

    values->regex = NULL;
    if (sp_regex_has_names(match->regex)) {
        count = sort_names(match->regex, order);
        named = sp_arena_zalloc(run->arena, count, sizeof(*named));
        if (named == NULL) {
            sp_run_out_of_memory(run);
            return false;
        }
        for (size_t i = 0; i != count; ++i) {
            named[i] = match->groups[order[i]];
        }
        values->regex = match->regex;
    }
    values->groups = match->groups;
    values->numbered = named;
    values->numbered_count = count;
    values->numbered_sent = false;
    return true;
}

static bool labels_of_values(sp_run_t *run, const sp_values_t *values, labels_t *labels)
{
    labels->count = values->numbered_count;
    labels->labels = sp_arena_zalloc(run->arena, labels->count, sizeof(sp_str_t));
    for (size_t i = 0; labels->labels != NULL && i != labels->count; ++i) {
        labels->labels[i] = sp_label_from(values->numbered[i], run->arena);
        if (labels->labels[i].ptr == NULL) {
            labels->labels = NULL;
        }
    }
    if (labels->labels == NULL) {
        sp_run_out_of_memory(run);
    }
    return labels->labels != NULL;
}

/* Labels by the expression in force. SP_FOUND_ABSENT: it does not match. */
static sp_found_t match_labels(sp_run_t *run, sp_level_t *level, labels_t *labels)
{
    const sp_match_t *match = sp_match_path(run, level->regex, SP_REGEX_MATCHES_MAX);

    if (match == NULL) {
        return SP_FOUND_STOP;
    }
    if (match->groups == NULL) {
        sp_run_note(run, level->met->name, "its re= does not match the path");
        return SP_FOUND_ABSENT;
    }
    return values_of_match(run, match, &level->values) &&
                   labels_of_values(run, &level->values, labels)
               ? SP_FOUND_RECORD
               : SP_FOUND_STOP;
}

/* ---- one level ---- */

/* Sets up a level: which expression is in force, and the segments. False when memory is out. */
static bool init_level(sp_run_t *run, sp_level_t *level, labels_t *segments)
{
    const sp_record_t *record = level->met->record;
    const sp_level_t *parent = level->parent;
    sp_str_t *sent = NULL;

    if (parent != NULL) {
        level->values = parent->values;
    }
    if (record->has_re) {
        level->regex = record->numbered ? NULL : record->re;
        level->numbered = record->numbered;
    } else if (parent != NULL && !record->has_from) {
        level->regex = parent->regex;
        level->numbered = parent->numbered;
    }
    if (!sp_path_segments(run, &sent, &segments->labels, &segments->count)) {
        return false;
    }
    level->values.segments = sent;
    level->values.segment_count = segments->count;
    return true;
}

/* The labels of the child, in segment or match order. */
static sp_found_t find_labels(sp_run_t *run, sp_level_t *level, labels_t *labels)
{
    const sp_record_t *record = level->met->record;

    if (level->regex != NULL) {
        return match_labels(run, level, labels);
    }
    if (record->has_re) {
        sp_run_note(run, level->met->name, "its re= is no valid regular expression");
        return SP_FOUND_ABSENT;
    }
    level->values.numbered = level->values.segments;
    level->values.numbered_count = level->values.segment_count;
    level->values.numbered_sent = true;
    level->values.regex = NULL;
    if (record->has_from) {
        sp_found_t found = order_by_from(run, record->from, labels);

        if (found == SP_FOUND_ABSENT) {
            sp_run_note(run, level->met->name, "its from= does not fit the path's segments");
        }
        if (found != SP_FOUND_RECORD) {
            return found;
        }
    }
    return labels->count == 0 ? SP_FOUND_ABSENT : SP_FOUND_RECORD;
}

static sp_found_t find_next(sp_run_t *run, sp_level_t *level, labels_t *labels,
                            const sp_met_t **ret_met)
{
    sp_found_t found = SP_FOUND_ABSENT;

    if (level->met->record->has_re && level->met->record->has_from) {
        sp_run_note(run, level->met->name, "has both re= and from=, which exclude each other");
        return SP_FOUND_ABSENT;
    }
    if (level->numbered) {
        found = sp_find_numbered(run, level, ret_met);
    } else {
        found = find_labels(run, level, labels);
        if (found == SP_FOUND_RECORD) {
            found = sp_find_child(run, level, labels->labels, labels->count, ret_met);
        }
    }
    return found == SP_FOUND_RECORD ? sp_follow_use(run, *ret_met, ret_met) : found;
}

/* PATH-1 */
static void answer_root(sp_run_t *run, const sp_level_t *level)
{
    const sp_record_t *record = level->met->record;
    const sp_template_t *target = record->root != NULL ? record->root : record->to;

    if (target == NULL) {
        sp_run_fault(run, level->met->name, "it has neither root= nor to= for '/'");
    }
    if (target == NULL || !sp_redirect(run, level->met, target, record->code, &level->values)) {
        sp_fall_back_globally(run);
    }
}

void sp_answer_path(sp_run_t *run, const sp_met_t *met, const sp_level_t *parent)
{
    sp_level_t level = {.met = met, .parent = parent};
    labels_t labels = {.labels = NULL, .count = 0};
    const sp_met_t *child = NULL;
    bool again = was_looked_into(parent, met->name);

    if (!init_level(run, &level, &labels)) {
        return;
    }
    if (sp_path_is_root(run->request->path)) {
        answer_root(run, &level);
        return;
    }
    if (again) {
        sp_run_note(run, met->name, "has been looked into before: its own target ends the search");
        sp_fall_back(run, &level);
        return;
    }
    switch (find_next(run, &level, &labels, &child)) {
    case SP_FOUND_RECORD:
        sp_answer_record(run, child, &level);
        return;
    case SP_FOUND_LIMIT:
        sp_refuse(run, SP_OUTCOME_LIMITED, 508,
                  "The redirect takes more DNS lookups than one request may cause.");
        return;
    case SP_FOUND_ABSENT:
    case SP_FOUND_FAULT:
        sp_fall_back(run, &level);
        return;
    case SP_FOUND_STOP:
        return;
    }
}
