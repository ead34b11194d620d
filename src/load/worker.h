/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_WORKER_H
#define SIGNPOST_LOAD_WORKER_H

/* One thread of the load generator: its share of the connections and of the requests, on one epoll.
 * Workers share nothing but what is immutable, and the word that ends the run. */

#include <stdatomic.h>

#include "load/choice.h"
#include "load/connection.h"
#include "load/requests.h"
#include "load/waiter.h"

struct nghttp2_session_callbacks;

/* What the workers of one run have in common. */
typedef struct sp_load_common {
    const sp_load_plan_t *plan;
    sp_load_weights_t *weights;  /* or NULL */
    sp_load_requests_t requests; /* HTTP/1.1 */
    atomic_bool halt;            /* end now */
} sp_load_common_t;

typedef struct sp_load_worker {
    sp_load_common_t *common;
    const sp_load_plan_t *plan;
    sp_load_waiter_t waiter;
    sp_load_tls_t *tls;                                /* or NULL */
    struct nghttp2_session_callbacks *http2_callbacks; /* or NULL */
    uint64_t begin_ns;                                 /* of the run, by sp_load_clock_ns */
    uint64_t now_ns; /* since then, when the clock was last looked at, as all times below */

    sp_load_choice_t choice;
    sp_load_schedule_t schedule; /* open loop */
    uint64_t next_due_ns;        /* open loop; UINT64_MAX: no more */
    uint64_t left;               /* closed loop: requests that may still begin */
    sp_load_due_queue_t queue;
    uint64_t reserved; /* closed loop: connections being opened with a request of `left` in mind */
    uint64_t pending;  /* requests that are due and have not ended */
    uint64_t first_due_ns, last_due_ns, last_end_ns;

    unsigned streams;     /* requests at a time on one connection */
    unsigned limit;       /* connections at a time */
    unsigned left_behind; /* connections that are leaving, as many at most */
    unsigned live;        /* those that are not leaving */
    unsigned opening;     /* of them, those that are not open yet */
    uint64_t retry_ns;    /* closed loop: no connection is opened before */
    sp_load_link_t connections, opening_list, ready, leaving, closed;
    sp_load_link_t in_flight;
    sp_load_link_t spare; /* connections whose memory can be used again */

    sp_load_tally_t *tally;
    sp_load_histogram_t late; /* how long after its due time a request was written, where a
                                 connection was free for it */
    char *octets;             /* read from a socket, or gathered for one */
    char *plain;              /* read from TLS */
    sp_status_t status;       /* SP_OK, or why it gave up */
} sp_load_worker_t;

#define SP_LOAD_OCTETS_ROOM ((size_t)65536) /* of `octets` */
#define SP_LOAD_PLAIN_ROOM ((size_t)16384)  /* of `plain`: a TLS record */

/* Worker `number` of plan->threads. */
sp_status_t sp_load_worker_create(sp_load_common_t *common, unsigned number,
                                  sp_load_worker_t **ret_worker, sp_error_t *err);
void sp_load_worker_destroy(sp_load_worker_t *worker); /* accepts NULL */

/* Works until everything is done, or common->halt. */
void sp_load_worker_run(sp_load_worker_t *worker, uint64_t begin_ns);

/* Looks at the clock. */
static inline uint64_t sp_load_worker_now(sp_load_worker_t *worker)
{
    worker->now_ns = sp_load_clock_ns() - worker->begin_ns;
    return worker->now_ns;
}

/* Share of `total` that falls to worker `number` of `count`. */
static inline uint64_t sp_load_share(uint64_t total, unsigned count, unsigned number)
{
    return total / count + (number < total % count ? 1 : 0);
}

#endif
