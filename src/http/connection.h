/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_CONNECTION_H
#define SIGNPOST_HTTP_CONNECTION_H

/* What we know of a client's connection beside the library: whether it is idle, and how it ends. */

#include "http/front_state.h"

typedef struct sp_connection {
    h2o_linklist_t link; /* in front->connections */
    sp_front_t *front;
    h2o_socket_t *socket;
    unsigned requests; /* under way */
    uint64_t used_ms;  /* sp_now_ms() when a request last began or ended, or it was accepted */
    bool is_http2;     /* known with the first request */
    int linger_fd;     /* duplicate of the socket, kept when its end must not be abrupt; or -1 */
} sp_connection_t;

/* Hands an accepted socket over to the library. */
void sp_connection_start(sp_front_t *front, h2o_socket_t *socket);

/* The connection that a request came on. */
sp_connection_t *sp_connection_of(h2o_req_t *req);

/* Closing a socket with unread input makes the kernel send RST, which may destroy the answer
 * before the client has read it. After this call the end of the connection is gentle: the answer,
 * FIN, and input thrown away for a while. */
void sp_connection_end_gently(sp_connection_t *connection);

/* Closes connections on which nothing happens, HTTP/2 excepted: there the library takes leave. */
void sp_connections_close_idle(sp_front_t *front);

/* Cuts off connections that are open for SP_FRONT_STUCK_MS without a request under way: the
 * library's own limits don't see an HTTP/2 stream that never ends, or frames that ask for nothing.
 */
void sp_connections_close_stuck(sp_front_t *front, uint64_t now_ms);

/* Cuts off all. */
void sp_connections_close_all(sp_front_t *front);

#endif
