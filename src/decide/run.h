/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_RUN_H
#define SIGNPOST_DECIDE_RUN_H

/* How a decision works inside.
 *
 * The rules of records.md are written straight down, as functions that ask for a name and go on
 * with what it says. When an answer is neither at hand nor there yet, the run unwinds
 * (SP_FOUND_STOP all the way up) and the decision waits. Once it has been told, it runs again from
 * the top; the journal gives the answers it had already, in the order in which they were asked, so
 * that a repeated run costs next to nothing and comes to the same point. What a run allocates is
 * dropped at the start of the next one; the journal and the matches of regular expressions are
 * kept. */

#include <signpost/decide/decision.h>
#include <signpost/decide/lookup_names.h>
#include <signpost/rule/subject.h>

#include "decide/target.h"

/* Numbered records that are looked at (PATH-8). */
#define SP_NUMBERED_MAX 64

/* Records that `use` leads to in one request. Lists of `use` that point at each other would be
 * tried in every order otherwise, without a single further lookup. */
#define SP_USE_STEPS_MAX 100

/* Steps that the regular expressions of one request may take together: a fraction of a second at
 * the very worst. */
#define SP_REGEX_BUDGET 20000000

/* One question and what came of it. */
typedef struct sp_journal_entry {
    sp_str_t name;
    const sp_answer_t *answer;
    bool repeated; /* the name had been asked before */
} sp_journal_entry_t;

/* The matches of one expression, found once a request. */
typedef struct sp_match {
    const sp_regex_t *regex;
    sp_str_t *groups; /* of the first match, group_count + 1 of them; NULL: no match */
    sp_str_t *each;   /* per match its first group, or the whole where there is none */
    size_t each_count;
    size_t most; /* so many were looked for */
    struct sp_match *next;
} sp_match_t;

struct sp_decision {
    const sp_request_t *request;
    const sp_policy_t *policy;
    sp_arena_t *arena;  /* the caller's: for what outlives a run */
    sp_arena_t scratch; /* for one run */
    sp_journal_entry_t *journal;
    size_t journal_count;
    size_t journal_capacity;
    sp_at_hand_fn *at_hand; /* NULL: none are */
    void *at_hand_arg;
    sp_match_t *matches;
    uint64_t regex_budget;
    unsigned lookups;
    bool wanted_counts; /* the wanted name counts against the limit */
    bool done;
    char wanted[SP_NAME_MAX];
    size_t wanted_len;
    sp_outcome_t outcome;
    sp_trace_t trace;
};

/* A record that was met, with what matters about how. */
typedef struct sp_met {
    const sp_record_t *record;
    sp_str_t name; /* the DNS name it was found at */
    sp_str_t zone; /* of its children and numbered records */
    const struct sp_met
        *outer; /* the record whose `use`, or whose path, led here; NULL for the first */
} sp_met_t;

/* A path record that was looked into. */
typedef struct sp_level {
    const sp_met_t *met;
    const struct sp_level *parent;
    const sp_regex_t
        *regex;    /* in force for children that have none of their own; NULL: default segments */
    bool numbered; /* `re=record` is in force */
    sp_values_t values;
} sp_level_t;

typedef enum sp_found {
    SP_FOUND_RECORD,
    SP_FOUND_ABSENT,
    SP_FOUND_FAULT, /* a record of ours that is unusable */
    SP_FOUND_LIMIT, /* another name would exceed `limits.lookups_per_request` */
    SP_FOUND_STOP   /* unwind: an answer is missing, or the outcome is settled */
} sp_found_t;

/* One run. */
typedef struct sp_run {
    sp_decision_t *decision;
    const sp_request_t *request;
    const sp_policy_t *policy;
    sp_arena_t *arena; /* the scratch arena */
    size_t cursor;     /* next journal entry */
    bool settled;      /* the outcome is there */
    sp_trace_entry_t *trace;
    size_t trace_count;
    size_t trace_capacity;
    const sp_met_t *met;    /* innermost record met so far: for headers */
    bool record_was_faulty; /* tells "record_error" from "not_found" */
    sp_str_t fault_name;
} sp_run_t;

/* ---- decision.c ---- */

/* Asks for a name. SP_FOUND_RECORD: *ret_answer has a record. `counts`: against the limit (the
 * numbered records of one zone count once). */
sp_found_t sp_run_ask(sp_run_t *run, sp_str_t name, bool counts, const sp_answer_t **ret_answer);

/* Says in the trace that `name` is not asked, and why (a literal). */
void sp_run_skip(sp_run_t *run, sp_str_t name, const char *why);

