/* SPDX-License-Identifier: Apache-2.0 */

/* Workers are told to drain, while another thread reloads them and clients keep them busy: what has
 * been sent is answered, then clients are refused, and every worker ends by itself. */

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "serving.h"

#define ROUNDS 5
#define RELOADS 200
#define LIMIT_MS 20000

static void *reload(void *arg)
{
    serving_t *serving = arg;

    for (unsigned i = 0; i != RELOADS; ++i) {
        for (size_t worker = 0; worker != SERVING_WORKERS; ++worker) {
            sp_worker_reload(serving->workers[worker], serving->snapshots[i % 2]);
        }
    }
    return NULL;
}

static bool wait_for_workers(const serving_t *serving)
{
    struct pollfd fd = {.fd = serving->done_fd, .events = POLLIN};
    size_t done = 0;

    while (done != SERVING_WORKERS) {
        uint64_t count = 0;

        if (poll(&fd, 1, LIMIT_MS) != 1 ||
            read(serving->done_fd, &count, sizeof(count)) != (ssize_t)sizeof(count)) {
            (void)fputs("a worker does not end\n", stderr);
            return false;
        }
        done += (size_t)count;
    }
    for (size_t i = 0; i != SERVING_WORKERS; ++i) {
        if (!sp_worker_is_done(serving->workers[i])) {
            return false;
        }
    }
    return true;
}

static bool play(void)
{
    serving_t serving;
    serving_counts_t counts;
    pthread_t reloader;
    bool have_ended = false;

    serving_start(&serving);
    serving_begin_clients(&serving, 0);
    if (pthread_create(&reloader, NULL, reload, &serving) != 0) {
        return false;
    }
    for (size_t i = 0; i != SERVING_WORKERS; ++i) {
        sp_worker_drain(serving.workers[i]);
    }
    have_ended = wait_for_workers(&serving);
    counts = serving_join_clients();
    have_ended &= pthread_join(reloader, NULL) == 0;
    serving_end(&serving);
    (void)printf("%u answered, %u lost, %u refused\n", counts.answered, counts.lost,
                 counts.refused);
    return have_ended && counts.lost == 0 && counts.refused == SERVING_CLIENTS;
}

int main(void)
{
    for (unsigned round = 0; round != ROUNDS; ++round) {
        if (!play()) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
