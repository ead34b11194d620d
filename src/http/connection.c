/* SPDX-License-Identifier: Apache-2.0 */
#include "http/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>

#include "http/linger.h"
#include "http/preface.h"
#include "http/sweep.h"

static void on_close(void *data)
{
    sp_connection_t *connection = data;
    sp_front_t *front = connection->front;

    sp_preface_destroy(connection->preface);
    if (connection->linger_fd != -1) {
        sp_linger_start_own(front, connection->linger_fd);
    }
    if (front->clients != NULL) {
        sp_clients_leave(front->clients, &connection->client);
    }
    h2o_linklist_unlink(&connection->link);
    --front->counters.connections;
    free(connection);
}

/* The library knows no time limit for writing: a client that never reads would hold a connection
 * for ever. Unix sockets have no such option; there the peer is a program of ours. */
static void limit_unacked(h2o_socket_t *socket)
{
    int limit_ms = SP_FRONT_UNACKED_MS;

    (void)setsockopt(h2o_socket_get_fd(socket), IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms,
                     sizeof(limit_ms));
}

static bool trusts(const sp_front_t *front, const struct sockaddr_storage *peer)
{
    const sp_service_t *service = front->service;

    return service->trusts != NULL &&
           service->trusts(service->trusts_arg, (const struct sockaddr *)peer);
}

/* A trusted proxy speaks for many: it is not limited. */
static sp_client_t client_behind(sp_front_t *front, h2o_socket_t *socket)
{
    struct sockaddr_storage peer;

    if (h2o_socket_getpeername(socket, (struct sockaddr *)&peer) == 0 || trusts(front, &peer)) {
        return (sp_client_t){.is_counted = false};
    }
    return sp_client_of(front->clients, (struct sockaddr *)&peer);
}

/* Room is made at the cost of whoever has been idle longest, before anybody is turned away. */
static bool admit(sp_front_t *front, h2o_socket_t *socket, sp_client_t *ret_client)
{
    if (front->clients == NULL) {
        return true;
    }
    *ret_client = client_behind(front, socket);
    if (sp_clients_are_full(front->clients) && !sp_sweep_evict(front, sp_now_ms())) {
        return false;
    }
    return sp_clients_enter(front->clients, ret_client, front->service->connections_per_client);
}

bool sp_connection_change_client(sp_connection_t *connection)
{
    sp_front_t *front = connection->front;
    sp_client_t client;

    if (front->clients == NULL) {
        return true;
    }
    client = client_behind(front, connection->socket);
    sp_clients_leave(front->clients, &connection->client);
    if (sp_clients_enter(front->clients, &client, front->service->connections_per_client)) {
        connection->client = client;
        return true;
    }
    /* It stays counted as nobody's until it is closed. */
    connection->client = (sp_client_t){.is_counted = false};
    (void)sp_clients_enter(front->clients, &connection->client, 0);
    ++front->counters.turned_away;
    return false;
}

/* Whoever may say whom it speaks for must be known. */
static bool may_speak_for_others(sp_front_t *front, h2o_socket_t *socket)
{
    struct sockaddr_storage peer;

    return h2o_socket_getpeername(socket, (struct sockaddr *)&peer) != 0 && trusts(front, &peer);
}

static void begin(sp_connection_t *connection)
{
    if (connection->mode.tls || connection->mode.proxy_protocol) {
        sp_preface_start(connection);
    } else {
        h2o_accept(&connection->front->accept, connection->socket);
    }
}

void sp_connection_start(sp_front_t *front, h2o_socket_t *socket, const sp_listen_mode_t *mode)
{
    sp_connection_t *connection = NULL;

    if (mode->proxy_protocol && !may_speak_for_others(front, socket)) {
        ++front->counters.proxy_refusals[SP_PROXY_UNTRUSTED];
        h2o_socket_close(socket);
        return;
    }
    connection = calloc(1, sizeof(*connection));
    if (connection == NULL || !admit(front, socket, &connection->client)) {
        ++front->counters.turned_away;
        free(connection);
        h2o_socket_close(socket);
        return;
    }
    connection->front = front;
    connection->socket = socket;
    connection->mode = *mode;
    connection->linger_fd = -1;
    connection->octets = SP_CONNECTION_OCTETS_MAX;
    connection->used_ms = sp_now_ms();
    h2o_linklist_insert(&front->connections, &connection->link);
    ++front->counters.accepted;
    ++front->counters.connections;
    limit_unacked(socket);
    socket->on_close.cb = on_close;
    socket->on_close.data = connection;
    begin(connection);
}

sp_connection_t *sp_connection_of(h2o_req_t *req)
{
    return req->conn->callbacks->get_socket(req->conn)->on_close.data;
}

/* A batch is what is read in one turn of the loop; it ends with the turn. */
static void note_batch(sp_connection_t *connection)
{
    sp_front_t *front = connection->front;

    if (!h2o_timeout_is_linked(&front->batch_end)) {
        h2o_timeout_link(front->loop, &front->context.zero_timeout, &front->batch_end);
    }
    if (connection->batch != front->batch) {
        connection->batch = front->batch;
        connection->burst = 0;
    }
    if (++connection->burst > SP_CONNECTION_BURST_MAX && !connection->is_cut) {
        sp_connection_throw_out(connection);
    }
}

void sp_connection_begin_request(sp_connection_t *connection, bool is_http2, uint64_t now_ms)
{
    ++connection->requests;
    connection->is_http2 = is_http2;
    if (is_http2) {
        note_batch(connection);
    }
    connection->used_ms = now_ms;
    h2o_linklist_unlink(&connection->link);
    h2o_linklist_insert(&connection->front->connections, &connection->link);
}

void sp_connection_end_request(sp_connection_t *connection, bool was_answered, uint64_t now_ms)
{
    --connection->requests;
    connection->used_ms = now_ms;
    if (was_answered) {
        ++connection->answers;
        connection->aborts -= connection->aborts == 0 ? 0 : 1;
        return;
    }
    if (++connection->aborts > SP_CONNECTION_ABORTS_MAX && !connection->is_cut) {
        sp_connection_throw_out(connection);
    }
}

void sp_connection_end_gently(sp_connection_t *connection)
{
    if (connection->linger_fd == -1) {
        connection->linger_fd = fcntl(h2o_socket_get_fd(connection->socket), F_DUPFD_CLOEXEC, 0);
    }
}

void sp_connection_cut_off(sp_connection_t *connection)
{
    /* The loop sees the end of the stream and closes in its own time: frames that have been read
     * already may still come to the handler. */
    connection->is_cut = true;
    (void)shutdown(h2o_socket_get_fd(connection->socket), SHUT_RDWR);
}

void sp_connection_throw_out(sp_connection_t *connection)
{
    static const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};

    ++connection->front->counters.floods;
    sp_connection_cut_off(connection);
    /* A socket that is merely shut goes on taking what the peer sends, and the library would read
     * it all. This one forgets its peer and what it has received (connect(2)). */
    (void)connect(h2o_socket_get_fd(connection->socket), &nowhere, sizeof(nowhere));
}
