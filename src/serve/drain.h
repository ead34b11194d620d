/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_DRAIN_H
#define SIGNPOST_SERVE_DRAIN_H

/* The end of the process, begun by a signal: for `delay_ms` everything goes on as before, while
 * load balancers notice that we are not ready any more; then listeners close and clients are asked
 * to go; at `timeout_ms`, counted from the signal, it is over. A second signal asks for haste. */

#include "http/listener.h"
#include "serve/watchdog.h"

typedef struct sp_drain {
    sp_worker_t *const *workers;
    size_t worker_count;
    sp_listener_t *listeners;
    size_t listener_count;
    sp_watchdog_t *watchdog;
    const sp_log_t *log;
    int signal_fd; /* signals.h */
    int done_fd;   /* readable when a worker has ended */
    uint64_t delay_ms;
    uint64_t timeout_ms;
} sp_drain_t;

/* Returns when every worker has ended; false: one does not. */
bool sp_drain(const sp_drain_t *drain);

#endif