/* Adds a sentence to the trace. `name` may be empty. */
void sp_run_note(sp_run_t *run, sp_str_t name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Remembers that a record could not be used, and says why in the trace. */
void sp_run_fault(sp_run_t *run, sp_str_t name, const char *why);

/* ---- search.c ---- */

/* The record that decides for the request's host. */
sp_found_t sp_find_host_record(sp_run_t *run, const sp_met_t **ret_met);

/* Replaces a record with `use` by the one it names, through any nesting. */
sp_found_t sp_follow_use(sp_run_t *run, const sp_met_t *met, const sp_met_t **ret_met);

/* The child for these labels below `level`. */
sp_found_t sp_find_child(sp_run_t *run, const sp_level_t *level, const sp_str_t *labels,
                         size_t count, const sp_met_t **ret_met);

/* A record met at `name`; NULL when memory is out (the run is settled then). */
const sp_met_t *sp_meet(sp_run_t *run, const sp_record_t *record, sp_str_t name, sp_str_t zone,
                        const sp_met_t *outer);

bool sp_type_is_enabled(const sp_run_t *run, const sp_record_t *record);

/* ---- match_path.c ---- */

/* The first `most` matches (up to SP_REGEX_MATCHES_MAX) of `regex` in this request's path. NULL
 * when memory is out (the run is settled then). */
const sp_match_t *sp_match_path(sp_run_t *run, const sp_regex_t *regex, size_t most);

/* The segments of the path (PATH-2): as sent, and as labels. False when memory is out. */
bool sp_path_segments(sp_run_t *run, sp_str_t **ret_sent, sp_str_t **ret_labels, size_t *ret_count);

/* A label from a segment or a group: '.' becomes '-', lower case (PATH-3). ptr NULL when memory is
 * out. */
sp_str_t sp_label_from(sp_str_t segment, sp_arena_t *arena);

/* ---- path.c ---- */

/* A path of slashes only, as sent. */
bool sp_path_is_root(sp_str_t path);

void sp_answer_path(sp_run_t *run, const sp_met_t *met, const sp_level_t *parent);

/* ---- numbered.c ---- */

/* The numbered record that fits (PATH-8), with its values set in level->values. SP_FOUND_ABSENT
 * when none does. */
sp_found_t sp_find_numbered(sp_run_t *run, sp_level_t *level, const sp_met_t **ret_met);

/* ---- gometa.c, dockerv2.c, qr.c ---- */
void sp_answer_gometa(sp_run_t *run, const sp_met_t *met, const sp_level_t *level);
void sp_answer_dockerv2(sp_run_t *run, const sp_met_t *met, const sp_level_t *level);

/* Is `to` one that a dockerv2 record may have? Written to the trace when not. */
bool sp_registry_is_usable(sp_run_t *run, const sp_met_t *met, const sp_level_t *level);

/* True when the request asks for a QR code and the run is settled with it. */
bool sp_answer_qr(sp_run_t *run);

/* ---- respond.c ---- */

/* What a record answers, whatever its type. `level`: the path record above it, or NULL. */
void sp_answer_record(sp_run_t *run, const sp_met_t *met, const sp_level_t *level);

/* Redirects to a target of `met`'s record; false when the target is faulty (the trace says why). */
bool sp_redirect(sp_run_t *run, const sp_met_t *met, const sp_template_t *target, uint16_t code,
                 const sp_values_t *values);

/* Redirects to a URL that is finished already. `met` is the record whose target it is; NULL for a
 * configured fallback. */
void sp_redirect_to(sp_run_t *run, const sp_met_t *met, sp_str_t location, uint16_t code);

/* 200 with a page of `met`'s record (NULL: of none). `extra` may have name.len 0. */
void sp_page(sp_run_t *run, const sp_met_t *met, sp_str_t content_type, sp_str_t body,
             sp_header_t extra);

/* Records.md, section 7: the path records above, then the configured fallbacks, then 404. */
void sp_fall_back(sp_run_t *run, const sp_level_t *level);

/* The configured fallbacks and 404 alone. */
void sp_fall_back_globally(sp_run_t *run);

/* An answer without record: 400, 404, 503, 508. `sentence` ends in NUL and is copied. */
void sp_refuse(sp_run_t *run, sp_outcome_kind_t kind, uint16_t status, const char *sentence);

void sp_run_out_of_memory(sp_run_t *run);

/* ---- pages.c ---- */

/* The body of a 404 that tells what was asked and found. */
sp_str_t sp_not_found_text(const sp_run_t *run, const char *sentence);
sp_str_t sp_not_found_html(const sp_run_t *run, const char *sentence);

#endif
