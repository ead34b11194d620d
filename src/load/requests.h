/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_REQUESTS_H
#define SIGNPOST_LOAD_REQUESTS_H

/* The octets of each target's HTTP/1.1 request, written once before the run: sending one costs no
 * more than the system call. Immutable afterwards, shared by the threads. */

#include "load/plan.h"

typedef struct sp_load_requests {
    char *octets;  /* all of them, one after another */
    size_t *begin; /* of each, and the end of the last */
} sp_load_requests_t;

/* SP_OK or SP_NO_MEMORY. */
sp_status_t sp_load_requests_init(sp_load_requests_t *requests, const sp_load_plan_t *plan);

/* All zero is nothing to clear. */
void sp_load_requests_clear(sp_load_requests_t *requests);

static inline sp_str_t sp_load_request_octets(const sp_load_requests_t *requests, size_t target)
{
    size_t begin = requests->begin[target];

    return (sp_str_t){requests->octets + begin, requests->begin[target + 1] - begin};
}

#endif
