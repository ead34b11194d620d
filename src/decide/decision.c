/* SPDX-License-Identifier: Apache-2.0 */

/* The machine: steps, the journal of answers, the trace. What a request gets is decided in the
 * files beside this one; run.h says how they fit together. */

#include <signpost/decide/decision.h>

#include <signpost/base/buf.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decide/run.h"

/* Memory for one run that needs no malloc. */
#define SCRATCH_SIZE 2048

void sp_policy_init(sp_policy_t *policy)
{
    *policy = (sp_policy_t){
        .types = (1U << SP_TYPE_COUNT) - 1,
        .fallback_code = 302,
        .max_lookups = 16,
        .qr = {.enabled = false,
               .size = 256,
               .background = 0xffffffffU,
               .foreground = 0x000000ffU,
               .recovery_level = 1},
    };
}

sp_decision_t *sp_decision_create(const sp_request_t *request, const sp_policy_t *policy,
                                  sp_arena_t *arena)
{
    sp_decision_t *decision = sp_arena_zalloc(arena, 1, sizeof(*decision));
    void *scratch = sp_arena_alloc(arena, SCRATCH_SIZE);

    if (decision == NULL || scratch == NULL) {
        return NULL;
    }
    decision->request = request;
    decision->policy = policy;
    decision->arena = arena;
    decision->regex_budget = SP_REGEX_BUDGET;
    sp_arena_init(&decision->scratch, scratch, SCRATCH_SIZE, 4096);
    return decision;
}

void sp_decision_use(sp_decision_t *decision, sp_at_hand_fn *at_hand, void *arg)
{
    decision->at_hand = at_hand;
    decision->at_hand_arg = arg;
}

void sp_decision_destroy(sp_decision_t *decision)
{
    if (decision == NULL) {
        return;
    }
    for (size_t i = 0; i != decision->journal_count; ++i) {
        if (!decision->journal[i].repeated) {
            sp_answer_release(decision->journal[i].answer);
        }
    }
    decision->journal_count = 0;
    sp_arena_clear(&decision->scratch);
}

/* A full array of `count` elements, copied to where there is room for more; *capacity becomes the
 * new one. NULL when memory is out. */
static void *grow(sp_arena_t *arena, const void *array, size_t count, size_t size, size_t *capacity)
{
    size_t more = count == 0 ? 4 : count * 2;
    size_t bytes = 0;
    void *grown = sp_array_size(more, size, &bytes) ? sp_arena_alloc(arena, bytes) : NULL;

    if (grown == NULL) {
        return NULL;
    }
    if (count != 0) {
        memcpy(grown, array, count * size);
    }
    *capacity = more;
    return grown;
}

/* ---- the trace ---- */

static void add_trace(sp_run_t *run, const sp_trace_entry_t *entry)
{
    if (run->trace_count == run->trace_capacity) {
        sp_trace_entry_t *grown =
            grow(run->arena, run->trace, run->trace_count, sizeof(*grown), &run->trace_capacity);

        if (grown == NULL) {
            return; /* a poorer story is no reason to fail */
        }
        run->trace = grown;
    }
    run->trace[run->trace_count++] = *entry;
}

void sp_run_skip(sp_run_t *run, sp_str_t name, const char *why)
{
    add_trace(
        run, &(sp_trace_entry_t){.kind = SP_TRACE_SKIPPED, .name = name, .text = sp_str_from(why)});
}

void sp_run_note(sp_run_t *run, sp_str_t name, const char *format, ...)
{
    char text[SP_ERROR_MESSAGE_MAX];
    va_list args;
    int len = 0;

    va_start(args, format);
    len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len > 0) {
        size_t used = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;

        add_trace(run, &(sp_trace_entry_t){.kind = SP_TRACE_NOTE,
                                           .name = name,
                                           .text = sp_arena_copy(
                                               run->arena, (sp_str_t){.ptr = text, .len = used})});
    }
}

void sp_run_fault(sp_run_t *run, sp_str_t name, const char *why)
{
    run->record_was_faulty = true;
    run->fault_name = name;
    sp_run_note(run, name, "can't be used: %s", why);
}

/* ---- asking ---- */

