/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ACTIVATION_H
#define SIGNPOST_SERVE_ACTIVATION_H

/* Listening sockets that the service manager has opened and hands over (sd_listen_fds(3)). A socket
 * takes the place of the configured listener with the same address; its name is of no account. It
 * stays open in the manager, so that connections queue while the service restarts. */

#include <signpost/base/error.h>
#include <sys/socket.h>

#define SP_ACTIVATION_MAX 65 /* sockets: the listeners and the admin endpoints */

typedef struct sp_activation {
    size_t count;
    int fds[SP_ACTIVATION_MAX]; /* -1 where taken */
} sp_activation_t;

/* By LISTEN_PID and LISTEN_FDS, which are removed from the environment. Without them there are
 * none. SP_OK, or SP_IO when what is handed over is no listening stream socket, or too many. */
sp_status_t sp_activation_read(sp_activation_t *ret_activation, sp_error_t *err);

/* The socket that listens at `address`, which belongs to the caller then; -1: there is none. */
int sp_activation_take(sp_activation_t *activation, const struct sockaddr *address);

/* Some socket that nobody has taken; -1: there is none. */
int sp_activation_rest(const sp_activation_t *activation);

/* Closes what was not taken. */
void sp_activation_close(sp_activation_t *activation);

#endif
