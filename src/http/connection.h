/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_CONNECTION_H
#define SIGNPOST_HTTP_CONNECTION_H

/* What we know of a client's connection beside the library: whose it is, what it does, and how it
 * ends. sweep.c looks over all of them. */

#include "http/clients.h"
#include "http/front_state.h"

/* A client may abandon so many requests more than it lets us answer: resetting streams costs it
 * nothing, and us the work that was begun. */
#define SP_CONNECTION_ABORTS_MAX 100

/* Streams that a client may have open at a time, as the library tells it. Requests that are read at
 * one time can't be more, for none of them can have been answered before all are: if they are, the
 * client has ended streams by itself, or made us reset them, to get round the limit. */
#define SP_CONNECTION_BURST_MAX 100

/* Octets that a connection may send: so many at first and at most saved up, more each second, more
 * for each answer. What asks for nothing (PING, SETTINGS, CONTINUATION …) is paid from it. */
#define SP_CONNECTION_OCTETS_MAX (INT64_C(2) * 1024 * 1024)
#define SP_CONNECTION_OCTETS_SECOND (INT64_C(64) * 1024)
#define SP_CONNECTION_OCTETS_ANSWER (INT64_C(128) * 1024) /* the largest head and body */

typedef struct sp_connection {
    h2o_linklist_t link; /* in front->connections, where the one used last is the last */
    sp_front_t *front;
    h2o_socket_t *socket;
    sp_client_t client;
    unsigned requests;    /* under way */
    unsigned waiting;     /* of them, for DNS; the others' answers are on their way to the client */
    unsigned aborts;      /* answers taken off again; beyond SP_CONNECTION_ABORTS_MAX: cut off */
    unsigned answers;     /* since the last sweep */
    int64_t octets;       /* that it may still send */
    uint64_t octets_seen; /* the kernel's count at the last sweep */
    uint64_t batch;       /* front->batch when its last request began */
    unsigned burst;       /* requests that began in that batch */
    uint64_t used_ms;     /* sp_now_ms() when a request last began or ended, or it was accepted */
    uint64_t left_ms;     /* when we took leave of it; 0: not yet */
    bool is_http2;        /* known with the first request */
    bool is_cut;          /* ends in the next turns of the loop; its requests are of no interest */
    sp_listen_mode_t mode;
    sp_preface_t *preface; /* NULL: it speaks HTTP */
    int linger_fd; /* duplicate of the socket, kept when its end must not be abrupt; or -1 */
} sp_connection_t;

/* Hands an accepted socket over to the library, at once or after what comes ahead of HTTP; or
 * closes it when there are too many, or it comes from the wrong peer. */
void sp_connection_start(sp_front_t *front, h2o_socket_t *socket, const sp_listen_mode_t *mode);

/* The socket's peer is another one than was thought (PROXY header). False, and counted, when that
 * client has its share of connections already. */
bool sp_connection_change_client(sp_connection_t *connection);

/* The connection that a request came on. */
sp_connection_t *sp_connection_of(h2o_req_t *req);

/* `is_http2`: of the request. May cut the connection off. */
void sp_connection_begin_request(sp_connection_t *connection, bool is_http2, uint64_t now_ms);

/* May cut the connection off. */
void sp_connection_end_request(sp_connection_t *connection, bool was_answered, uint64_t now_ms);

/* Closing a socket with unread input makes the kernel send RST, which may destroy the answer
 * before the client has read it. After this call the end of the connection is gentle: the answer,
 * FIN, and input thrown away for a while. */
void sp_connection_end_gently(sp_connection_t *connection);

/* Both end it in the next turns of the loop, whatever it is doing. */
void sp_connection_cut_off(sp_connection_t *connection);
void sp_connection_throw_out(sp_connection_t *connection); /* for a flood: with RST, and counted */

#endif
