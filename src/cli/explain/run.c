/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain/run.h"

#define LOOP_WAIT_MS 1000 /* the longest that the loop sleeps; answers wake it */

/* One question on its way. */
typedef struct waiting {
    bool done;
    const sp_answer_t *answer; /* a reference of ours */
    sp_explained_lookup_t *lookup;
} waiting_t;

static void keep_result(waiting_t *waiting, const sp_lookup_result_t *result)
{
    waiting->done = true;
    waiting->answer = result->answer;
    waiting->lookup->source = result->source;
    waiting->lookup->ttl_s = result->ttl_s;
    waiting->lookup->waited_us = result->waited_us;
}

static void on_answer(void *arg, const sp_lookup_result_t *result)
{
    keep_result(arg, result);
    (void)sp_answer_retain(result->answer);
}

static const sp_answer_t *ask(h2o_loop_t *loop, sp_lookups_t *lookups, uint64_t deadline_ms,
                              sp_explained_lookup_t *lookup)
{
    waiting_t waiting = {.done = false, .answer = NULL, .lookup = lookup};
    sp_lookup_result_t result;
    sp_lookup_t *handle = NULL;

    if (sp_lookup_start(lookups, lookup->name, deadline_ms, on_answer, &waiting, &result,
                        &handle)) {
        keep_result(&waiting, &result);
    }
    while (!waiting.done) {
        (void)h2o_evloop_run(loop, LOOP_WAIT_MS);
    }
    return waiting.answer;
}

/* Asks what the decision needs until it is made. */
static sp_status_t turn(sp_explanation_t *explanation, h2o_loop_t *loop, sp_lookups_t *lookups,
                        uint64_t deadline_ms, sp_arena_t *arena)
{
    while (sp_decision_step(explanation->decision) == SP_STEP_LOOKUP) {
        sp_explained_lookup_t *lookup = sp_arena_zalloc(arena, 1, sizeof(*lookup));
        const sp_answer_t *answer = NULL;

        if (lookup == NULL) {
            return SP_NO_MEMORY;
        }
        lookup->name = sp_arena_copy(arena, sp_decision_name(explanation->decision));
        lookup->next = explanation->lookups;
        explanation->lookups = lookup;
        if (lookup->name.ptr == NULL) {
            return SP_NO_MEMORY;
        }
        answer = ask(loop, lookups, deadline_ms, lookup);
        sp_decision_answer(explanation->decision, answer);
        sp_answer_release(answer);
    }
    explanation->outcome = sp_decision_outcome(explanation->decision);
    explanation->trace = sp_decision_trace(explanation->decision);
    return SP_OK;
}

static sp_status_t decide(sp_explanation_t *explanation, const sp_explain_with_t *with,
                          sp_arena_t *arena, sp_error_t *err)
{
    h2o_loop_t *loop = h2o_evloop_create();
    sp_lookups_t *lookups = NULL;
    sp_status_t status = SP_NO_MEMORY;

    if (loop == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = sp_lookups_create(loop, with->dns, with->zones, NULL, &lookups, err);
    if (status == SP_OK) {
        status = turn(explanation, loop, lookups, sp_now_ms() + with->timeout_ms, arena);
    }
    sp_lookups_destroy(lookups);
    /* What the service had on the loop is closed from the loop itself. */
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    return status;
}

sp_status_t sp_explain_run(const sp_raw_request_t *raw, const sp_explain_with_t *with,
                           sp_arena_t *arena, sp_explanation_t *ret_explanation, sp_error_t *err)
{
    sp_explanation_t explanation = {.raw = raw};
    sp_error_t why = {.status = SP_OK};
    sp_status_t status = sp_request_read(raw, arena, &explanation.request, &why);

    if (status == SP_NO_MEMORY) {
        return sp_fail(err, status, 0, "out of memory");
    }
    explanation.readable = status == SP_OK;
    if (!explanation.readable) {
        explanation.outcome = sp_outcome_bad_request(&why, arena);
        *ret_explanation = explanation;
        return SP_OK;
    }
    explanation.decision = sp_decision_create(&explanation.request, with->policy, arena);
    if (explanation.decision == NULL) {
        status = sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    } else {
        status = decide(&explanation, with, arena, err);
    }
    if (status != SP_OK) {
        sp_explanation_clear(&explanation);
        return status;
    }
    *ret_explanation = explanation;
    return SP_OK;
}

void sp_explanation_clear(sp_explanation_t *explanation)
{
    sp_decision_destroy(explanation->decision);
    explanation->decision = NULL;
}

const sp_explained_lookup_t *sp_explanation_lookup(const sp_explanation_t *explanation,
                                                   sp_str_t name)
{
    const sp_explained_lookup_t *lookup = explanation->lookups;

    while (lookup != NULL && !sp_str_eq(lookup->name, name)) {
        lookup = lookup->next;
    }
    return lookup;
}

const char *sp_source_name(sp_source_t source)
{
    switch (source) {
    case SP_SOURCE_ZONE:
        return "zone";
    case SP_SOURCE_HIT:
        return "cache";
    case SP_SOURCE_STALE:
        return "stale";
    case SP_SOURCE_COALESCED:
    case SP_SOURCE_MISS:
        return "resolver";
    }
    return "resolver";
}
