/* SPDX-License-Identifier: Apache-2.0 */
#include "load/generator.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "load/probe.h"
#include "load/worker.h"

#define NS_PER_SECOND 1e9
#define US_PER_SECOND 1e6
#define PROGRESS_MS 500
#define STOP_MS 50 /* how late *stop is noticed, should its signal not end the wait */
#define NS_PER_MS UINT64_C(1000000)

/* All threads begin at the same time, when each of them is there. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_open;
    uint64_t begin_ns;
} gate_t;

typedef struct crew crew_t;

typedef struct thread {
    crew_t *crew;
    pthread_t id;
    sp_load_worker_t *worker;
} thread_t;

struct crew {
    sp_load_common_t common;
    gate_t gate;
    int ended; /* eventfd: counts threads that have */
    thread_t *threads;
    unsigned made;         /* threads that have a worker */
    unsigned running;      /* of them, those that were started */
    uint64_t ended_before; /* requests, when progress was last told */
};

static uint64_t wait_for_gate(gate_t *gate)
{
    uint64_t begin_ns = 0;

    (void)pthread_mutex_lock(&gate->lock);
    while (!gate->is_open) {
        (void)pthread_cond_wait(&gate->opened, &gate->lock);
    }
    begin_ns = gate->begin_ns;
    (void)pthread_mutex_unlock(&gate->lock);
    return begin_ns;
}

static void open_gate(gate_t *gate)
{
    (void)pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    gate->begin_ns = sp_load_clock_ns();
    (void)pthread_cond_broadcast(&gate->opened);
    (void)pthread_mutex_unlock(&gate->lock);
}

