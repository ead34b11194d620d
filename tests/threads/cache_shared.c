/* SPDX-License-Identifier: Apache-2.0 */

/* Threads find, store and remove the same names in one cache that is too small for all of them, so
 * that entries are replaced and evicted under each other's feet. What is found for a name must be
 * an answer made for that name. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "dns/cache.h"

#define THREADS 4
#define ROUNDS 20000
#define NAMES 200
#define CACHE_OCTETS ((size_t)64 * 1024) /* well under NAMES answers */
#define TEXT_OCTETS 600                  /* makes an answer large enough for that */

typedef struct worker {
    pthread_t thread;
    sp_cache_t *cache;
    uint64_t random; /* state of a small generator: each thread has its own order of names */
    size_t hits;
    size_t faults;
} worker_t;

static unsigned pick(worker_t *worker, unsigned below)
{
    worker->random = worker->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(worker->random >> 33U) % below;
}

/* The name, and blanks behind it. */
static const sp_answer_t *make_answer(sp_str_t name)
{
    char text[TEXT_OCTETS];
    int len = snprintf(text, sizeof(text), "%-*.*s", TEXT_OCTETS - 1, (int)name.len, name.ptr);
    sp_str_t slice = {.ptr = text, .len = (size_t)len};
    sp_answer_parts_t parts = {
        .kind = SP_ANSWER_TXT, .ttl_s = 60, .texts = &slice, .text_count = 1};
    const sp_answer_t *answer = NULL;

    if (sp_answer_create(&parts, &answer) != SP_OK) {
        (void)fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return answer;
}

static void check(worker_t *worker, sp_str_t name, const sp_answer_t *answer)
{
    ++worker->hits;
    if (answer->text_count != 1 || !sp_str_eq(sp_str_trim(answer->texts[0]), name)) {
        ++worker->faults;
    }
}

static void step(worker_t *worker, uint64_t now_ms)
{
    char buffer[64];
    int len = snprintf(buffer, sizeof(buffer), "_redirect.host%u.example", pick(worker, NAMES));
    sp_str_t name = {.ptr = buffer, .len = (size_t)len};
    uint32_t ttl_s = 0;
    const sp_answer_t *answer = sp_cache_find(worker->cache, name, now_ms, &ttl_s);

    if (answer != NULL) {
        check(worker, name, answer);
    } else {
        answer = make_answer(name);
        sp_cache_store(worker->cache, name, answer, now_ms);
    }
    sp_answer_release(answer);
    if (pick(worker, 50) == 0) {
        (void)sp_cache_remove(worker->cache, name);
    }
}

static void *work(void *arg)
{
    worker_t *worker = arg;

    for (unsigned i = 0; i != ROUNDS; ++i) {
        step(worker, (uint64_t)i * 10); /* 10 ms a step: entries also run out */
    }
    return NULL;
}

/* True when the cache kept to its limit, was of use, and gave nothing wrong. */
static bool judge(sp_cache_t *cache, const worker_t *workers)
{
    sp_cache_counters_t counters;
    size_t hits = 0;
    size_t faults = 0;

    for (size_t i = 0; i != THREADS; ++i) {
        hits += workers[i].hits;
        faults += workers[i].faults;
    }
    sp_cache_count(cache, &counters);
    (void)printf("%zu hits, %zu wrong; %ju entries, %ju octets, %ju evictions\n", hits, faults,
                 (uintmax_t)counters.entries, (uintmax_t)counters.bytes,
                 (uintmax_t)counters.evictions);
    return faults == 0 && hits != 0 && counters.evictions != 0 && counters.bytes <= CACHE_OCTETS;
}

int main(void)
{
    static const sp_cache_options_t options = {.enabled = true,
                                               .max_bytes = CACHE_OCTETS,
                                               .max_ttl_s = 86400,
                                               .negative_ttl_s = 60,
                                               .failure_ttl_s = 5};
    worker_t workers[THREADS] = {0};
    sp_cache_t *cache = NULL;
    bool good = false;

    if (sp_cache_create(&options, &cache) != SP_OK) {
        (void)fputs("no cache\n", stderr);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i != THREADS; ++i) {
        workers[i].cache = cache;
        workers[i].random = i + 1;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            (void)fputs("no thread\n", stderr);
            return EXIT_FAILURE;
        }
    }
    for (size_t i = 0; i != THREADS; ++i) {
        if (pthread_join(workers[i].thread, NULL) != 0) {
            return EXIT_FAILURE;
        }
    }
    good = judge(cache, workers);
    sp_cache_destroy(cache);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
