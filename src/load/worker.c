/* SPDX-License-Identifier: Apache-2.0 */
#include "load/worker.h"

#include <stdlib.h>
#include <sys/prctl.h>

#include "load/dispatch.h"
#include "load/exchange.h"
#include "load/http2.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_SECOND (1000 * NS_PER_MS)
#define EVENTS_MAX 128
#define IDLE_WAIT_NS                                                                               \
    (20 * NS_PER_MS)              /* how late the end of the run, or of a connection, is noticed */
#define LEAVING_NS NS_PER_SECOND  /* how long a server may take to close */
#define GRACE_NS (50 * NS_PER_MS) /* so that the last requests, too, have all of their time-out */
#define TIMER_SLACK_NS 1000UL

static void init_lists(sp_load_worker_t *worker)
{
    sp_load_list_init(&worker->connections);
    sp_load_list_init(&worker->opening_list);
    sp_load_list_init(&worker->ready);
    sp_load_list_init(&worker->leaving);
    sp_load_list_init(&worker->closed);
    sp_load_list_init(&worker->in_flight);
    sp_load_list_init(&worker->spare);
}

static void init_work(sp_load_worker_t *worker, unsigned number)
{
    const sp_load_plan_t *plan = worker->plan;

    sp_load_choice_init(&worker->choice, plan, worker->common->weights, number);
    sp_load_schedule_init(&worker->schedule, plan, number);
    worker->left =
        plan->requests == 0 ? UINT64_MAX : sp_load_share(plan->requests, plan->threads, number);
    worker->limit = (unsigned)sp_load_share(plan->connections, plan->threads, number);
    worker->streams = plan->http == SP_LOAD_HTTP2 ? plan->streams : 1;
    worker->next_due_ns = UINT64_MAX;
    worker->first_due_ns = UINT64_MAX;
}

static sp_status_t prepare(sp_load_worker_t *worker, sp_error_t *err)
{
    const sp_load_plan_t *plan = worker->plan;
    sp_status_t status = sp_load_waiter_init(&worker->waiter, false, err);

    worker->octets = malloc(SP_LOAD_OCTETS_ROOM);
    worker->plain = malloc(SP_LOAD_PLAIN_ROOM);
    if (status == SP_OK && (worker->octets == NULL || worker->plain == NULL)) {
        status = SP_NO_MEMORY;
    }
    if (status == SP_OK) {
        status = sp_load_tally_create(plan->keep_samples, &worker->tally);
    }
    if (status == SP_OK && plan->tls) {
        status = sp_load_tls_create(plan->http == SP_LOAD_HTTP2, &worker->tls);
    }
    if (status == SP_OK && plan->http == SP_LOAD_HTTP2) {
        status = sp_load_http2_prepare(worker);
    }
    return status;
}

sp_status_t sp_load_worker_create(sp_load_common_t *common, unsigned number,
                                  sp_load_worker_t **ret_worker, sp_error_t *err)
{
    sp_load_worker_t *worker = calloc(1, sizeof(*worker));
    sp_status_t status = SP_NO_MEMORY;

    if (worker == NULL) {
        return SP_NO_MEMORY;
    }
    worker->common = common;
    worker->plan = common->plan;
    worker->waiter = (sp_load_waiter_t){.epoll = -1, .timer = -1};
    init_lists(worker);
    init_work(worker, number);
    sp_load_histogram_init(&worker->late);
    status = prepare(worker, err);
    if (status != SP_OK) {
        sp_load_worker_destroy(worker);
        return status;
    }
    *ret_worker = worker;
    return SP_OK;
}

static void destroy_all(sp_load_link_t *list)
{
    sp_load_connection_t *connection = NULL;

    while ((connection = sp_load_list_first(list)) != NULL) {
        sp_load_list_remove(&connection->link);
        sp_load_connection_destroy(connection);
    }
}

static void close_all(sp_load_worker_t *worker)
{
    sp_load_connection_t *connection = NULL;

    while ((connection = sp_load_list_first(&worker->connections)) != NULL) {
        sp_load_connection_close(connection, SP_LOAD_UNFINISHED);
    }
}

void sp_load_worker_destroy(sp_load_worker_t *worker)
{
    if (worker == NULL) {
        return;
    }
    close_all(worker);
    destroy_all(&worker->closed);
    destroy_all(&worker->spare);
    sp_load_http2_forget(worker);
    sp_load_tls_destroy(worker->tls);
    sp_load_due_queue_clear(&worker->queue);
    sp_load_waiter_clear(&worker->waiter);
    sp_load_tally_destroy(worker->tally);
    free(worker->octets);
    free(worker->plain);
    free(worker);
}

