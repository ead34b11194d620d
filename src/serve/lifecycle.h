/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_LIFECYCLE_H
#define SIGNPOST_SERVE_LIFECYCLE_H

/* How far the process is, for whoever asks from another thread: readiness and metrics. */

#include <stdatomic.h>

typedef enum sp_phase {
    SP_PHASE_STARTING,
    SP_PHASE_SERVING,
    SP_PHASE_DRAINING /* from the first SIGTERM on: not ready any more */
} sp_phase_t;

/* All zero: starting. Written by the main thread alone. */
typedef struct sp_lifecycle {
    _Atomic(sp_phase_t) phase;
    atomic_uint_fast64_t reloads;        /* that came into force */
    atomic_uint_fast64_t failed_reloads; /* that left the old configuration in force */
} sp_lifecycle_t;

#endif
