/* SPDX-License-Identifier: Apache-2.0 */
#include "load/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "load/worker.h"

static bool keep_unsent(sp_load_connection_t *connection, sp_str_t octets)
{
    size_t wanted = connection->unsent_len + octets.len;

    if (wanted > connection->unsent_room) {
        char *grown = realloc(connection->unsent, 2 * wanted);

        if (grown == NULL) {
            connection->worker->status = SP_NO_MEMORY;
            return false;
        }
        connection->unsent = grown;
        connection->unsent_room = 2 * wanted;
    }
    memcpy(connection->unsent + connection->unsent_len, octets.ptr, octets.len);
    connection->unsent_len = wanted;
    return true;
}

/* How many octets the socket took; the connection is closed when it failed. */
static size_t send_octets(sp_load_connection_t *connection, sp_str_t octets)
{
    ssize_t sent = 0;

    do {
        sent = send(connection->fd, octets.ptr, octets.len, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) {
        connection->worker->tally->octets_out += (uint64_t)sent;
        return (size_t)sent;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
        if (connection->state == SP_LOAD_IS_HANDSHAKE) {
            sp_load_connection_fail(connection);
        } else {
            sp_load_connection_close(connection, SP_LOAD_CLOSED_EARLY);
        }
    }
    return 0;
}

/* Octets as they go over the wire. */
static void write_wire(sp_load_connection_t *connection, sp_str_t octets)
{
    size_t sent = connection->unsent_len == 0 ? send_octets(connection, octets) : 0;

    if (connection->state != SP_LOAD_IS_CLOSED && sent != octets.len &&
        !keep_unsent(connection, sp_str_skip(octets, sent))) {
        sp_load_connection_close(connection, SP_LOAD_CLOSED_EARLY);
    }
}

void sp_load_connection_flush_unsent(sp_load_connection_t *connection)
{
    size_t sent = send_octets(connection, (sp_str_t){connection->unsent, connection->unsent_len});

    if (connection->state != SP_LOAD_IS_CLOSED) {
        connection->unsent_len -= sent;
        memmove(connection->unsent, connection->unsent + sent, connection->unsent_len);
    }
}

void sp_load_connection_flush_tls(sp_load_connection_t *connection)
{
    sp_str_t octets = {"", 0};

    if (connection->state != SP_LOAD_IS_CLOSED && connection->tls != NULL) {
        octets = sp_load_tls_outgoing(connection->tls);
    }
    if (octets.len != 0) {
        write_wire(connection, octets);
        if (connection->state != SP_LOAD_IS_CLOSED) {
            sp_load_tls_taken(connection->tls);
        }
    }
}

void sp_load_connection_write(sp_load_connection_t *connection, sp_str_t octets)
{
    if (connection->tls == NULL) {
        write_wire(connection, octets);
    } else if (sp_load_tls_write(connection->tls, octets)) {
        sp_load_connection_flush_tls(connection);
    } else {
        sp_load_connection_close(connection, SP_LOAD_CLOSED_EARLY);
    }
}