static void *run_thread(void *arg)
{
    thread_t *thread = arg;
    uint64_t one = 1;

    sp_load_worker_run(thread->worker, wait_for_gate(&thread->crew->gate));
    if (thread->worker->status != SP_OK) {
        atomic_store_explicit(&thread->crew->common.halt, true, memory_order_relaxed);
    }
    while (write(thread->crew->ended, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
    return NULL;
}

static sp_status_t make_crew(crew_t *crew, const sp_load_plan_t *plan, sp_error_t *err)
{
    sp_status_t status = sp_load_weights_create(plan, &crew->common.weights);

    if (status == SP_OK && plan->http == SP_LOAD_HTTP1) {
        status = sp_load_requests_init(&crew->common.requests, plan);
    }
    if (status != SP_OK) {
        return status;
    }
    crew->ended = eventfd(0, EFD_CLOEXEC);
    if (crew->ended < 0) {
        return sp_fail(err, SP_IO, 0, "the load generator can't start: %s", strerror(errno));
    }
    crew->threads = calloc(plan->threads, sizeof(*crew->threads));
    if (crew->threads == NULL) {
        return SP_NO_MEMORY;
    }
    for (; status == SP_OK && crew->made != plan->threads; ++crew->made) {
        thread_t *thread = &crew->threads[crew->made];

        thread->crew = crew;
        status = sp_load_worker_create(&crew->common, crew->made, &thread->worker, err);
        if (status != SP_OK) {
            break;
        }
    }
    return status;
}

static void destroy_crew(crew_t *crew)
{
    for (unsigned i = 0; i != crew->made; ++i) {
        sp_load_worker_destroy(crew->threads[i].worker);
    }
    free(crew->threads);
    if (crew->ended >= 0) {
        (void)close(crew->ended);
    }
    sp_load_requests_clear(&crew->common.requests);
    sp_load_weights_destroy(crew->common.weights);
    (void)pthread_cond_destroy(&crew->gate.opened);
    (void)pthread_mutex_destroy(&crew->gate.lock);
}

/* Signals are for the calling thread: it waits where one ends the wait. */
static sp_status_t start_threads(crew_t *crew, sp_error_t *err)
{
    sigset_t all;
    sigset_t before;
    int fault = 0;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; fault == 0 && crew->running != crew->made; ++crew->running) {
        thread_t *thread = &crew->threads[crew->running];

        fault = pthread_create(&thread->id, NULL, run_thread, thread);
        if (fault != 0) {
            break;
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fault != 0) {
        atomic_store_explicit(&crew->common.halt, true, memory_order_relaxed);
        return sp_fail(err, SP_IO, 0, "thread %u can't be started: %s", crew->running + 1,
                       strerror(fault));
    }
    return SP_OK;
}

static sp_load_progress_t progress_of(crew_t *crew)
{
    const sp_load_plan_t *plan = crew->common.plan;
    uint64_t elapsed_ns = sp_load_clock_ns() - crew->gate.begin_ns;
    sp_load_progress_t progress = {.elapsed_s = (double)elapsed_ns / NS_PER_SECOND};

    for (unsigned i = 0; i != crew->made; ++i) {
        sp_load_live_t *live = &crew->threads[i].worker->tally->live;

        progress.due += atomic_load_explicit(&live->due, memory_order_relaxed);
        progress.ended += atomic_load_explicit(&live->ended, memory_order_relaxed);
        progress.errors += atomic_load_explicit(&live->errors, memory_order_relaxed);
        sp_load_tally_recent(crew->threads[i].worker->tally, &progress.recent);
    }
    progress.recent_ended = progress.ended - crew->ended_before;
    progress.draining = (plan->duration_ns != 0 && elapsed_ns > plan->duration_ns) ||
                        (plan->requests != 0 && progress.due >= plan->requests);
    crew->ended_before = progress.ended;
    return progress;
}

/* True when all threads have ended. */
static bool wait_for_end(crew_t *crew, uint64_t *ended)
{
    struct pollfd wanted = {.fd = crew->ended, .events = POLLIN};
    uint64_t more = 0;

    if (poll(&wanted, 1, STOP_MS) == 1 && read(crew->ended, &more, sizeof(more)) == sizeof(more)) {
        *ended += more;
    }
    return *ended == crew->running;
}

static bool watch(crew_t *crew, const volatile sig_atomic_t *stop, sp_load_progress_fn *on_progress,
                  void *arg)
{
    uint64_t told_ns = crew->gate.begin_ns;
    uint64_t ended = 0;
    bool interrupted = false;

    while (!wait_for_end(crew, &ended)) {
        if (*stop != 0 && !interrupted) {
            interrupted = true;
            atomic_store_explicit(&crew->common.halt, true, memory_order_relaxed);
        }
        if (on_progress != NULL && sp_load_clock_ns() - told_ns >= PROGRESS_MS * NS_PER_MS) {
            sp_load_progress_t progress = progress_of(crew);

            told_ns = sp_load_clock_ns();
            on_progress(arg, &progress);
        }
    }
    return interrupted;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / US_PER_SECOND;
}

static void count_cpu(const struct rusage *before, sp_load_outcome_t *outcome)
{
    struct rusage after = {0};

    (void)getrusage(RUSAGE_SELF, &after);
    outcome->user_s = seconds(after.ru_utime) - seconds(before->ru_utime);
    outcome->system_s = seconds(after.ru_stime) - seconds(before->ru_stime);
}

static void merge(crew_t *crew, sp_load_outcome_t *outcome)
{
    sp_load_worker_t *all = crew->threads[0].worker;
    uint64_t first_ns = all->first_due_ns;
    uint64_t last_ns = all->last_due_ns;
    uint64_t end_ns = all->last_end_ns;

    for (unsigned i = 1; i < crew->made; ++i) {
        sp_load_worker_t *worker = crew->threads[i].worker;

        sp_load_tally_merge(all->tally, worker->tally);
        sp_load_histogram_merge(&all->late, &worker->late);
        first_ns = worker->first_due_ns < first_ns ? worker->first_due_ns : first_ns;
        last_ns = worker->last_due_ns > last_ns ? worker->last_due_ns : last_ns;
        end_ns = worker->last_end_ns > end_ns ? worker->last_end_ns : end_ns;
    }
    outcome->sending_s = first_ns < last_ns ? (double)(last_ns - first_ns) / NS_PER_SECOND : 0;
    outcome->elapsed_s = (double)end_ns / NS_PER_SECOND;
    outcome->late_p99_s = (double)sp_load_histogram_quantile(&all->late, 0.99) / NS_PER_SECOND;
    outcome->tally = all->tally;
    all->tally = NULL;
}

static void print_time(char text[32])
{
    time_t now = time(NULL);
    struct tm utc = {0};

    if (gmtime_r(&now, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        text[0] = '\0';
    }
}

static sp_status_t join(crew_t *crew)
{
    sp_status_t status = SP_OK;

    for (unsigned i = 0; i != crew->running; ++i) {
        (void)pthread_join(crew->threads[i].id, NULL);
        if (crew->threads[i].worker->status != SP_OK) {
            status = crew->threads[i].worker->status;
        }
    }
    return status;
}

static sp_status_t check(const sp_load_plan_t *plan, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    if (plan->connections < plan->threads) {
        return sp_fail(err, SP_BAD_VALUE, 0, "%u threads need at least as many connections, not %u",
                       plan->threads, plan->connections);
    }
    status = sp_load_probe_files(plan, err);
    return status == SP_OK ? sp_load_probe_server(plan, err) : status;
}

sp_status_t sp_load_run(const sp_load_plan_t *plan, const volatile sig_atomic_t *stop,
                        sp_load_progress_fn *on_progress, void *arg, sp_load_outcome_t *ret_outcome,
                        sp_error_t *err)
{
    crew_t crew = {.common = {.plan = plan}, .ended = -1};
    sp_load_outcome_t outcome = {.tally = NULL};
    struct rusage before = {0};
    sp_status_t status = check(plan, err);

    if (status != SP_OK) {
        return status;
    }
    atomic_init(&crew.common.halt, false);
    (void)pthread_mutex_init(&crew.gate.lock, NULL);
    (void)pthread_cond_init(&crew.gate.opened, NULL);
    status = make_crew(&crew, plan, err);
    if (status == SP_OK) {
        print_time(outcome.started);
        (void)getrusage(RUSAGE_SELF, &before);
        status = start_threads(&crew, err);
        open_gate(&crew.gate);
        outcome.interrupted = watch(&crew, stop, on_progress, arg);
        count_cpu(&before, &outcome);
        if (status == SP_OK) {
            status = join(&crew);
        } else {
            (void)join(&crew);
        }
    }
    if (status == SP_OK) {
        merge(&crew, &outcome);
        *ret_outcome = outcome;
    }
    destroy_crew(&crew);
    return status;
}
