/* SPDX-License-Identifier: Apache-2.0 */
#include "http/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "http/linger.h"

static sp_connection_t *from_link(h2o_linklist_t *link)
{
    return H2O_STRUCT_FROM_MEMBER(sp_connection_t, link, link);
}

static void on_close(void *data)
{
    sp_connection_t *connection = data;

    if (connection->linger_fd != -1) {
        sp_linger_start_own(connection->front, connection->linger_fd);
    }
    h2o_linklist_unlink(&connection->link);
    --connection->front->counters.connections;
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

void sp_connection_start(sp_front_t *front, h2o_socket_t *socket)
{
    sp_connection_t *connection = calloc(1, sizeof(*connection));

    if (connection == NULL) {
        h2o_socket_close(socket);
        return;
    }
    connection->front = front;
    connection->socket = socket;
    connection->linger_fd = -1;
    connection->used_ms = sp_now_ms();
    h2o_linklist_insert(&front->connections, &connection->link);
    ++front->counters.accepted;
    ++front->counters.connections;
    limit_unacked(socket);
    socket->on_close.cb = on_close;
    socket->on_close.data = connection;
    h2o_accept(&front->accept, socket);
}

sp_connection_t *sp_connection_of(h2o_req_t *req)
{
    return req->conn->callbacks->get_socket(req->conn)->on_close.data;
}

void sp_connection_end_gently(sp_connection_t *connection)
{
    if (connection->linger_fd == -1) {
        connection->linger_fd = fcntl(h2o_socket_get_fd(connection->socket), F_DUPFD_CLOEXEC, 0);
    }
}

static void cut_off(const sp_connection_t *connection)
{
    /* The loop sees the end of the stream and closes in its own time. */
    (void)shutdown(h2o_socket_get_fd(connection->socket), SHUT_RDWR);
}

static bool is_idle(const sp_connection_t *connection)
{
    int unread = 0;

    if (connection->requests != 0 || connection->is_http2 || connection->socket->input->size != 0) {
        return false;
    }
    return ioctl(h2o_socket_get_fd(connection->socket), FIONREAD, &unread) != 0 || unread == 0;
}

void sp_connections_close_idle(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->connections.next; link != &front->connections;
         link = link->next) {
        if (is_idle(from_link(link))) {
            cut_off(from_link(link));
        }
    }
}

void sp_connections_close_stuck(sp_front_t *front, uint64_t now_ms)
{
    for (h2o_linklist_t *link = front->connections.next; link != &front->connections;
         link = link->next) {
        const sp_connection_t *connection = from_link(link);

        if (connection->requests == 0 && now_ms > connection->used_ms + SP_FRONT_STUCK_MS) {
            cut_off(connection);
        }
    }
}

void sp_connections_close_all(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->connections.next; link != &front->connections;
         link = link->next) {
        cut_off(from_link(link));
    }
}
