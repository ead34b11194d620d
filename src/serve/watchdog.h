/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_WATCHDOG_H
#define SIGNPOST_SERVE_WATCHDOG_H

/* The service manager's watchdog (sd_watchdog_enabled(3)): it is told that we are well only when
 * the loop of every worker has turned since the last time. */

#include "serve/worker.h"

typedef struct sp_watchdog {
    uint64_t interval_ms; /* 0: nobody wants to know */
    uint64_t next_ms;     /* when to look again, by sp_now_ms() */
    uint64_t round;       /* the question that workers were last asked */
} sp_watchdog_t;

/* By WATCHDOG_USEC and WATCHDOG_PID. */
sp_watchdog_t sp_watchdog_from_environment(void);

/* Milliseconds to wait at most until the next look. */
int sp_watchdog_pause(const sp_watchdog_t *watchdog, uint64_t now_ms, uint64_t at_most_ms);

/* When it is time: tells the manager, if all workers have answered, and asks them again. */
void sp_watchdog_look(sp_watchdog_t *watchdog, sp_worker_t *const *workers, size_t count,
                      uint64_t now_ms);

#endif
