/* SPDX-License-Identifier: Apache-2.0 */
#include "http/sweep.h"

#include <sys/ioctl.h>

#include "http/connection.h"
#include "http/linger.h"
#include "http/tcp_received.h"

/* Idle for so long: no request is likely to be on the wire. It counts from the drain's beginning at
 * the earliest: a client whose busy connections close turns to its idle ones just then. */
#define QUIET_MS 1000

#define HALF_REQUEST_MS 5000      /* while draining, for the rest of a request to arrive */
#define SLOW_MS 1000              /* an answer under way for so long: its reader is slow */
#define EVICT_LOOKS ((size_t)256) /* connections looked at before a new one is turned away */

static sp_connection_t *from_link(h2o_linklist_t *link)
{
    return H2O_STRUCT_FROM_MEMBER(sp_connection_t, link, link);
}

/* What it has sent since the last sweep, against what it was due. */
static bool has_flooded(sp_connection_t *connection)
{
    uint64_t seen = connection->octets_seen;

    (void)sp_tcp_received(h2o_socket_get_fd(connection->socket), &seen);
    connection->octets += SP_CONNECTION_OCTETS_SECOND +
                          (int64_t)connection->answers * SP_CONNECTION_OCTETS_ANSWER -
                          (int64_t)(seen - connection->octets_seen);
    if (connection->octets > SP_CONNECTION_OCTETS_MAX) {
        connection->octets = SP_CONNECTION_OCTETS_MAX;
    }
    connection->octets_seen = seen;
    connection->answers = 0;
    return connection->octets < 0;
}

void sp_sweep_each_second(sp_front_t *front, uint64_t now_ms)
{
    for (h2o_linklist_t *link = front->connections.next; link != &front->connections;
         link = link->next) {
        sp_connection_t *connection = from_link(link);

        if (connection->is_cut) {
            continue;
        }
        if (has_flooded(connection)) {
            sp_connection_throw_out(connection);
        } else if (connection->waiting == 0 && now_ms > connection->used_ms + SP_FRONT_STUCK_MS) {
            sp_connection_cut_off(connection);
        }
    }
}

static bool has_unread(const sp_connection_t *connection)
{
    int unread = 0;

    return connection->socket->input->size != 0 ||
           (ioctl(h2o_socket_get_fd(connection->socket), FIONREAD, &unread) == 0 && unread != 0);
}

static void take_leave(sp_connection_t *connection, uint64_t now_ms)
{
    uint64_t drain_ms = connection->front->drain_ms;
    uint64_t quiet_since_ms = connection->used_ms > drain_ms ? connection->used_ms : drain_ms;

    if (connection->preface != NULL) {
        if (now_ms > connection->used_ms + HALF_REQUEST_MS) {
            sp_connection_cut_off(connection);
        }
        return;
    }
    if (connection->is_http2 || connection->requests != 0 || now_ms < quiet_since_ms + QUIET_MS) {
        return;
    }
    if (!has_unread(connection)) {
        connection->left_ms = now_ms;
        (void)shutdown(h2o_socket_get_fd(connection->socket), SHUT_WR);
    } else if (now_ms > connection->used_ms + HALF_REQUEST_MS) {
        sp_connection_cut_off(connection);
    }
}

void sp_sweep_leave(sp_front_t *front, uint64_t now_ms)
{
    for (h2o_linklist_t *link = front->connections.next; link != &front->connections;
         link = link->next) {
        sp_connection_t *connection = from_link(link);

        if (connection->is_cut) {
            continue;
        }
        if (connection->left_ms == 0) {
            take_leave(connection, now_ms);
        } else if (now_ms > connection->left_ms + SP_LINGER_MS) {
            sp_connection_cut_off(connection);
        }
    }
}

bool sp_sweep_evict(sp_front_t *front, uint64_t now_ms)
{
    sp_connection_t *slow = NULL;
    size_t looks = 0;

    for (h2o_linklist_t *link = front->connections.next;
         link != &front->connections && looks != EVICT_LOOKS; link = link->next, ++looks) {
        sp_connection_t *connection = from_link(link);

        if (!connection->is_cut && connection->requests == 0) {
            ++front->counters.evicted;
            sp_connection_cut_off(connection);
            return true;
        }
        if (slow == NULL && !connection->is_cut && connection->waiting == 0 &&
            now_ms > connection->used_ms + SLOW_MS) {
            slow = connection;
        }
    }
    if (slow != NULL) {
        ++front->counters.evicted;
        sp_connection_cut_off(slow);
    }
    return slow != NULL;
}

void sp_sweep_all(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->connections.next; link != &front->connections;
         link = link->next) {
        sp_connection_cut_off(from_link(link));
    }
}
