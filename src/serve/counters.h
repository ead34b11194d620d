/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_COUNTERS_H
#define SIGNPOST_SERVE_COUNTERS_H

/* What one worker counts. Written by its thread alone, read by any: each count is atomic, and they
 * are added up when somebody asks. */

#include <stdatomic.h>

#include "dns/stats.h"
#include "http/handshake.h"
#include "http/report.h"

#define SP_COUNTERS_KINDS (SP_OUTCOME_LIMITED + 1)
#define SP_COUNTERS_STATUSES 14

typedef struct sp_counters {
    atomic_uint_fast64_t requests[SP_COUNTERS_KINDS][SP_COUNTERS_STATUSES];
    atomic_uint_fast64_t gone;        /* the client left before there was an answer */
    sp_histogram_t durations;         /* of those that were answered */
    atomic_uint_fast64_t connections; /* now */
    atomic_uint_fast64_t turned_away; /* as in sp_front_counters_t, these three */
    atomic_uint_fast64_t evicted;
    atomic_uint_fast64_t floods;
    atomic_uint_fast64_t handshakes[SP_HANDSHAKES];
    atomic_uint_fast64_t proxy_refusals[SP_PROXY_REFUSALS];
    sp_dns_stats_t dns;
} sp_counters_t;

void sp_counters_add(sp_counters_t *counters, const sp_report_t *report);

/* The status that stands at `index`; the last index holds all others, shown as 0. */
unsigned sp_counters_status(size_t index);

#endif
