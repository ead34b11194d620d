/* SPDX-License-Identifier: Apache-2.0 */
#include "load/dispatch.h"

#include "load/exchange.h"
#include "load/http2.h"

/* Connections that may be opened at the same time: more at once overflow what a server's listening
 * socket holds, and are then late by a whole second. */
#define OPENING_MAX 256

static bool is_closed_loop(const sp_load_worker_t *worker)
{
    return worker->plan->loop == SP_LOAD_CLOSED;
}

static bool is_time_over(const sp_load_worker_t *worker)
{
    return worker->plan->duration_ns != 0 && worker->now_ns >= worker->plan->duration_ns;
}

/* Closed loop. */
static bool may_begin(const sp_load_worker_t *worker)
{
    return worker->left != 0 && !is_time_over(worker);
}

bool sp_load_dispatch_is_over(const sp_load_worker_t *worker)
{
    if (!is_closed_loop(worker)) {
        return worker->next_due_ns == UINT64_MAX;
    }
    return is_time_over(worker) || (worker->left == 0 && worker->reserved == 0);
}

/* Closed loop: a request that is due as soon as its connection has room. */
static sp_load_due_t draw(sp_load_worker_t *worker)
{
    --worker->left;
    return (sp_load_due_t){.due_ns = worker->now_ns,
                           .target = sp_load_choice_next(&worker->choice)};
}

/* What the connection was opened for. In the closed loop with lasting connections it is due only
 * now that it can be sent. */
static bool take_own(sp_load_connection_t *connection, sp_load_due_t *ret_due)
{
    sp_load_worker_t *worker = connection->worker;

    sp_load_purpose_t purpose = connection->purpose;

    connection->purpose = SP_LOAD_FOR_HOST;
    *ret_due = connection->due;
    if (purpose == SP_LOAD_FOR_RESERVED) {
        --worker->reserved;
        if (is_time_over(worker)) {
            return false;
        }
        ret_due->due_ns = worker->now_ns;
        sp_load_exchange_due(worker, ret_due->due_ns);
    }
    return true;
}

static bool take_next(sp_load_connection_t *connection, sp_load_due_t *ret_due)
{
    sp_load_worker_t *worker = connection->worker;

    if (connection->purpose != SP_LOAD_FOR_HOST) {
        return take_own(connection, ret_due);
    }
    if (!worker->plan->keep_alive) {
        return false;
    }
    if (sp_load_due_queue_pop(&worker->queue, ret_due)) {
        return true;
    }
    if (!is_closed_loop(worker) || !may_begin(worker)) {
        return false;
    }
    *ret_due = draw(worker);
    sp_load_exchange_due(worker, ret_due->due_ns);
    return true;
}

static bool has_room(const sp_load_connection_t *connection)
{
    return connection->state == SP_LOAD_IS_OPEN && !connection->is_retiring &&
           connection->busy < connection->capacity;
}

/* The connection that was used longest ago comes first, so that none of them is closed as idle. */
static void update_ready(sp_load_connection_t *connection)
{
    if (connection->state == SP_LOAD_IS_OPEN) {
        sp_load_list_remove(&connection->link);
        if (has_room(connection)) {
            sp_load_list_add(&connection->worker->ready, &connection->link);
        } else if (connection->is_retiring && connection->busy == 0) {
            sp_load_connection_leave(connection);
        }
    }
}

void sp_load_dispatch_offer(sp_load_connection_t *connection)
{
    sp_load_due_t due;
    bool taken = true;

    do {
        while (has_room(connection) && (taken = take_next(connection, &due))) {
            sp_load_exchange_send(connection, &due);
        }
        sp_load_http2_flush(connection); /* which may end requests whose streams it resets */
    } while (taken && has_room(connection));
    update_ready(connection);
}

static void send_or_wait(sp_load_worker_t *worker, const sp_load_due_t *due)
{
    sp_load_connection_t *connection = sp_load_list_first(&worker->ready);

    if (connection == NULL) {
        if (!sp_load_due_queue_push(&worker->queue, *due)) {
            worker->status = SP_NO_MEMORY;
        }
        return;
    }
    sp_load_exchange_send(connection, due);
    sp_load_histogram_add(&worker->late, worker->now_ns - due->due_ns);
    sp_load_http2_flush(connection);
    update_ready(connection);
}

void sp_load_dispatch_due(sp_load_worker_t *worker)
{
    while (worker->next_due_ns <= worker->now_ns && worker->status == SP_OK) {
        sp_load_due_t due = {.due_ns = worker->next_due_ns,
                             .target = sp_load_choice_next(&worker->choice)};

        worker->next_due_ns = sp_load_schedule_next(&worker->schedule);
        sp_load_exchange_due(worker, due.due_ns);
        send_or_wait(worker, &due);
    }
}

static bool may_open(const sp_load_worker_t *worker)
{
    return worker->live < worker->limit && worker->opening < OPENING_MAX && worker->status == SP_OK;
}

/* Every request has a connection of its own, from the beginning. */
static void open_bound(sp_load_worker_t *worker)
{
    sp_load_due_t due;

    while (may_open(worker) && sp_load_due_queue_pop(&worker->queue, &due)) {
        sp_load_histogram_add(&worker->late, worker->now_ns - due.due_ns);
        sp_load_connection_open(worker, &due, SP_LOAD_FOR_DUE);
    }
}

/* As many as there are requests that wait and will not find room on those that are being opened. */
static void open_for_queue(sp_load_worker_t *worker)
{
    while (may_open(worker)) {
        size_t index = (size_t)worker->opening * worker->streams;
        sp_load_due_t due;

        if (index >= worker->queue.count) {
            return;
        }
        due = *sp_load_due_queue_at(&worker->queue, index);
        sp_load_connection_open(worker, &due, SP_LOAD_FOR_HOST);
    }
}

static void open_for_loop(sp_load_worker_t *worker)
{
    while (may_open(worker) && worker->now_ns >= worker->retry_ns && may_begin(worker)) {
        sp_load_due_t due = draw(worker);

        if (worker->plan->keep_alive) {
            sp_load_connection_open(worker, &due, SP_LOAD_FOR_RESERVED);
        } else {
            sp_load_exchange_due(worker, due.due_ns);
            sp_load_connection_open(worker, &due, SP_LOAD_FOR_DUE);
        }
    }
}

/* What a connection gave back may find others free. */
static void use_ready(sp_load_worker_t *worker)
{
    sp_load_connection_t *connection = NULL;

    while (worker->queue.count != 0 && (connection = sp_load_list_first(&worker->ready)) != NULL) {
        sp_load_dispatch_offer(connection);
    }
}

void sp_load_dispatch_open(sp_load_worker_t *worker)
{
    use_ready(worker);
    if (!worker->plan->keep_alive) {
        open_bound(worker);
    } else if (worker->queue.count != 0) {
        open_for_queue(worker);
    }
    if (is_closed_loop(worker)) {
        open_for_loop(worker);
    }
}
