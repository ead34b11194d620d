/* SPDX-License-Identifier: Apache-2.0 */

/* The path as segments and as the subject of regular expressions (records.md PATH-2 to PATH-5). */

#include <signpost/base/buf.h>

#include <string.h>

#include "decide/run.h"

sp_str_t sp_label_from(sp_str_t segment, sp_arena_t *arena)
{
    char *label = sp_arena_alloc(arena, segment.len);

    for (size_t i = 0; label != NULL && i != segment.len; ++i) {
        label[i] = segment.ptr[i] == '.' ? '-' : sp_to_lower(segment.ptr[i]);
    }
    return (sp_str_t){.ptr = label, .len = label == NULL ? 0 : segment.len};
}

/* ---- segments ---- */

/* The octet at path.ptr[at], decoded, and how many octets of the path it takes. */
static char octet_at(sp_str_t path, size_t at, size_t *ret_len)
{
    int octet = sp_percent_octet(path, at);

    *ret_len = octet < 0 ? 1 : 3;
    return octet < 0 ? path.ptr[at] : (char)octet;
}

/* The next segment at or behind *at: a run of segment octets right behind a (decoded) slash, as
 * sent. */
static bool next_segment(sp_str_t path, size_t *at, sp_str_t *ret_sent)
{
    while (*at < path.len) {
        size_t len = 0;
        size_t begin = 0;
        char c = octet_at(path, *at, &len);

        *at += len;
        if (c != '/') {
            continue;
        }
        begin = *at;
        while (*at < path.len && sp_octet_is(octet_at(path, *at, &len), SP_OCTET_SEGMENT)) {
            *at += len;
        }
        if (*at != begin) {
            *ret_sent = sp_str_slice(path, begin, *at);
            return true;
        }
    }
    return false;
}

bool sp_path_segments(sp_run_t *run, sp_str_t **ret_sent, sp_str_t **ret_labels, size_t *ret_count)
{
    sp_str_t path = run->request->path;
    size_t count = 0;
    size_t at = 0;
    sp_str_t sent;

    while (next_segment(path, &at, &sent)) {
        ++count;
    }
    *ret_sent = sp_arena_zalloc(run->arena, count, sizeof(sp_str_t));
    *ret_labels = sp_arena_zalloc(run->arena, count, sizeof(sp_str_t));
    if (*ret_sent == NULL || *ret_labels == NULL) {
        sp_run_out_of_memory(run);
        return false;
    }
    at = 0;
    for (size_t i = 0; i != count && next_segment(path, &at, &sent); ++i) {
        sp_str_t decoded = sp_path_decode(sent, run->arena);
        sp_str_t label = sp_label_from(decoded, run->arena);

        if (decoded.ptr == NULL || label.ptr == NULL) {
            sp_run_out_of_memory(run);
            return false;
        }
        (*ret_sent)[i] = sent;
        (*ret_labels)[i] = label;
    }
    *ret_count = count;
    return true;
}

/* ---- regular expressions ---- */

/* In the decision's own arena: matches outlive the run, and point into it. */
static sp_status_t make_subject(sp_run_t *run, const sp_regex_t *regex, sp_subject_t *ret_subject)
{
    sp_arena_t *arena = run->decision->arena;
    sp_str_t path = sp_path_decode(run->request->path, arena);
    sp_buf_t with_query;

    if (path.ptr == NULL) {
        return SP_NO_MEMORY;
    }
    if (!sp_regex_wants_query(regex) || !run->request->has_query) {
        return sp_subject_init(path, arena, ret_subject);
    }
    sp_buf_init(&with_query, arena, SIZE_MAX / 2);
    sp_buf_append(&with_query, path);
    sp_buf_append_char(&with_query, '?');
    sp_buf_append(&with_query, run->request->query);
    return with_query.status == SP_OK ? sp_subject_init(sp_buf_str(&with_query), arena, ret_subject)
                                      : with_query.status;
}

/* Takes the cost of one more search from the request's budget. */
static bool can_afford(sp_run_t *run, const sp_regex_t *regex, sp_str_t subject)
{
    uint64_t cost = sp_regex_cost(regex, subject.len);

    if (cost > run->decision->regex_budget) {
        run->decision->regex_budget = 0;
        sp_run_note(run, run->request->host,
                    "regular expressions have used up what one request may spend on them");
        return false;
    }
    run->decision->regex_budget -= cost;
    return true;
}

static bool collect(sp_run_t *run, sp_match_t *match, const sp_subject_t *subject, size_t most)
{
    sp_arena_t *arena = run->decision->arena;
    size_t slots = sp_regex_group_count(match->regex) + 1;
    sp_str_t groups[SP_REGEX_GROUPS_MAX];
    sp_str_t each[SP_REGEX_MATCHES_MAX];
    sp_regex_cursor_t cursor = {.at = 0};

    while (match->each_count != most && can_afford(run, match->regex, subject->text) &&
           sp_regex_next(match->regex, subject->text, &cursor, groups, slots)) {
        for (size_t i = 0; i != slots; ++i) {
            groups[i] = sp_subject_part(subject, groups[i]);
        }
        if (match->groups == NULL) {
            match->groups = sp_arena_alloc(arena, slots * sizeof(*groups));
            if (match->groups == NULL) {
                return false;
            }
            memcpy(match->groups, groups, slots * sizeof(*groups));
        }
        each[match->each_count++] = groups[slots > 1 ? 1 : 0];
    }
    match->each = sp_arena_alloc(arena, match->each_count * sizeof(*each));
    if (match->each == NULL) {
        return false;
    }
    memcpy(match->each, each, match->each_count * sizeof(*each));
    return true;
}

static const sp_match_t *find_match(const sp_decision_t *decision, const sp_regex_t *regex,
                                    size_t most)
{
    const sp_match_t *match = decision->matches;

    while (match != NULL && (match->regex != regex || match->most < most)) {
        match = match->next;
    }
    return match;
}

const sp_match_t *sp_match_path(sp_run_t *run, const sp_regex_t *regex, size_t most)
{
    sp_decision_t *decision = run->decision;
    const sp_match_t *known = find_match(decision, regex, most);
    sp_match_t *match = NULL;
    sp_subject_t subject;

    if (known != NULL) {
        return known;
    }
    match = sp_arena_zalloc(decision->arena, 1, sizeof(*match));
    if (match == NULL || make_subject(run, regex, &subject) != SP_OK) {
        sp_run_out_of_memory(run);
        return NULL;
    }
    match->regex = regex;
    match->most = most;
    if (!collect(run, match, &subject, most)) {
        sp_run_out_of_memory(run);
        return NULL;
    }
    match->next = decision->matches;
    decision->matches = match;
    return match;
}
