/* SPDX-License-Identifier: Apache-2.0 */
#include "load/connection.h"

#include <errno.h>
#include <sys/socket.h>

#include "load/dispatch.h"
#include "load/exchange.h"
#include "load/http2.h"

#define ENDING_EVENTS ((uint32_t)EPOLLRDHUP | (uint32_t)EPOLLHUP | (uint32_t)EPOLLERR)
#define READS_MAX 16 /* of one connection, before others get their turn */

static void become_open(sp_load_connection_t *connection)
{
    sp_load_worker_t *worker = connection->worker;

    connection->state = SP_LOAD_IS_OPEN;
    --worker->opening;
    sp_load_list_remove(&connection->link);
    ++worker->tally->connections;
    if (connection->tls != NULL && sp_load_tls_is_resumed(connection->tls)) {
        ++worker->tally->resumed;
    }
    if (worker->plan->http == SP_LOAD_HTTP2 && !sp_load_http2_begin(connection)) {
        worker->status = SP_NO_MEMORY;
        return;
    }
    (void)sp_load_worker_now(worker);
    sp_load_dispatch_offer(connection);
}

static void go_on_with_handshake(sp_load_connection_t *connection)
{
    sp_load_tls_step_t step = sp_load_tls_handshake(connection->tls);

    sp_load_connection_flush_tls(connection); /* an alert, too */
    if (connection->state == SP_LOAD_IS_CLOSED) {
        return;
    }
    if (step == SP_LOAD_TLS_DONE) {
        become_open(connection);
    } else if (step != SP_LOAD_TLS_MORE) {
        char why[SP_LOAD_TLS_FAULT_MAX];

        sp_load_tls_fault(connection->tls, why);
        sp_load_tally_fault(connection->worker->tally, why);
        sp_load_connection_fail(connection);
    }
}

static void become_connected(sp_load_connection_t *connection)
{
    sp_load_worker_t *worker = connection->worker;

    if (worker->tls == NULL) {
        become_open(connection);
        return;
    }
    connection->state = SP_LOAD_IS_HANDSHAKE;
    connection->tls =
        sp_load_tls_open(worker->tls, worker->plan->targets->list[connection->due.target].host);
    if (connection->tls == NULL) {
        worker->status = SP_NO_MEMORY;
        return;
    }
    go_on_with_handshake(connection);
}

/* The one request under way. */
static sp_load_request_t *request_of(sp_load_connection_t *connection)
{
    return &connection->requests[0];
}

static void answered(sp_load_connection_t *connection)
{
    const sp_http1_answer_t *answer = &connection->reader.answer;

    sp_load_exchange_answered(request_of(connection),
                              &(sp_load_answer_t){.status = answer->status,
                                                  .location_count = answer->location_count,
                                                  .location = answer->location});
}

/* Octets behind an answer that nobody has asked for make it doubtful, and all that follows. */
static void take_complete(sp_load_connection_t *connection, bool has_more)
{
    if (has_more) {
        sp_load_connection_close(connection, SP_LOAD_BAD_ANSWER);
        return;
    }
    answered(connection);
    if (!connection->reader.answer.keep_alive || !connection->worker->plan->keep_alive ||
        connection->is_retiring) {
        sp_load_connection_leave(connection);
    } else {
        sp_load_dispatch_offer(connection);
    }
}

static void take_http1(sp_load_connection_t *connection, sp_str_t octets)
{
    size_t used = 0;

    if (connection->busy == 0) {
        sp_load_connection_close(connection, SP_LOAD_BAD_ANSWER); /* of no request */
        return;
    }
    switch (sp_http1_reader_feed(&connection->reader, octets, &used)) {
    case SP_HTTP1_MORE:
        break;
    case SP_HTTP1_DONE:
        take_complete(connection, used != octets.len);
        break;
    case SP_HTTP1_BAD:
        sp_load_connection_close(connection, SP_LOAD_BAD_ANSWER);
        break;
    case SP_HTTP1_NO_MEMORY:
        connection->worker->status = SP_NO_MEMORY;
        break;
    }
}

static void take_plain(sp_load_connection_t *connection, sp_str_t octets)
{
    if (connection->http2 != NULL) {
        sp_load_http2_take(connection, octets);
    } else {
        take_http1(connection, octets);
    }
}

