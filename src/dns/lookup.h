/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_LOOKUP_H
#define SIGNPOST_DNS_LOOKUP_H

/* Asking for the TXT records of one name: the only DNS interface that the layers above use. Zone
 * files, the cache, equal questions in flight and the resolvers stand behind it. One sp_lookups_t
 * belongs to one thread and its loop. */

#include <signpost/decide/answer.h>

#include "dns/compat_h2o.h"

typedef struct sp_cache sp_cache_t; /* dns/cache.h: shared by the workers */
typedef struct sp_zones sp_zones_t; /* dns/zone_client.h: immutable, shared by the workers */
typedef struct sp_dns_stats sp_dns_stats_t; /* dns/stats.h */
typedef struct sp_lookups sp_lookups_t;     /* one per worker */
typedef struct sp_lookup sp_lookup_t;       /* one question that waits */

#define SP_RESOLVERS_MAX 8

/* The part of the configuration that lookups depend on; copied at creation. */
typedef struct sp_dns_options {
    struct sockaddr_storage resolvers[SP_RESOLVERS_MAX];
    size_t resolver_count;
    enum { SP_TRANSPORT_AUTO, SP_TRANSPORT_UDP, SP_TRANSPORT_TCP } transport;
    unsigned try_ms;
    unsigned tries;
    int hedge_ms; /* after which an unanswered question goes out twice; 0: chosen, -1: never */
    unsigned max_inflight; /* beyond: SP_FAILURE_OVERLOAD */
    sp_dns_stats_t *stats; /* what is counted, of the service's thread; NULL: nothing */
} sp_dns_options_t;

typedef enum sp_source {
    SP_SOURCE_ZONE,      /* a zone file */
    SP_SOURCE_HIT,       /* the cache */
    SP_SOURCE_STALE,     /* the cache, past its TTL */
    SP_SOURCE_COALESCED, /* a query that another request had begun */
    SP_SOURCE_MISS       /* a query of its own */
} sp_source_t;

typedef struct sp_lookup_result {
    const sp_answer_t *answer; /* never NULL. From sp_lookup_start: a reference that the caller
                                  releases. In the callback: borrowed until it returns. */
    sp_source_t source;
    uint32_t ttl_s;     /* what is left of it */
    uint64_t waited_us; /* from sp_lookup_start to the answer; 0 when it was there */
} sp_lookup_result_t;

typedef void sp_lookup_done_fn(void *arg, const sp_lookup_result_t *result);

/* `zones` and `cache` may be NULL; they and `loop` must outlive the service. SP_OK, SP_NO_MEMORY,
 * or SP_IO with the reason in *err. */
sp_status_t sp_lookups_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                              const sp_zones_t *zones, sp_cache_t *cache,
                              sp_lookups_t **ret_lookups, sp_error_t *err);

/* Asked before a query is begun for somebody, with the `arg` of the sp_lookup_start that it is for;
 * false: the answer is SP_FAILURE_OVERLOAD at once. What the cache refreshes by itself is nobody's.
 */
typedef bool sp_lookup_guard_fn(void *arg);
void sp_lookups_guard(sp_lookups_t *lookups, sp_lookup_guard_fn *guard);

/* Cancels what waits, without calling back. Accepts NULL. */
void sp_lookups_destroy(sp_lookups_t *lookups);

/* Asks for the TXT records of `name` (absolute, lower case, no final dot). `deadline_ms` is a time
 * of sp_now_ms(). True: *ret_result holds the answer and `done` is never called. False: *ret_lookup
 * waits; `done` runs exactly once, later, from the loop, unless it is cancelled before. A question
 * that can't wait (memory, limits) is answered at once with a failure. At the deadline the answer
 * is SP_FAILURE_TIMEOUT; the query itself goes on and its answer is cached. */
bool sp_lookup_start(sp_lookups_t *lookups, sp_str_t name, uint64_t deadline_ms,
                     sp_lookup_done_fn *done, void *arg, sp_lookup_result_t *ret_result,
                     sp_lookup_t **ret_lookup);

/* `done` will not be called. The query itself goes on, and its answer is cached. */
void sp_lookup_cancel(sp_lookup_t *lookup);

/* Milliseconds of CLOCK_MONOTONIC, and microseconds. */
uint64_t sp_now_ms(void);
uint64_t sp_now_us(void);

#endif
