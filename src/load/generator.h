/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_GENERATOR_H
#define SIGNPOST_LOAD_GENERATOR_H

/* Runs a plan: threads, connections, requests, and what became of them. */

#include <signal.h>
#include <signpost/base/error.h>

#include "load/plan.h"
#include "load/tally.h"

typedef struct sp_load_progress {
    double elapsed_s;
    uint64_t due, ended, errors; /* so far */
    uint64_t recent_ended;       /* since the last call */
    sp_load_second_t recent;     /* latencies since the last call: sp_load_tally_recent of each
                                    thread's tally */
    bool draining;               /* nothing becomes due any more */
} sp_load_progress_t;

/* From the calling thread, about twice a second. */
typedef void sp_load_progress_fn(void *arg, const sp_load_progress_t *progress);

typedef struct sp_load_outcome {
    sp_load_tally_t *tally;  /* merged; the caller destroys it */
    double sending_s;        /* from the first request that was due to the last */
    double elapsed_s;        /* until the last one ended */
    double user_s, system_s; /* CPU time of the process meanwhile */
    double late_p99_s; /* how much later than intended requests were written while a connection was
                          free: the generator's own lag */
    char started[32];  /* RFC 3339, UTC */
    bool interrupted;
} sp_load_outcome_t;

/* Ends early when *stop becomes non-zero. SP_OK also when every request failed; SP_IO with a
 * sentence when the run could not begin (no connection at all could be opened to the server, out of
 * descriptors), SP_NO_MEMORY. */
sp_status_t sp_load_run(const sp_load_plan_t *plan, const volatile sig_atomic_t *stop,
                        sp_load_progress_fn *on_progress, void *arg, sp_load_outcome_t *ret_outcome,
                        sp_error_t *err);

#endif