static void time_out(sp_load_request_t *request)
{
    sp_load_connection_t *connection = request->connection;
    uint64_t sent_ns = request->sent_ns;
    int32_t stream = request->stream;

    sp_load_exchange_ended(request, SP_LOAD_TIMED_OUT);
    if (connection->http2 == NULL) {
        sp_load_connection_close(connection, SP_LOAD_TIMED_OUT);
        return;
    }
    sp_load_http2_cancel(connection, stream);
    if (connection->heard_ns < sent_ns) { /* it is dead, not just the stream */
        connection->is_retiring = true;
    }
    sp_load_dispatch_offer(connection);
}

static void end_what_took_too_long(sp_load_worker_t *worker)
{
    uint64_t timeout_ns = worker->plan->timeout_ns;
    sp_load_request_t *request = NULL;
    sp_load_connection_t *connection = NULL;

    while ((request = sp_load_list_first(&worker->in_flight)) != NULL &&
           request->sent_ns + timeout_ns <= worker->now_ns) {
        time_out(request);
    }
    while ((connection = sp_load_list_first(&worker->opening_list)) != NULL &&
           connection->since_ns + timeout_ns <= worker->now_ns) {
        sp_load_connection_fail(connection);
    }
    while ((connection = sp_load_list_first(&worker->leaving)) != NULL &&
           connection->since_ns + LEAVING_NS <= worker->now_ns) {
        sp_load_connection_close(connection, SP_LOAD_CLOSED_EARLY);
    }
}

/* No event can name them any more. */
static void reuse_closed(sp_load_worker_t *worker)
{
    sp_load_connection_t *connection = NULL;

    while ((connection = sp_load_list_first(&worker->closed)) != NULL) {
        sp_load_list_remove(&connection->link);
        sp_load_list_add(&worker->spare, &connection->link);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t wait_until(const sp_load_worker_t *worker)
{
    const sp_load_request_t *request = sp_load_list_first(&worker->in_flight);
    uint64_t until = earlier(worker->now_ns + IDLE_WAIT_NS, worker->next_due_ns);

    if (request != NULL) {
        until = earlier(until, request->sent_ns + worker->plan->timeout_ns);
    }
    if (worker->retry_ns > worker->now_ns) {
        until = earlier(until, worker->retry_ns);
    }
    return until;
}

static bool is_done(const sp_load_worker_t *worker)
{
    if (worker->status != SP_OK ||
        atomic_load_explicit(&worker->common->halt, memory_order_relaxed)) {
        return true;
    }
    return sp_load_dispatch_is_over(worker) &&
           (worker->pending == 0 ||
            worker->now_ns >= worker->last_due_ns + worker->plan->timeout_ns + GRACE_NS);
}

/* One batch of events. */
static void turn(sp_load_worker_t *worker)
{
    struct epoll_event events[EVENTS_MAX];
    size_t count = sp_load_waiter_wait(&worker->waiter, worker->begin_ns + worker->now_ns,
                                       worker->begin_ns + wait_until(worker), events, EVENTS_MAX);

    (void)sp_load_worker_now(worker);
    for (size_t i = 0; i != count && worker->status == SP_OK; ++i) {
        sp_load_dispatch_due(worker);
        sp_load_connection_event(events[i].data.ptr, events[i].events);
    }
    (void)sp_load_worker_now(worker);
    sp_load_dispatch_due(worker);
    end_what_took_too_long(worker);
    sp_load_dispatch_open(worker);
    reuse_closed(worker);
}

static void leave_unfinished(sp_load_worker_t *worker)
{
    sp_load_due_t due;

    (void)sp_load_worker_now(worker);
    while (sp_load_due_queue_pop(&worker->queue, &due)) {
        sp_load_exchange_dropped(worker, &due, SP_LOAD_UNFINISHED);
    }
    close_all(worker);
}

void sp_load_worker_run(sp_load_worker_t *worker, uint64_t begin_ns)
{
    /* Without it, waits of this thread may end 50 µs late. */
    (void)prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0UL, 0UL, 0UL);
    worker->begin_ns = begin_ns;
    (void)sp_load_worker_now(worker);
    if (worker->plan->loop == SP_LOAD_OPEN) {
        worker->next_due_ns = sp_load_schedule_next(&worker->schedule);
    }
    sp_load_dispatch_open(worker);
    while (!is_done(worker)) {
        turn(worker);
    }
    leave_unfinished(worker);
}
