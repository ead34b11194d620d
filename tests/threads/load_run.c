/* SPDX-License-Identifier: Apache-2.0 */

/* The load generator with several threads against real workers: while it runs, its progress is
 * read; in the end what the threads counted is put together, also when it is interrupted. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/generator.h"
#include "serving.h"

#define REQUESTS 3000
#define NS_PER_SECOND UINT64_C(1000000000)

typedef struct watcher {
    volatile sig_atomic_t stop;
    bool interrupts;
    unsigned calls;
    uint64_t ended;
} watcher_t;

static void expect(bool is_good, const char *what)
{
    if (!is_good) {
        (void)fprintf(stderr, "%s\n", what);
        exit(EXIT_FAILURE);
    }
}

static void on_progress(void *arg, const sp_load_progress_t *progress)
{
    watcher_t *watcher = arg;

    expect(progress->ended >= watcher->ended && progress->ended <= progress->due,
           "progress goes backward");
    watcher->ended = progress->ended;
    ++watcher->calls;
    if (watcher->interrupts) {
        watcher->stop = 1;
    }
}

static sp_load_outcome_t run(const sp_load_plan_t *plan, watcher_t *watcher)
{
    sp_load_outcome_t outcome = {.tally = NULL};
    sp_error_t err = {.message = ""};
    uint64_t ended = 0;

    expect(sp_load_run(plan, &watcher->stop, on_progress, watcher, &outcome, &err) == SP_OK,
           err.message);
    for (size_t i = 0; i != SP_LOAD_KINDS; ++i) {
        ended += outcome.tally->kinds[i];
    }
    expect(ended == outcome.tally->due, "a request was lost");
    return outcome;
}

static void run_to_the_end(sp_load_plan_t plan)
{
    watcher_t watcher = {.stop = 0};
    sp_load_outcome_t outcome = run(&plan, &watcher);

    expect(outcome.tally->kinds[SP_LOAD_OK] == REQUESTS, "not every answer was right");
    expect(outcome.tally->latency.count == REQUESTS, "not every latency was counted");
    expect(!outcome.interrupted, "nobody has interrupted it");
    sp_load_tally_destroy(outcome.tally);
}

static void interrupt(sp_load_plan_t plan)
{
    watcher_t watcher = {.interrupts = true};
    sp_load_outcome_t outcome;

    plan.requests = 0;
    plan.duration_ns = 3600 * NS_PER_SECOND;
    outcome = run(&plan, &watcher);
    expect(outcome.interrupted && watcher.calls == 1, "it was not interrupted at once");
    expect(outcome.tally->due ==
               outcome.tally->kinds[SP_LOAD_OK] + outcome.tally->kinds[SP_LOAD_UNFINISHED],
           "an answer was wrong");
    sp_load_tally_destroy(outcome.tally);
}

int main(void)
{
    sp_load_target_t target = {.host = SP_STR("a.example.com"),
                               .path = SP_STR("/"),
                               .status = 302,
                               .has_location = true,
                               .location = SP_STR("https://to.example.net/")};
    sp_load_targets_t targets = {.list = &target, .count = 1};
    sp_load_plan_t plan = {.keep_alive = true,
                           .loop = SP_LOAD_CLOSED,
                           .rate = 4000,
                           .connections = 12,
                           .streams = 1,
                           .threads = 3,
                           .requests = REQUESTS,
                           .timeout_ns = 60 * NS_PER_SECOND,
                           .targets = &targets};
    serving_t serving;

    serving_start(&serving);
    memcpy(&plan.address, &serving.where, sizeof(serving.where));
    plan.address_len = sizeof(serving.where);
    run_to_the_end(plan);
    interrupt(plan);
    plan.loop = SP_LOAD_OPEN;
    run_to_the_end(plan);
    plan.http = SP_LOAD_HTTP2;
    plan.streams = 4;
    run_to_the_end(plan);
    interrupt(plan);
    serving_end(&serving);
    return EXIT_SUCCESS;
}
