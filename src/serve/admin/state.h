/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_STATE_H
#define SIGNPOST_SERVE_ADMIN_STATE_H

/* The inside of sp_admin_t, for the modules of this folder only: of its thread alone, but for what
 * is atomic and what the board guards. */

#include <pthread.h>

#include "http/endpoints.h"
#include "http/listener.h"
#include "serve/admin/admin.h"
#include "serve/admin/upstream.h"

struct sp_admin {
    sp_board_t *board;
    sp_listener_t listener;
    pthread_t thread;
    bool has_thread;
    h2o_loop_t *loop;
    sp_endpoints_t *endpoints;
    sp_upstream_t *upstream;
    h2o_socket_t *wake;
    int wake_fd;
    unsigned explaining; /* calls that wait for DNS */
    unsigned asking;     /* the same, for permission */
    atomic_bool is_to_end;
};

#endif
