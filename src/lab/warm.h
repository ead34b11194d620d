/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_WARM_H
#define SIGNPOST_LAB_WARM_H

/* Fills the caches of DNS servers: each is asked for all names itself. Through a ClusterIP, which
 * chooses at random, one of several servers would always lack some. */

#include <signpost/base/error.h>

#include "lab/spawn.h"

typedef struct sp_lab_warm {
    const sp_netns_t *netns; /* where the questions come from */
    const char *address;
    unsigned port;
    unsigned names;
    int limit_ms; /* of all of it */
} sp_lab_warm_t;

/* *ret_answered: of how many names an answer came; what is lost is not asked for again. SP_IO when
 * nothing can be sent. */
sp_status_t sp_lab_warm_dns(const sp_lab_warm_t *warm, unsigned *ret_answered, sp_error_t *err);

#endif
