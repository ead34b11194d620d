/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/stats.h"

#define HEADER_SIZE 12 /* RFC 1035, 4.1.1 */

/* There is one writer, so that no locked instruction is needed. */
static void add(atomic_uint_fast64_t *count, uint64_t value)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

const char *sp_dns_result_name(sp_dns_result_t result)
{
    static const char *const names[SP_DNS_RESULTS] = {
        "noerror", "formerr",   "servfail", "nxdomain",           "notimp",   "refused",
        "other",   "malformed", "timeout",  "refused_connection", "cancelled"};

    return names[result];
}

sp_dns_result_t sp_dns_result_of(sp_str_t message)
{
    unsigned rcode = 0;

    if (message.len < HEADER_SIZE) {
        return SP_DNS_MALFORMED;
    }
    rcode = (unsigned char)message.ptr[3] & 15U;
    return rcode < SP_DNS_OTHER ? (sp_dns_result_t)rcode
                                : SP_DNS_OTHER; /* in the order of rcodes */
}

/* Did the resolver say anything? */
static bool is_reply(sp_dns_result_t result)
{
    return result < SP_DNS_TIMEOUT;
}

void sp_dns_stats_query(sp_dns_stats_t *stats, bool tcp, sp_dns_result_t result, uint64_t us)
{
    if (stats == NULL) {
        return;
    }
    add(&stats->queries[tcp ? 1 : 0][result], 1);
    if (is_reply(result)) {
        sp_histogram_add(&stats->durations, us);
        atomic_store_explicit(&stats->answered_ms, sp_now_ms(), memory_order_relaxed);
    }
}

void sp_dns_stats_end(sp_dns_stats_t *stats, bool tcp, sp_wire_result_t wire, sp_str_t message,
                      uint64_t us)
{
    switch (wire) {
    case SP_WIRE_REPLY:
        sp_dns_stats_query(stats, tcp, sp_dns_result_of(message), us);
        break;
    case SP_WIRE_TIMEOUT:
        sp_dns_stats_query(stats, tcp, SP_DNS_TIMEOUT, us);
        break;
    case SP_WIRE_CONNECTION:
        sp_dns_stats_query(stats, tcp, SP_DNS_REFUSED_CONNECTION, us);
        break;
    case SP_WIRE_CANCELLED:
        sp_dns_stats_query(stats, tcp, SP_DNS_CANCELLED, us);
        break;
    case SP_WIRE_NO_NAME:
    case SP_WIRE_NO_MEMORY:
        break;
    }
}

void sp_dns_stats_lookup(sp_dns_stats_t *stats, sp_source_t source)
{
    if (stats != NULL) {
        add(&stats->lookups[source], 1);
    }
}

void sp_dns_stats_overload(sp_dns_stats_t *stats)
{
    if (stats != NULL) {
        add(&stats->overloads, 1);
    }
}

void sp_dns_stats_hedge(sp_dns_stats_t *stats)
{
    if (stats != NULL) {
        add(&stats->hedges, 1);
    }
}

void sp_dns_stats_inflight(sp_dns_stats_t *stats, int64_t change)
{
    if (stats != NULL) {
        add(&stats->inflight, (uint64_t)change); /* wraps around to a decrement */
    }
}
