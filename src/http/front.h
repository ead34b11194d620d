/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_FRONT_H
#define SIGNPOST_HTTP_FRONT_H

/* The HTTP side of one thread: its listening sockets, connections and requests. Everything here
 * belongs to the thread that runs the loop. */

#include "http/clients.h"
#include "http/handshake.h"
#include "http/report.h"
#include "http/service.h"
#include "tls/store.h"

/* Limits that an outsider can push against. */
#define SP_FRONT_BODY_MAX ((size_t)64 * 1024) /* octets of a request body: beyond, 413 */
#define SP_FRONT_REQUEST_MS 10000             /* for the whole of a request to arrive */
#define SP_FRONT_IDLE_MS 10000                /* HTTP/2 without a stream */
#define SP_FRONT_STUCK_MS 20000               /* a connection on which nothing gets done */
#define SP_FRONT_STREAMS_MAX 32               /* of one HTTP/2 connection handled at a time */
#define SP_FRONT_UNACKED_MS 20000 /* a client that takes nothing for so long is cut off */

typedef struct sp_front sp_front_t;

typedef struct sp_front_counters {
    uint64_t accepted;
    uint64_t connections; /* now */
    uint64_t waiting;     /* requests, now */
    uint64_t turned_away; /* connections: the client had its share, or there was no room */
    uint64_t evicted;     /* idle connections closed to make room */
    uint64_t floods;      /* connections cut off for what they sent */
    uint64_t limited;     /* requests refused: their client causes too many questions */
    uint64_t handshakes[SP_HANDSHAKES];
    uint64_t proxy_refusals[SP_PROXY_REFUSALS];
} sp_front_counters_t;

/* `on_report` (may be NULL) is called once for each request. */
sp_status_t sp_front_create(h2o_loop_t *loop, sp_report_fn *on_report, void *report_arg,
                            sp_front_t **ret_front);

/* Ends what is still open at once. To be called from the loop's thread, outside the loop, which
 * it runs for a moment. Accepts NULL. */
void sp_front_destroy(sp_front_t *front);

/* New requests are answered with `service` (borrowed; those under way keep theirs). */
void sp_front_use(sp_front_t *front, sp_service_t *service);

/* Counts connections and limits clients there (borrowed, shared with other fronts); before the
 * first connection. Without it nothing is limited. */
void sp_front_count_in(sp_front_t *front, sp_clients_t *clients);

/* Speaks TLS on listeners that ask for it, with `context` (of a policy whose offer is
 * sp_tls_offer_of) and certificates of `store`; both are borrowed and shared with other fronts.
 * Before the first such listener. SP_OK, SP_NO_MEMORY, SP_IO. */
sp_status_t sp_front_use_tls(sp_front_t *front, SSL_CTX *context, sp_tls_store_t *store);

/* How connections of one listening socket begin. */
typedef struct sp_listen_mode {
    /* Whoever opened the socket keeps it open, so that connections which come in while we end wait
     * for the next one who listens. */
    bool is_inherited;
    bool tls;
    bool proxy_protocol; /* each begins with a PROXY header, and comes from a trusted proxy */
    uint16_t https_port; /* where https:// is reached from outside; 0: as usual */
} sp_listen_mode_t;

/* Accepts connections from a listening, non-blocking socket; `fd` belongs to the front if it
 * succeeds. */
sp_status_t sp_front_listen_own(sp_front_t *front, int fd, const sp_listen_mode_t *mode);

/* Takes no new connections (what has been accepted by the kernel is served), asks clients to go,
 * closes what is idle. Requests under way are finished. */
void sp_front_drain(sp_front_t *front);

/* While draining: no connection is left. */
bool sp_front_is_drained(const sp_front_t *front);

/* Answers what still waits with 503 and cuts off the rest. Connections end within the next turns
 * of the loop. */
void sp_front_abort(sp_front_t *front);

const sp_front_counters_t *sp_front_counters(const sp_front_t *front);

#endif