static sp_found_t fail(sp_run_t *run, sp_str_t name, sp_failure_t failure)
{
    char sentence[SP_ERROR_MESSAGE_MAX + SP_NAME_MAX];

    (void)snprintf(sentence, sizeof(sentence), "The lookup of %.*s failed: %s.", (int)name.len,
                   name.ptr, sp_failure_name(failure));
    sp_refuse(run, failure == SP_FAILURE_OVERLOAD ? SP_OUTCOME_LIMITED : SP_OUTCOME_DNS_FAILURE,
              503, sentence);
    return SP_FOUND_STOP;
}

/* What the answer for a journal entry means, told to the trace as well. */
static sp_found_t judge(sp_run_t *run, const sp_journal_entry_t *entry,
                        const sp_answer_t **ret_answer)
{
    const sp_answer_t *answer = entry->answer;

    add_trace(run,
              &(sp_trace_entry_t){.kind = entry->repeated ? SP_TRACE_REPEATED : SP_TRACE_LOOKUP,
                                  .name = entry->name,
                                  .answer = answer});
    if (answer->kind == SP_ANSWER_FAILURE) {
        return fail(run, entry->name, answer->failure);
    }
    switch (answer->finding) {
    case SP_FINDING_NOTHING:
        return SP_FOUND_ABSENT;
    case SP_FINDING_FAULT:
        run->record_was_faulty = true;
        run->fault_name = entry->name;
        return SP_FOUND_FAULT;
    case SP_FINDING_RECORD:
        *ret_answer = answer;
        return SP_FOUND_RECORD;
    }
    return SP_FOUND_ABSENT;
}

static sp_journal_entry_t *add_journal_entry(sp_decision_t *decision, sp_str_t name)
{
    sp_journal_entry_t *entry = NULL;

    if (decision->journal_count == decision->journal_capacity) {
        sp_journal_entry_t *grown =
            grow(decision->arena, decision->journal, decision->journal_count, sizeof(*grown),
                 &decision->journal_capacity);

        if (grown == NULL) {
            return NULL;
        }
        decision->journal = grown;
    }
    name = sp_arena_copy(decision->arena, name);
    if (name.ptr == NULL) {
        return NULL;
    }
    entry = &decision->journal[decision->journal_count++];
    *entry = (sp_journal_entry_t){.name = name};
    return entry;
}

static const sp_journal_entry_t *find_in_journal(const sp_decision_t *decision, sp_str_t name)
{
    for (size_t i = 0; i != decision->journal_count; ++i) {
        if (sp_str_eq(decision->journal[i].name, name)) {
            return &decision->journal[i];
        }
    }
    return NULL;
}

/* Puts the answer for the wanted name, a reference, into the journal. */
static bool keep_answer_own(sp_decision_t *decision, const sp_answer_t *answer)
{
    sp_journal_entry_t *entry = add_journal_entry(decision, sp_decision_name(decision));

    if (entry == NULL) {
        sp_answer_release(answer);
        return false;
    }
    entry->answer = answer;
    decision->lookups += decision->wanted_counts;
    return true;
}

/* Goes on with an answer that is at hand, or stops until there is one. */
static sp_found_t ask_outside(sp_run_t *run, const sp_answer_t **ret_answer)
{
    sp_decision_t *decision = run->decision;
    const sp_answer_t *answer =
        decision->at_hand == NULL
            ? NULL
            : decision->at_hand(decision->at_hand_arg, sp_decision_name(decision));

    if (answer == NULL) {
        return SP_FOUND_STOP;
    }
    if (!keep_answer_own(decision, answer)) {
        sp_run_out_of_memory(run);
        return SP_FOUND_STOP;
    }
    return judge(run, &decision->journal[run->cursor++], ret_answer);
}

