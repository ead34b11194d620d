/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_CACHE_H
#define SIGNPOST_DNS_CACHE_H

/* Answers by name, shared by all workers: sharded, with short locks. Bounded in octets; what goes
 * first is found by SIEVE, which a flood of names asked once can't use to push out those that are
 * asked again. The time is passed in. */

#include "dns/lookup.h"

typedef struct sp_cache_options {
    bool enabled; /* false: nothing is kept, nothing is found */
    size_t max_bytes;
    uint32_t min_ttl_s; /* of answers with TXT records */
    uint32_t max_ttl_s;
    uint32_t negative_ttl_s; /* at most, for NXDOMAIN and NODATA (RFC 2308) */
    uint32_t failure_ttl_s;  /* exactly, for failures (RFC 9520) */
} sp_cache_options_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO when the system has no random octets. */
sp_status_t sp_cache_create(const sp_cache_options_t *options, sp_cache_t **ret_cache);

/* When no thread uses it any more. Accepts NULL. */
void sp_cache_destroy(sp_cache_t *cache);

/* A reference to the answer for a name, and what is left of its TTL (rounded up); NULL when there
 * is none that is fresh. */
const sp_answer_t *sp_cache_find(sp_cache_t *cache, sp_str_t name, uint64_t now_ms,
                                 uint32_t *ret_ttl_s);

/* Keeps a reference of its own, in the place of any older answer. An answer whose TTL comes to 0,
 * one that is too big, and one that there is no memory for is not kept; nor is
 * SP_FAILURE_OVERLOAD or SP_FAILURE_NO_RESOLVER, which say nothing of the name. */
void sp_cache_store(sp_cache_t *cache, sp_str_t name, const sp_answer_t *answer, uint64_t now_ms);

/* True when the name was there. */
bool sp_cache_remove(sp_cache_t *cache, sp_str_t name);

typedef struct sp_cache_counters {
    uint64_t entries;   /* now */
    uint64_t bytes;     /* now: of heap, the allocator's overhead included (estimated) */
    uint64_t evictions; /* so far */
} sp_cache_counters_t;

void sp_cache_count(sp_cache_t *cache, sp_cache_counters_t *ret_counters);

#endif
