/* SPDX-License-Identifier: Apache-2.0 */
#include "load/exchange.h"

#include "load/http2.h"

#define TRIES_MAX 3 /* of a request that servers give back */

void sp_load_exchange_due(sp_load_worker_t *worker, uint64_t due_ns)
{
    if (due_ns < worker->first_due_ns) {
        worker->first_due_ns = due_ns;
    }
    if (due_ns > worker->last_due_ns) {
        worker->last_due_ns = due_ns;
    }
    ++worker->pending;
    sp_load_tally_due(worker->tally, due_ns);
}

static void tell_end(sp_load_worker_t *worker, const sp_load_end_t *end)
{
    worker->last_end_ns = end->end_ns;
    --worker->pending;
    sp_load_tally_end(worker->tally, end);
}

static sp_load_request_t *take_spare(sp_load_connection_t *connection)
{
    sp_load_request_t *request = connection->spare;

    connection->spare = request->next_spare;
    ++connection->busy;
    return request;
}

static void make_spare(sp_load_request_t *request)
{
    sp_load_connection_t *connection = request->connection;

    sp_load_list_remove(&request->link);
    request->next_spare = connection->spare;
    connection->spare = request;
    --connection->busy;
}

void sp_load_exchange_send(sp_load_connection_t *connection, const sp_load_due_t *due)
{
    sp_load_worker_t *worker = connection->worker;
    sp_load_request_t *request = take_spare(connection);

    request->due = *due;
    request->sent_ns = sp_load_worker_now(worker);
    sp_load_list_add(&worker->in_flight, &request->link);
    if (connection->http2 != NULL) {
        sp_load_http2_submit(request);
        return;
    }
    sp_http1_reader_restart(&connection->reader);
    sp_load_connection_write(connection,
                             sp_load_request_octets(&worker->common->requests, due->target));
}

void sp_load_exchange_answered(sp_load_request_t *request, const sp_load_answer_t *answer)
{
    sp_load_worker_t *worker = request->connection->worker;
    size_t target = request->due.target;
    sp_load_end_t end = {.kind = sp_load_judge(&worker->plan->targets->list[target], answer),
                         .status = answer->status,
                         .due_ns = request->due.due_ns,
                         .sent_ns = request->sent_ns,
                         .end_ns = worker->now_ns};

    if (end.kind != SP_LOAD_OK) {
        sp_load_tally_example(worker->tally, target, answer->status, answer->location);
    }
    make_spare(request);
    tell_end(worker, &end);
}

void sp_load_exchange_ended(sp_load_request_t *request, sp_load_kind_t kind)
{
    sp_load_worker_t *worker = request->connection->worker;
    sp_load_end_t end = {.kind = kind,
                         .due_ns = request->due.due_ns,
                         .sent_ns = request->sent_ns,
                         .end_ns = sp_load_worker_now(worker)};

    make_spare(request);
    tell_end(worker, &end);
}

void sp_load_exchange_dropped(sp_load_worker_t *worker, const sp_load_due_t *due,
                              sp_load_kind_t kind)
{
    sp_load_end_t end = {.kind = kind,
                         .due_ns = due->due_ns,
                         .sent_ns = UINT64_MAX,
                         .end_ns = sp_load_worker_now(worker)};

    tell_end(worker, &end);
}

void sp_load_exchange_give_back(sp_load_request_t *request)
{
    sp_load_worker_t *worker = request->connection->worker;
    sp_load_due_t due = request->due;

    if (++due.tries == TRIES_MAX) {
        sp_load_exchange_ended(request, SP_LOAD_CLOSED_EARLY);
    } else if (!sp_load_due_queue_push_first(&worker->queue, due)) {
        worker->status = SP_NO_MEMORY;
    } else {
        make_spare(request);
    }
}
