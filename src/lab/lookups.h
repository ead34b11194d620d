/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_LOOKUPS_H
#define SIGNPOST_LAB_LOOKUPS_H

/* The resolver client of the C library, as applications have it: many threads, each of which looks
 * one host after another up by getaddrinfo, both families, with what /etc/resolv.conf says. */

#include <jansson.h>
#include <signpost/base/error.h>

typedef struct sp_lab_lookups_plan {
    unsigned threads;
    double duration_s; /* in which lookups are begun */
    unsigned names;    /* hosts of the laboratory's zone to choose from */
    bool absolute;     /* with a final dot: the search list is not used */
    uint64_t seed;
} sp_lab_lookups_plan_t;

#define SP_LAB_LOOKUP_THREADS_MAX 10000

/* The figures in the shape of the load generator's; a lookup that gave an address counts as an
 * answer, one that EAI_AGAIN ended as timed out. The caller owns *ret_json. */
sp_status_t sp_lab_lookups_run(const sp_lab_lookups_plan_t *plan, json_t **ret_json,
                               sp_error_t *err);

#endif
