/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_STATS_H
#define SIGNPOST_DNS_STATS_H

/* What is counted of DNS for the metrics. It outlives the lookup services that write to it, so that
 * counts go on over a reload; one thread writes, any may read. Every function accepts NULL for
 * `stats`: then nothing is counted. */

#include <signpost/base/str.h>

#include "dns/ares_channel.h"
#include "dns/histogram.h"
#include "dns/lookup.h"

/* How one query to a resolver ended. */
typedef enum sp_dns_result {
    SP_DNS_NOERROR,
    SP_DNS_FORMERR,
    SP_DNS_SERVFAIL,
    SP_DNS_NXDOMAIN,
    SP_DNS_NOTIMP,
    SP_DNS_REFUSED,
    SP_DNS_OTHER,              /* another rcode */
    SP_DNS_MALFORMED,          /* no header of a reply */
    SP_DNS_TIMEOUT,            /* nobody answered; behind here: no reply */
    SP_DNS_REFUSED_CONNECTION, /* port closed, host unreachable */
    SP_DNS_CANCELLED, /* not waited for any longer: the service has ended, or begins anew */
    SP_DNS_RESULTS
} sp_dns_result_t;

typedef struct sp_dns_stats {
    atomic_uint_fast64_t queries[2][SP_DNS_RESULTS]; /* UDP, TCP: those that have ended */
    sp_histogram_t durations;                        /* from sending to the reply */
    atomic_uint_fast64_t lookups[SP_SOURCE_MISS + 1];
    atomic_uint_fast64_t overloads; /* lookups that were refused: too many in flight, no memory */
    atomic_uint_fast64_t hedges;
    atomic_uint_fast64_t inflight;
    atomic_uint_fast64_t answered_ms; /* sp_now_ms() of the last reply, whatever it said; 0: none */
} sp_dns_stats_t;

/* "noerror", "servfail", "timeout", … */
const char *sp_dns_result_name(sp_dns_result_t result);

/* Of a reply as it came. */
sp_dns_result_t sp_dns_result_of(sp_str_t message);

/* A query that was sent `us` ago has ended. Each that is sent ends once, also when its question has
 * been answered by another meanwhile: then it is still listened to for as long as it would have
 * been, so that a packet that was lost counts as one. */
void sp_dns_stats_query(sp_dns_stats_t *stats, bool tcp, sp_dns_result_t result, uint64_t us);

/* The same, as a channel tells it. What was never sent is no query. */
void sp_dns_stats_end(sp_dns_stats_t *stats, bool tcp, sp_wire_result_t wire, sp_str_t message,
                      uint64_t us);

/* A lookup has begun, or ended at once, by way of `source`. */
void sp_dns_stats_lookup(sp_dns_stats_t *stats, sp_source_t source);

void sp_dns_stats_overload(sp_dns_stats_t *stats);
void sp_dns_stats_hedge(sp_dns_stats_t *stats);

/* So many questions more, or fewer, are in flight. */
void sp_dns_stats_inflight(sp_dns_stats_t *stats, int64_t change);

#endif
