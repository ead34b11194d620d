/* SPDX-License-Identifier: Apache-2.0 */
#include "load/connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/exchange.h"
#include "load/http2.h"

#define NS_PER_MS UINT64_C(1000000)
#define RETRY_AFTER_NS (10 * NS_PER_MS)

/* Used again, or new; NULL: no memory. */
static sp_load_connection_t *make(sp_load_worker_t *worker)
{
    sp_load_connection_t *connection = sp_load_list_first(&worker->spare);

    if (connection != NULL) {
        sp_load_list_remove(&connection->link);
        return connection;
    }
    connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->requests = calloc(worker->streams, sizeof(*connection->requests));
    if (connection->requests == NULL) {
        free(connection);
        return NULL;
    }
    connection->worker = worker;
    connection->link.owner = connection;
    connection->all.owner = connection;
    for (size_t i = 0; i != worker->streams; ++i) {
        sp_load_request_t *request = &connection->requests[i];

        request->connection = connection;
        request->link.owner = request;
        request->next_spare = connection->spare;
        connection->spare = request;
    }
    return connection;
}

void sp_load_connection_destroy(sp_load_connection_t *connection)
{
    for (size_t i = 0; i != connection->worker->streams; ++i) {
        free(connection->requests[i].location);
    }
    sp_http1_reader_clear(&connection->reader);
    free(connection->requests);
    free(connection->unsent);
    free(connection);
}

static int open_socket(const sp_load_plan_t *plan)
{
    int on = 1;
    int fd = socket(plan->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd >= 0 && (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
                    (connect(fd, (const struct sockaddr *)&plan->address, plan->address_len) != 0 &&
                     errno != EINPROGRESS))) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

void sp_load_connection_open(sp_load_worker_t *worker, const sp_load_due_t *due,
                             sp_load_purpose_t purpose)
{
    sp_load_connection_t *connection = make(worker);

    if (connection == NULL) {
        worker->status = SP_NO_MEMORY;
        return;
    }
    connection->state = SP_LOAD_IS_CONNECTING;
    connection->since_ns = worker->now_ns;
    connection->heard_ns = worker->now_ns;
    connection->capacity = worker->streams;
    connection->is_retiring = false;
    connection->purpose = purpose;
    connection->due = *due;
    worker->reserved += purpose == SP_LOAD_FOR_RESERVED ? 1 : 0;
    ++worker->live;
    ++worker->opening;
    sp_load_list_add(&worker->connections, &connection->all);
    sp_load_list_add(&worker->opening_list, &connection->link);
    connection->fd = open_socket(worker->plan);
    if (connection->fd < 0 || !sp_load_waiter_add(&worker->waiter, connection->fd, connection)) {
        sp_load_connection_fail(connection);
    }
}

static void end_requests(sp_load_connection_t *connection, sp_load_kind_t kind)
{
    if (connection->purpose == SP_LOAD_FOR_DUE) {
        sp_load_exchange_dropped(connection->worker, &connection->due, kind);
    } else if (connection->purpose == SP_LOAD_FOR_RESERVED) {
        --connection->worker->reserved;
    }
    connection->purpose = SP_LOAD_FOR_HOST;
    for (size_t i = 0; connection->busy != 0 && i != connection->worker->streams; ++i) {
        if (connection->requests[i].link.next != NULL) {
            sp_load_exchange_ended(&connection->requests[i], kind);
        }
    }
}

/* Its memory is used again only after this batch of events. */
void sp_load_connection_close(sp_load_connection_t *connection, sp_load_kind_t kind)
{
    sp_load_worker_t *worker = connection->worker;

    if (connection->state == SP_LOAD_IS_CLOSED) {
        return;
    }
    worker->opening -= connection->state < SP_LOAD_IS_OPEN ? 1 : 0;
    worker->live -= connection->state != SP_LOAD_IS_LEAVING ? 1 : 0;
    worker->left_behind -= connection->state == SP_LOAD_IS_LEAVING ? 1 : 0;
    connection->state = SP_LOAD_IS_CLOSED;
    end_requests(connection, kind);
    sp_load_http2_end(connection);
    sp_load_tls_close(connection->tls);
    connection->tls = NULL;
    connection->unsent_len = 0;
    if (connection->fd >= 0) {
        (void)close(connection->fd);
    }
    sp_load_list_remove(&connection->all);
    sp_load_list_remove(&connection->link);
    sp_load_list_add(&worker->closed, &connection->link);
}

/* The request that a connection was opened for, or the one that has waited longest. */
static bool take_victim(sp_load_connection_t *connection, sp_load_due_t *ret_due)
{
    sp_load_worker_t *worker = connection->worker;

    *ret_due = connection->due;
    switch (connection->purpose) {
    case SP_LOAD_FOR_DUE:
        connection->purpose = SP_LOAD_FOR_HOST;
        return true;
    case SP_LOAD_FOR_RESERVED:
        ret_due->due_ns = connection->since_ns;
        sp_load_exchange_due(worker, ret_due->due_ns);
        return true;
    case SP_LOAD_FOR_HOST:
        return sp_load_due_queue_pop(&worker->queue, ret_due);
    }
    return false;
}

void sp_load_connection_fail(sp_load_connection_t *connection)
{
    sp_load_worker_t *worker = connection->worker;
    sp_load_due_t due;

    if (take_victim(connection, &due)) {
        sp_load_exchange_dropped(worker, &due, SP_LOAD_NO_CONNECTION);
    }
    worker->retry_ns = worker->now_ns + RETRY_AFTER_NS;
    sp_load_connection_close(connection, SP_LOAD_NO_CONNECTION);
}

void sp_load_connection_leave(sp_load_connection_t *connection)
{
    sp_load_worker_t *worker = connection->worker;

    if (connection->tls != NULL) {
        sp_load_tls_leave(connection->tls);
        sp_load_connection_flush_tls(connection);
    }
    if (connection->state == SP_LOAD_IS_OPEN) {
        connection->state = SP_LOAD_IS_LEAVING;
        connection->since_ns = worker->now_ns;
        --worker->live;
        sp_load_list_remove(&connection->link);
        sp_load_list_add(&worker->leaving, &connection->link);
        if (++worker->left_behind > worker->limit) {
            sp_load_connection_close(sp_load_list_first(&worker->leaving), SP_LOAD_CLOSED_EARLY);
        }
    }
}
