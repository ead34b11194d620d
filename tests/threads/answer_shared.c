/* SPDX-License-Identifier: Apache-2.0 */

/* Threads share answers, and the records and expressions compiled in them: they decide the same
 * request over and over, each taking and giving back its references, while the owner lets go of its
 * own. */

#include <pthread.h>
#include <signpost/decide/decision.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 2000

typedef struct entry {
    const char *name;
    const char *text;
} entry_t;

static const entry_t zone[] = {
    {"_redirect.example.com", "v=txtv0;type=path;re=/([a-z]+);to=https://example.net/"},
    {"_redirect.bb.a.example.com", "v=txtv0;to=https://example.org/{1}"},
};

typedef struct shared {
    const sp_answer_t *answers[SP_COUNT(zone)];
    const sp_answer_t *absent;
} shared_t;

typedef struct worker {
    pthread_t thread;
    shared_t held; /* references of its own */
    size_t faults;
} worker_t;

static const sp_answer_t *find(const shared_t *shared, sp_str_t name)
{
    for (size_t i = 0; i != SP_COUNT(zone); ++i) {
        if (sp_str_eq(name, sp_str_from(zone[i].name))) {
            return shared->answers[i];
        }
    }
    return shared->absent;
}

static bool decide(const shared_t *shared)
{
    static const sp_raw_request_t raw = {
        .method = {"GET", 3}, .target = {"http://example.com/a/bb", 23}, .scheme = {"http", 4}};
    sp_arena_t arena;
    sp_policy_t policy;
    sp_request_t request;
    sp_decision_t *decision = NULL;
    bool good = false;

    sp_policy_init(&policy);
    sp_arena_init(&arena, NULL, 0, 4096);
    if (sp_request_read(&raw, &arena, &request, NULL) == SP_OK) {
        decision = sp_decision_create(&request, &policy, &arena);
    }
    while (decision != NULL && sp_decision_step(decision) == SP_STEP_LOOKUP) {
        sp_decision_answer(decision, find(shared, sp_decision_name(decision)));
    }
    if (decision != NULL) {
        const sp_outcome_t *outcome = sp_decision_outcome(decision);

        good = sp_str_eq(outcome->location, SP_STR("https://example.org/a"));
    }
    sp_decision_destroy(decision);
    sp_arena_clear(&arena);
    return good;
}

static void *work(void *arg)
{
    worker_t *worker = arg;

    for (int i = 0; i != ROUNDS; ++i) {
        worker->faults += decide(&worker->held) ? 0 : 1;
    }
    for (size_t i = 0; i != SP_COUNT(zone); ++i) {
        sp_answer_release(worker->held.answers[i]);
    }
    sp_answer_release(worker->held.absent);
    return NULL;
}

static const sp_answer_t *make_answer(const char *text)
{
    sp_str_t slice = sp_str_from(text);
    sp_answer_parts_t parts = {.kind = text == NULL ? SP_ANSWER_NXDOMAIN : SP_ANSWER_TXT,
                               .ttl_s = 60,
                               .texts = &slice,
                               .text_count = text == NULL ? 0 : 1};
    const sp_answer_t *answer = NULL;

    if (sp_answer_create(&parts, &answer) != SP_OK) {
        (void)fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return answer;
}

int main(void)
{
    worker_t workers[THREADS] = {0};
    shared_t shared = {.absent = make_answer(NULL)};
    size_t faults = 0;

    for (size_t i = 0; i != SP_COUNT(zone); ++i) {
        shared.answers[i] = make_answer(zone[i].text);
    }
    for (size_t i = 0; i != THREADS; ++i) {
        for (size_t k = 0; k != SP_COUNT(zone); ++k) {
            workers[i].held.answers[k] = sp_answer_retain(shared.answers[k]);
        }
        workers[i].held.absent = sp_answer_retain(shared.absent);
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            (void)fputs("no thread\n", stderr);
            return EXIT_FAILURE;
        }
    }
    /* While they work: the last reference may be any thread's. */
    for (size_t i = 0; i != SP_COUNT(zone); ++i) {
        sp_answer_release(shared.answers[i]);
    }
    sp_answer_release(shared.absent);
    for (size_t i = 0; i != THREADS; ++i) {
        if (pthread_join(workers[i].thread, NULL) != 0) {
            return EXIT_FAILURE;
        }
        faults += workers[i].faults;
    }
    if (faults != 0) {
        (void)fprintf(stderr, "%zu of %d decisions went wrong\n", faults, THREADS * ROUNDS);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
