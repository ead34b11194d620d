/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_EXPLAIN_RUN_H
#define SIGNPOST_EXPLAIN_RUN_H

/* One request decided with the daemon's own code, and everything that led there kept for showing.
 */

#include <signpost/base/arena.h>
#include <signpost/decide/decision.h>

#include "dns/lookup.h"

/* How the answer for one name came. */
typedef struct sp_explained_lookup {
    sp_str_t name;
    sp_source_t source;
    uint32_t ttl_s;
    uint64_t waited_us;
    struct sp_explained_lookup *next;
} sp_explained_lookup_t;

typedef void sp_explained_fn(void *arg);

typedef struct sp_explanation {
    const sp_raw_request_t *raw;
    bool readable; /* `request` is what the rules saw; else the request got 400 */
    sp_request_t request;
    const sp_outcome_t *outcome;    /* NULL: DNS has still to be waited for */
    const sp_trace_t *trace;        /* NULL unless `readable` */
    sp_explained_lookup_t *lookups; /* newest first */
    sp_decision_t *decision;        /* owns outcome and trace */
    /* While it waits. */
    sp_arena_t *arena;
    sp_lookups_t *service;
    sp_lookup_t *waiting;
    uint64_t deadline_ms;
    sp_explained_fn *done;
    void *arg;
} sp_explanation_t;

/* What the request is decided with. */
typedef struct sp_explain_with {
    const sp_policy_t *policy;
    sp_lookups_t *lookups;
    unsigned timeout_ms; /* for all lookups together */
} sp_explain_with_t;

/* Begins. Memory comes from `arena`, which must outlive the explanation, as must what `with` names;
 * *explanation stays where it is. When it has an outcome already, `done` is never called;
 * otherwise `done` runs once, later, from the loop of `with->lookups`, unless the explanation is
 * cleared before. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_explain_start(const sp_raw_request_t *raw, const sp_explain_with_t *with,
                             sp_arena_t *arena, sp_explained_fn *done, void *arg,
                             sp_explanation_t *explanation);

/* Also in the middle. Once is enough; all zero is nothing to clear. */
void sp_explanation_clear(sp_explanation_t *explanation);

/* For who has no loop. */
typedef struct sp_explain_alone {
    const sp_policy_t *policy;
    const sp_dns_options_t *dns;
    const sp_zones_t *zones; /* NULL: none */
    unsigned timeout_ms;     /* for all lookups together */
} sp_explain_alone_t;

/* The same with lookups of its own, and no cache. Returns when there is an outcome. SP_OK,
 * SP_NO_MEMORY or SP_IO. */
sp_status_t sp_explain_run(const sp_raw_request_t *raw, const sp_explain_alone_t *alone,
                           sp_arena_t *arena, sp_explanation_t *explanation, sp_error_t *err);

/* NULL when that name was not asked. */
const sp_explained_lookup_t *sp_explanation_lookup(const sp_explanation_t *explanation,
                                                   sp_str_t name);

/* "zone", "cache", … */
const char *sp_source_name(sp_source_t source);

#endif
