/* SPDX-License-Identifier: Apache-2.0 */
#include "http/linger.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct sp_linger {
    h2o_linklist_t link; /* in front->lingering */
    h2o_socket_t *socket;
    h2o_timeout_entry_t timeout;
    size_t octets; /* thrown away */
} sp_linger_t;

static void finish(sp_linger_t *linger)
{
    h2o_timeout_unlink(&linger->timeout);
    h2o_linklist_unlink(&linger->link);
    h2o_socket_close(linger->socket);
    free(linger);
}

static void on_read(h2o_socket_t *socket, const char *err)
{
    sp_linger_t *linger = socket->data;

    linger->octets += socket->input->size;
    h2o_buffer_consume(&socket->input, socket->input->size);
    if (err != NULL || linger->octets > SP_LINGER_OCTETS_MAX) {
        finish(linger);
    }
}

static void on_timeout(h2o_timeout_entry_t *entry)
{
    finish(H2O_STRUCT_FROM_MEMBER(sp_linger_t, timeout, entry));
}

void sp_linger_start_own(sp_front_t *front, int fd)
{
    sp_linger_t *linger = calloc(1, sizeof(*linger));

    if (linger == NULL || shutdown(fd, SHUT_WR) != 0) {
        free(linger);
        (void)close(fd);
        return;
    }
    linger->socket = h2o_evloop_socket_create(front->loop, fd, 0);
    linger->socket->data = linger;
    linger->timeout.cb = on_timeout;
    h2o_linklist_insert(&front->lingering, &linger->link);
    h2o_timeout_link(front->loop, &front->linger_timeout, &linger->timeout);
    h2o_socket_read_start(linger->socket, on_read);
}

void sp_linger_stop_all(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->lingering.next, *next = NULL; link != &front->lingering;
         link = next) {
        next = link->next;
        finish(H2O_STRUCT_FROM_MEMBER(sp_linger_t, link, link));
    }
}
