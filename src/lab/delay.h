/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_DELAY_H
#define SIGNPOST_LAB_DELAY_H

/* A delay without netem: packets that an iptables rule sends to NFQUEUE are let go later. The
 * kernel keeps them meanwhile; if this program dies, `--queue-bypass` lets all pass. */

#include "lab/spawn.h"

/* Packets that may be under way at the same time; what is more gets lost, and counted. */
#define SP_DELAY_ROOM 200000

typedef struct sp_delay_options {
    unsigned queue; /* 0 … 65535 */
    uint64_t delay_us, jitter_us;
    uint64_t seed;
} sp_delay_options_t;

/* The program itself: `signpost lab-delay`. Writes a line to standard output when it is ready;
 * returns on SIGTERM or SIGINT (SP_OK), having let go what it held, and when it cannot work. */
sp_status_t sp_delay_run(const sp_delay_options_t *options, sp_error_t *err);

/* Starts it in a namespace and waits until it is ready. */
sp_status_t sp_delay_spawn(const char *signpost, const sp_netns_t *netns,
                           const sp_delay_options_t *options, sp_process_t *ret_process,
                           sp_error_t *err);

#endif
