/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_CACHE_H
#define SIGNPOST_DNS_CACHE_H

/* Answers by name, shared by all workers: sharded, with short locks. Bounded in octets; what goes
 * first is found by SIEVE, which a flood of names asked once can't use to push out those that are
 * asked again. An answer whose TTL has run out stays for a while, for when there is no other (RFC
 * 8767); a failure does not replace it. The time is passed in, in milliseconds. */

#include "dns/lookup.h"

typedef struct sp_cache_options {
    bool enabled; /* false: nothing is kept, nothing is found */
    size_t max_bytes;
    uint32_t min_ttl_s; /* of answers with TXT records */
    uint32_t max_ttl_s;
    uint32_t negative_ttl_s; /* at most, for NXDOMAIN and NODATA (RFC 2308) */
    uint32_t failure_ttl_s;  /* exactly, for failures (RFC 9520) */
    uint32_t stale_s;        /* how long answers are of use after their TTL */
    bool prefetch;           /* popular answers are asked for anew before their TTL runs out */
} sp_cache_options_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO when the system has no random octets. */
sp_status_t sp_cache_create(const sp_cache_options_t *options, sp_cache_t **ret_cache);

/* When no thread uses it any more. Accepts NULL. */
void sp_cache_destroy(sp_cache_t *cache);

/* A reference to the answer for a name, and what is left of its TTL (rounded up); NULL when there
 * is none that is fresh. */
const sp_answer_t *sp_cache_find(sp_cache_t *cache, sp_str_t name, uint64_t now_ms,
                                 uint32_t *ret_ttl_s);

typedef enum sp_cached_state {
    SP_CACHED_FRESH,
    SP_CACHED_REFRESH, /* fresh, and whoever is told this asks anew in the background: popular, and
                          in the last tenth of its TTL. Nobody else is told for five seconds. */
    SP_CACHED_STALE,   /* its TTL has run out: to be asked for, and used when that does not help */
    SP_CACHED_BLOCKED  /* the same, but asking has failed within the last failure_ttl_s */
} sp_cached_state_t;

typedef struct sp_cached {
    const sp_answer_t *answer; /* a reference */
    uint32_t ttl_s;            /* what is left, rounded up; 0: stale */
    sp_cached_state_t state;
} sp_cached_t;

/* The same with all that lookups want to know, and counted. False: nothing is there, or nothing
 * that is of use. An answer is popular that was looked up twice since it was stored; one with a TTL
 * under ten seconds is never refreshed ahead. */
bool sp_cache_look(sp_cache_t *cache, sp_str_t name, uint64_t now_ms, sp_cached_t *ret_cached);

/* Keeps a reference of its own, in the place of any older answer. One that is too big, and one that
 * there is no memory for is not kept; nor is SP_FAILURE_OVERLOAD or SP_FAILURE_NO_RESOLVER, which
 * say nothing of the name. A failure leaves an older answer that is still of use where it is, and
 * keeps others from asking for a while.
 *
 * An answer whose TTL comes to 0 is for those alone who asked (RFC 8767, 4): it is not kept, not
 * even to be used stale. An older one that says something else goes: the refresh has succeeded, and
 * to fall back later on what was taken back would be worse than to fail. An older one that says the
 * same stays, for as long as its own TTL allowed: a resolver that counts its copy down answers with
 * 0 in the last second, which is no reason to have nothing left when it fails afterwards. */
void sp_cache_store(sp_cache_t *cache, sp_str_t name, const sp_answer_t *answer, uint64_t now_ms);

/* True when the name was there. */
bool sp_cache_remove(sp_cache_t *cache, sp_str_t name);

/* A resolver that had been silent answers again: what failed before for want of an answer is to be
 * asked for again. */
void sp_cache_resolver_is_back(sp_cache_t *cache, uint64_t now_ms);

/* Did a question asked at `asked_ms` fail for want of an answer, and a resolver come back since?
 * Such a failure is not worth storing. */
bool sp_cache_is_outdated(const sp_cache_t *cache, const sp_answer_t *answer, uint64_t asked_ms);

typedef struct sp_cache_counters {
    uint64_t entries; /* now */
    uint64_t bytes;   /* now: of heap, the allocator's overhead included (estimated) */
    uint64_t hits;    /* so far, of sp_cache_look: fresh */
    uint64_t stale;   /* past its TTL; whether it was used is seen in the lookups' counters */
    uint64_t misses;
    uint64_t refreshes; /* told to whoever looked */
    uint64_t evictions;
} sp_cache_counters_t;

void sp_cache_count(sp_cache_t *cache, sp_cache_counters_t *ret_counters);

#endif