/* The server sends nothing more. */
static void take_end(sp_load_connection_t *connection)
{
    if (connection->state == SP_LOAD_IS_HANDSHAKE) {
        sp_load_tally_fault(connection->worker->tally,
                            "the server closes the connection during the TLS handshake; does it "
                            "speak TLS at this port?");
        sp_load_connection_fail(connection);
        return;
    }
    if (connection->http2 == NULL && connection->busy != 0 &&
        sp_http1_reader_end(&connection->reader) == SP_HTTP1_DONE) {
        answered(connection);
    }
    sp_load_connection_close(connection, SP_LOAD_CLOSED_EARLY);
}

static void read_tls(sp_load_connection_t *connection)
{
    sp_load_tls_step_t step = SP_LOAD_TLS_DONE;

    while (connection->state == SP_LOAD_IS_OPEN && step == SP_LOAD_TLS_DONE) {
        char *plain = connection->worker->plain;
        size_t len = 0;

        step = sp_load_tls_read(connection->tls, plain, SP_LOAD_PLAIN_ROOM, &len);
        if (step == SP_LOAD_TLS_DONE) {
            take_plain(connection, (sp_str_t){plain, len});
        } else if (step == SP_LOAD_TLS_ENDED) {
            take_end(connection);
        } else if (step == SP_LOAD_TLS_FAILED) {
            sp_load_connection_close(connection, SP_LOAD_BAD_ANSWER);
        }
    }
    sp_load_connection_flush_tls(connection);
}

static void take_wire(sp_load_connection_t *connection, sp_str_t octets)
{
    connection->heard_ns = sp_load_worker_now(connection->worker);
    sp_load_tally_heard(connection->worker->tally, octets);
    if (connection->tls == NULL) {
        take_plain(connection, octets);
        return;
    }
    if (!sp_load_tls_put(connection->tls, octets)) {
        connection->worker->status = SP_NO_MEMORY;
        return;
    }
    if (connection->state == SP_LOAD_IS_HANDSHAKE) {
        go_on_with_handshake(connection);
    }
    read_tls(connection);
}

static bool is_reading(const sp_load_connection_t *connection)
{
    return connection->state == SP_LOAD_IS_OPEN || connection->state == SP_LOAD_IS_HANDSHAKE;
}

/* Nothing is left to be read when the socket gave less than was asked for, unless its end has been
 * told: that comes after the octets, and is not told twice. */
static void read_wire(sp_load_connection_t *connection, uint32_t events)
{
    sp_load_worker_t *worker = connection->worker;

    for (unsigned reads = 0; is_reading(connection); ++reads) {
        ssize_t got = 0;

        if (reads == READS_MAX) {
            (void)sp_load_waiter_again(&worker->waiter, connection->fd, connection);
            return;
        }
        got = recv(connection->fd, worker->octets, SP_LOAD_OCTETS_ROOM, 0);
        if (got > 0) {
            take_wire(connection, (sp_str_t){worker->octets, (size_t)got});
            if ((size_t)got < SP_LOAD_OCTETS_ROOM && (events & ENDING_EVENTS) == 0) {
                return;
            }
        } else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            take_end(connection);
        } else if (errno != EINTR) {
            return;
        }
    }
}

void sp_load_connection_event(sp_load_connection_t *connection, uint32_t events)
{
    if ((events & ENDING_EVENTS) != 0) {
        connection->is_retiring = true; /* whatever is sent now would be lost */
    }
    if (connection->state == SP_LOAD_IS_CONNECTING) {
        if ((events & ((uint32_t)EPOLLHUP | (uint32_t)EPOLLERR)) != 0) {
            sp_load_connection_fail(connection);
        } else if ((events & EPOLLOUT) != 0) {
            become_connected(connection);
        }
    } else if (is_reading(connection) && connection->unsent_len != 0 && (events & EPOLLOUT) != 0) {
        sp_load_connection_flush_unsent(connection);
    }
    if (is_reading(connection) && (events & (EPOLLIN | ENDING_EVENTS)) != 0) {
        read_wire(connection, events);
    }
    if (connection->state == SP_LOAD_IS_LEAVING && (events & ENDING_EVENTS) != 0) {
        sp_load_connection_close(connection, SP_LOAD_CLOSED_EARLY);
    }
}
