/* SPDX-License-Identifier: Apache-2.0 */

/* Threads look up answers that run out, refresh them, fail to, and learn that a resolver is back,
 * all at once. However many look at the same moment, one alone is told to refresh an answer ahead;
 * what is found for a name was made for that name; a failure never hides an answer that is still of
 * use. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "dns/cache.h"

#define THREADS 4
#define ROUNDS 500
#define STEPS 20000
#define NAMES 40
#define TTL_S 10
#define STEP_MS 37

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    bool leads; /* the rounds in which all look together */
    sp_cache_t *cache;
    uint64_t random;
    size_t states[SP_CACHED_BLOCKED + 1]; /* how often each was told */
    size_t wrong;
} worker_t;

static unsigned pick(worker_t *worker, unsigned below)
{
    worker->random = worker->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(worker->random >> 33U) % below;
}

static void store(sp_cache_t *cache, sp_str_t name, bool fine, uint64_t now_ms)
{
    sp_answer_parts_t parts = {.kind = fine ? SP_ANSWER_TXT : SP_ANSWER_FAILURE,
                               .failure = fine ? SP_FAILURE_NONE : SP_FAILURE_TIMEOUT,
                               .ttl_s = TTL_S,
                               .texts = &name,
                               .text_count = fine ? 1 : 0};
    const sp_answer_t *answer = NULL;

    if (sp_answer_create(&parts, &answer) != SP_OK) {
        (void)fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    sp_cache_store(cache, name, answer, now_ms);
    sp_answer_release(answer);
}

/* True when something was found. */
static bool look(worker_t *worker, sp_str_t name, uint64_t now_ms, sp_cached_state_t *ret_state)
{
    sp_cached_t cached;

    if (!sp_cache_look(worker->cache, name, now_ms, &cached)) {
        return false;
    }
    worker->states[cached.state] += 1;
    worker->wrong += cached.answer->kind != SP_ANSWER_TXT || cached.answer->text_count != 1 ||
                             !sp_str_eq(cached.answer->texts[0], name)
                         ? 1
                         : 0;
    sp_answer_release(cached.answer);
    *ret_state = cached.state;
    return true;
}

/* All threads look at one popular answer in the last tenth of its TTL. */
static void look_together(worker_t *worker)
{
    static const sp_str_t name = {"popular", sizeof("popular") - 1};
    sp_cached_state_t state;

    for (uint64_t round = 0; round != ROUNDS; ++round) {
        uint64_t now_ms = (round + 1) * 1000 * TTL_S;

        (void)pthread_barrier_wait(worker->barrier);
        if (worker->leads) {
            store(worker->cache, name, true, now_ms);
            (void)look(worker, name, now_ms, &state);
            (void)look(worker, name, now_ms, &state);
        }
        (void)pthread_barrier_wait(worker->barrier);
        (void)look(worker, name, now_ms + 950 * TTL_S, &state);
    }
}

/* Each name as a lookup would treat it, with a resolver that fails now and then. */
static void step(worker_t *worker, uint64_t now_ms)
{
    char buffer[32];
    int len = snprintf(buffer, sizeof(buffer), "host%u.example", pick(worker, NAMES));
    sp_str_t name = {.ptr = buffer, .len = (size_t)len};
    sp_cached_state_t state = SP_CACHED_STALE;

    if (!look(worker, name, now_ms, &state)) {
        store(worker->cache, name, true, now_ms);
    } else if (state == SP_CACHED_STALE || state == SP_CACHED_REFRESH) {
        store(worker->cache, name, pick(worker, 4) == 0, now_ms);
    }
    if (pick(worker, 500) == 0) {
        sp_cache_resolver_is_back(worker->cache, now_ms);
    }
}

static void *work(void *arg)
{
    worker_t *worker = arg;

    for (uint64_t i = 0; i != STEPS; ++i) {
        step(worker, UINT64_C(100000000) + i * STEP_MS);
    }
    return NULL;
}

static bool judge(const worker_t *workers, uint64_t refreshes)
{
    size_t states[SP_CACHED_BLOCKED + 1] = {0};
    size_t wrong = 0;

    for (size_t i = 0; i != THREADS; ++i) {
        for (size_t k = 0; k != SP_COUNT(states); ++k) {
            states[k] += workers[i].states[k];
        }
        wrong += workers[i].wrong;
    }
    (void)printf("%zu fresh, %zu to refresh, %zu stale, %zu blocked, %zu wrong\n",
                 states[SP_CACHED_FRESH], states[SP_CACHED_REFRESH], states[SP_CACHED_STALE],
                 states[SP_CACHED_BLOCKED], wrong);
    return wrong == 0 && states[SP_CACHED_REFRESH] == refreshes && refreshes >= ROUNDS &&
           states[SP_CACHED_STALE] != 0 && states[SP_CACHED_BLOCKED] != 0;
}

/* After the rounds in which all look together: one refresh in each. */
static bool refreshed_once_a_round(sp_cache_t *cache)
{
    sp_cache_counters_t counters;

    sp_cache_count(cache, &counters);
    return counters.refreshes == ROUNDS;
}

static bool run(sp_cache_t *cache, worker_t *workers, void *(*body)(void *))
{
    for (size_t i = 0; i != THREADS; ++i) {
        workers[i].cache = cache;
        workers[i].random = i + 1;
        if (pthread_create(&workers[i].thread, NULL, body, &workers[i]) != 0) {
            (void)fputs("no thread\n", stderr);
            return false;
        }
    }
    for (size_t i = 0; i != THREADS; ++i) {
        if (pthread_join(workers[i].thread, NULL) != 0) {
            return false;
        }
    }
    return true;
}

static void *work_together(void *arg)
{
    look_together(arg);
    return NULL;
}

int main(void)
{
    static const sp_cache_options_t options = {.enabled = true,
                                               .max_bytes = (size_t)1 << 20,
                                               .max_ttl_s = 86400,
                                               .failure_ttl_s = 5,
                                               .stale_s = 86400,
                                               .prefetch = true};
    worker_t workers[THREADS] = {0};
    pthread_barrier_t barrier;
    sp_cache_counters_t counters;
    sp_cache_t *cache = NULL;
    bool fine;

    if (sp_cache_create(&options, &cache) != SP_OK ||
        pthread_barrier_init(&barrier, NULL, THREADS) != 0) {
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i != THREADS; ++i) {
        workers[i].barrier = &barrier;
        workers[i].leads = i == 0;
    }
    fine = run(cache, workers, work_together) && refreshed_once_a_round(cache) &&
           run(cache, workers, work);
    sp_cache_count(cache, &counters);
    fine = judge(workers, counters.refreshes) && fine;
    sp_cache_destroy(cache);
    (void)pthread_barrier_destroy(&barrier);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
