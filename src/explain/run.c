/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/run.h"

#define LOOP_WAIT_MS 1000 /* the longest that the loop sleeps; answers wake it */

static void keep_result(sp_explanation_t *explanation, const sp_lookup_result_t *result)
{
    sp_explained_lookup_t *lookup = explanation->lookups;

    lookup->source = result->source;
    lookup->ttl_s = result->ttl_s;
    lookup->waited_us = result->waited_us;
    sp_decision_answer(explanation->decision, result->answer);
}

static void go_on(sp_explanation_t *explanation);

static void on_answer(void *arg, const sp_lookup_result_t *result)
{
    sp_explanation_t *explanation = arg;

    explanation->waiting = NULL;
    keep_result(explanation, result);
    go_on(explanation);
    if (explanation->outcome != NULL) {
        explanation->done(explanation->arg);
    }
}

/* NULL when memory is out. */
static sp_explained_lookup_t *add_lookup(sp_explanation_t *explanation)
{
    sp_explained_lookup_t *lookup = sp_arena_zalloc(explanation->arena, 1, sizeof(*lookup));

    if (lookup == NULL) {
        return NULL;
    }
    lookup->name = sp_arena_copy(explanation->arena, sp_decision_name(explanation->decision));
    if (lookup->name.ptr == NULL) {
        return NULL;
    }
    lookup->next = explanation->lookups;
    explanation->lookups = lookup;
    return lookup;
}

/* Asks what the decision needs until it is made or an answer must be waited for. */
static void go_on(sp_explanation_t *explanation)
{
    while (sp_decision_step(explanation->decision) == SP_STEP_LOOKUP) {
        const sp_explained_lookup_t *lookup = add_lookup(explanation);
        sp_lookup_result_t result = {0};

        if (lookup == NULL) {
            sp_decision_answer(explanation->decision, NULL); /* ends in 503 */
            continue;
        }
        if (!sp_lookup_start(explanation->service, lookup->name, explanation->deadline_ms,
                             on_answer, explanation, &result, &explanation->waiting)) {
            return;
        }
        keep_result(explanation, &result);
        sp_answer_release(result.answer);
    }
    explanation->outcome = sp_decision_outcome(explanation->decision);
    explanation->trace = sp_decision_trace(explanation->decision);
}

sp_status_t sp_explain_start(const sp_raw_request_t *raw, const sp_explain_with_t *with,
                             sp_arena_t *arena, sp_explained_fn *done, void *arg,
                             sp_explanation_t *explanation)
{
    sp_error_t why = {.status = SP_OK};
    sp_status_t status = SP_OK;

    *explanation = (sp_explanation_t){.raw = raw,
                                      .arena = arena,
                                      .service = with->lookups,
                                      .deadline_ms = sp_now_ms() + with->timeout_ms,
                                      .done = done,
                                      .arg = arg};
    status = sp_request_read(raw, arena, &explanation->request, &why);
    if (status == SP_NO_MEMORY) {
        return status;
    }
    explanation->readable = status == SP_OK;
    if (!explanation->readable) {
        explanation->outcome = sp_outcome_bad_request(&why, arena);
        return SP_OK;
    }
    explanation->decision = sp_decision_create(&explanation->request, with->policy, arena);
    if (explanation->decision == NULL) {
        return SP_NO_MEMORY;
    }
    go_on(explanation);
    return SP_OK;
}

void sp_explanation_clear(sp_explanation_t *explanation)
{
    if (explanation->waiting != NULL) {
        sp_lookup_cancel(explanation->waiting);
    }
    sp_decision_destroy(explanation->decision);
    explanation->waiting = NULL;
    explanation->decision = NULL;
}

static void on_done(void *arg)
{
    (void)arg; /* whoever turns the loop sees the outcome */
}

sp_status_t sp_explain_run(const sp_raw_request_t *raw, const sp_explain_alone_t *alone,
                           sp_arena_t *arena, sp_explanation_t *explanation, sp_error_t *err)
{
    h2o_loop_t *loop = h2o_evloop_create();
    sp_explain_with_t own = {.policy = alone->policy, .timeout_ms = alone->timeout_ms};
    sp_status_t status = SP_NO_MEMORY;

    if (loop == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = sp_lookups_create(loop, alone->dns, alone->zones, NULL, &own.lookups, err);
    if (status == SP_OK) {
        status = sp_explain_start(raw, &own, arena, on_done, NULL, explanation);
    }
    while (status == SP_OK && explanation->outcome == NULL) {
        (void)h2o_evloop_run(loop, LOOP_WAIT_MS);
    }
    if (status == SP_NO_MEMORY) {
        (void)sp_fail(err, status, 0, "out of memory");
    }
    sp_lookups_destroy(own.lookups);
    /* What the service had on the loop is closed from the loop itself. */
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    return status;
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