static sp_found_t ask_anew(sp_run_t *run, sp_str_t name, bool counts,
                           const sp_answer_t **ret_answer)
{
    sp_decision_t *decision = run->decision;
    const sp_journal_entry_t *known = find_in_journal(decision, name);

    if (known != NULL) {
        const sp_answer_t *answer = known->answer;
        sp_journal_entry_t *entry = add_journal_entry(decision, name);

        if (entry == NULL) {
            sp_run_out_of_memory(run);
            return SP_FOUND_STOP;
        }
        entry->answer = answer;
        entry->repeated = true;
        run->cursor = decision->journal_count;
        return judge(run, entry, ret_answer);
    }
    if (counts && decision->lookups >= run->policy->max_lookups) {
        sp_run_note(run, name, "not asked: this request has used its %u lookups",
                    run->policy->max_lookups);
        return SP_FOUND_LIMIT;
    }
    memcpy(decision->wanted, name.ptr, name.len);
    decision->wanted_len = name.len;
    decision->wanted_counts = counts;
    return ask_outside(run, ret_answer);
}

sp_found_t sp_run_ask(sp_run_t *run, sp_str_t name, bool counts, const sp_answer_t **ret_answer)
{
    if (name.ptr == NULL) {
        sp_run_out_of_memory(run);
        return SP_FOUND_STOP;
    }
    if (name.len > SP_NAME_MAX) {
        sp_run_skip(run, name, "longer than a DNS name can be");
        return SP_FOUND_ABSENT;
    }
    if (run->cursor < run->decision->journal_count) {
        return judge(run, &run->decision->journal[run->cursor++], ret_answer);
    }
    return ask_anew(run, name, counts, ret_answer);
}

/* ---- the whole of a run ---- */

static void answer_host(sp_run_t *run)
{
    const sp_met_t *met = NULL;
    sp_found_t found = sp_find_host_record(run, &met);

    if (found == SP_FOUND_RECORD) {
        found = sp_follow_use(run, met, &met);
    }
    switch (found) {
    case SP_FOUND_RECORD:
        sp_answer_record(run, met, NULL);
        return;
    case SP_FOUND_ABSENT:
    case SP_FOUND_FAULT:
        sp_fall_back_globally(run);
        return;
    case SP_FOUND_LIMIT:
        sp_refuse(run, SP_OUTCOME_LIMITED, 508,
                  "The redirect takes more DNS lookups than one request may cause.");
        return;
    case SP_FOUND_STOP:
        return;
    }
}

static void decide(sp_run_t *run)
{
    const sp_request_t *request = run->request;

    if (sp_str_eq(request->path, SP_STR("/favicon.ico")) ||
        sp_str_starts_with(request->path, SP_STR("/.well-known/acme-challenge/"))) {
        sp_refuse(run, SP_OUTCOME_NOT_FOUND, 404, "This path is never redirected.");
        return;
    }
    if (sp_answer_qr(run)) {
        return;
    }
    if (request->is_address) {
        sp_run_note(run, request->host, "is an address: nothing is looked up");
        sp_fall_back_globally(run);
        return;
    }
    answer_host(run);
}

sp_step_t sp_decision_step(sp_decision_t *decision)
{
    sp_run_t run = {.decision = decision,
                    .request = decision->request,
                    .policy = decision->policy,
                    .arena = &decision->scratch};

    if (decision->done) {
        return SP_STEP_DONE;
    }
    sp_arena_clear(&decision->scratch);
    decide(&run);
    decision->trace =
        (sp_trace_t){.entries = run.trace, .count = run.trace_count, .lookups = decision->lookups};
    decision->done = run.settled;
    return run.settled ? SP_STEP_DONE : SP_STEP_LOOKUP;
}

sp_str_t sp_decision_name(const sp_decision_t *decision)
{
    return (sp_str_t){.ptr = decision->wanted, .len = decision->wanted_len};
}

void sp_decision_answer(sp_decision_t *decision, const sp_answer_t *answer)
{
    if (answer == NULL || !keep_answer_own(decision, sp_answer_retain(answer))) {
        sp_run_t run = {.decision = decision,
                        .request = decision->request,
                        .policy = decision->policy,
                        .arena = &decision->scratch};

        sp_run_out_of_memory(&run);
        decision->done = true;
    }
}

const sp_outcome_t *sp_decision_outcome(const sp_decision_t *decision)
{
    return &decision->outcome;
}

const sp_trace_t *sp_decision_trace(const sp_decision_t *decision)
{
    return &decision->trace;
}
