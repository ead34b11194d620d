/* SPDX-License-Identifier: Apache-2.0 */
#include "http/accept.h"

#include <errno.h>
#include <stdlib.h>

#include "http/connection.h"
#include "http/listener.h"

/* Connections taken in one turn of the loop: requests under way come in between. */
#define BATCH 32

typedef struct sp_listening {
    h2o_linklist_t link; /* in front->listeners */
    sp_front_t *front;
    h2o_socket_t *socket;
    h2o_timeout_entry_t retry;
    sp_listen_mode_t mode;
} sp_listening_t;

static void on_acceptable(h2o_socket_t *socket, const char *err);

static void on_retry(h2o_timeout_entry_t *entry)
{
    sp_listening_t *listening = H2O_STRUCT_FROM_MEMBER(sp_listening_t, retry, entry);

    h2o_socket_read_start(listening->socket, on_acceptable);
}

/* 0, or why nothing (more) could be taken. */
static int take_one(sp_listening_t *listening)
{
    h2o_socket_t *socket = h2o_evloop_socket_accept(listening->socket);

    if (socket == NULL) {
        return errno;
    }
    sp_connection_start(listening->front, socket, &listening->mode);
    return 0;
}

static bool is_out_of_resources(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void on_acceptable(h2o_socket_t *socket, const char *err)
{
    sp_listening_t *listening = socket->data;
    int error = 0;

    if (err != NULL) {
        return;
    }
    for (int i = 0; error == 0 && i != BATCH; ++i) {
        error = take_one(listening);
    }
    if (is_out_of_resources(error)) {
        /* The socket stays readable: without a pause the loop would turn at full speed. */
        h2o_socket_read_stop(socket);
        h2o_timeout_link(listening->front->loop, &listening->front->sweep_timeout,
                         &listening->retry);
    }
}

sp_status_t sp_front_listen_own(sp_front_t *front, int fd, const sp_listen_mode_t *mode)
{
    sp_listening_t *listening = calloc(1, sizeof(*listening));

    if (listening == NULL) {
        return SP_NO_MEMORY;
    }
    listening->front = front;
    listening->mode = *mode;
    listening->retry.cb = on_retry;
    listening->socket = h2o_evloop_socket_create(front->loop, fd, H2O_SOCKET_FLAG_DONT_READ);
    listening->socket->data = listening;
    h2o_linklist_insert(&front->listeners, &listening->link);
    h2o_socket_read_start(listening->socket, on_acceptable);
    return SP_OK;
}

static sp_listening_t *from_link(h2o_linklist_t *link)
{
    return H2O_STRUCT_FROM_MEMBER(sp_listening_t, link, link);
}

static void finish(sp_listening_t *listening)
{
    h2o_timeout_unlink(&listening->retry);
    h2o_linklist_unlink(&listening->link);
    h2o_socket_close(listening->socket);
    free(listening);
}

void sp_accept_turn_away(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->listeners.next, *next = NULL; link != &front->listeners;
         link = next) {
        sp_listening_t *listening = from_link(link);

        next = link->next;
        if (listening->mode.is_inherited) {
            finish(listening);
        } else {
            sp_listener_turn_away(h2o_socket_get_fd(listening->socket));
        }
    }
}

void sp_accept_stop(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->listeners.next; link != &front->listeners;
         link = link->next) {
        while (take_one(from_link(link)) == 0) {
        }
    }
    sp_accept_close(front);
}

void sp_accept_close(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->listeners.next, *next = NULL; link != &front->listeners;
         link = next) {
        next = link->next;
        finish(from_link(link));
    }
}
