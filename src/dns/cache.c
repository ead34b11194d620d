/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/cache.h"

#include "dns/name_map.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SHARDS_MAX 64
#define SHARD_MIN_BYTES 262144U /* a small cache has fewer shards */
#define MALLOC_OVERHEAD 16      /* octets of one allocation: header and rounding */
#define POPULAR 2               /* hits since it was stored */
#define PREFETCH_MIN_TTL_S 10
#define CLAIM_MS 5000 /* how long whoever was told to refresh may take */
#define MS_PER_TICK 100

/* In the map by name, and in the shard's queue by age. */
typedef struct entry {
    sp_name_node_t node;
    struct entry *newer;
    struct entry *older;
    const sp_answer_t *answer;
    uint64_t expires_ms;
    uint32_t retry_ticks; /* of MS_PER_TICK: nobody is told to ask before */
    uint8_t hits;         /* since it was stored; no more are counted than matter */
    bool visited;         /* since the hand came by last */
    bool failed;          /* asking anew did */
    char name[];
} entry_t;

typedef struct shard {
    pthread_mutex_t lock;
    sp_name_map_t map;
    entry_t *newest;
    entry_t *oldest;
    entry_t *hand; /* the entry that SIEVE looks at next; NULL: the oldest */
    size_t bytes;  /* of the entries */
    sp_cache_counters_t counters;
} shard_t;

struct sp_cache {
    sp_cache_options_t options;
    sp_name_key_t key;
    size_t shard_max; /* octets */
    size_t shard_count;
    atomic_uint_fast64_t back_ms; /* when a resolver came back last */
    shard_t *shards;
};

/* Of heap, for entry and answer. */
static size_t bytes_of(const entry_t *entry)
{
    return offsetof(entry_t, name) + entry->node.len + MALLOC_OVERHEAD +
           sp_answer_bytes(entry->answer) + MALLOC_OVERHEAD;
}

static size_t shard_count_for(size_t max_bytes)
{
    size_t count = max_bytes / SHARD_MIN_BYTES;

    if (count == 0) {
        return 1;
    }
    return count < SHARDS_MAX ? count : SHARDS_MAX;
}

static sp_status_t init_shard(shard_t *shard, const sp_name_key_t *key)
{
    sp_status_t status = sp_name_map_init(&shard->map, key);

    if (status == SP_OK && pthread_mutex_init(&shard->lock, NULL) != 0) {
        sp_name_map_clear(&shard->map);
        status = SP_NO_MEMORY;
    }
    return status;
}

sp_status_t sp_cache_create(const sp_cache_options_t *options, sp_cache_t **ret_cache)
{
    size_t wanted = shard_count_for(options->max_bytes);
    sp_cache_t *cache = calloc(1, sizeof(*cache));
    sp_status_t status = SP_NO_MEMORY;

    if (cache == NULL || (cache->shards = calloc(wanted, sizeof(*cache->shards))) == NULL) {
        goto out;
    }
    cache->options = *options;
    atomic_init(&cache->back_ms, 0);
    cache->shard_max = options->max_bytes / wanted;
    status = sp_name_key_make(&cache->key);
    while (status == SP_OK && cache->shard_count != wanted) {
        status = init_shard(&cache->shards[cache->shard_count], &cache->key);
        cache->shard_count += status == SP_OK ? 1 : 0;
    }
    if (status == SP_OK) {
        *ret_cache = cache;
        cache = NULL;
    }
out:
    sp_cache_destroy(cache);
    return status;
}

static void free_entry(entry_t *entry)
{
    sp_answer_release(entry->answer);
    free(entry);
}

static void clear_shard(shard_t *shard)
{
    for (entry_t *entry = shard->newest, *older; entry != NULL; entry = older) {
        older = entry->older;
        free_entry(entry);
    }
    sp_name_map_clear(&shard->map);
    (void)pthread_mutex_destroy(&shard->lock);
}

void sp_cache_destroy(sp_cache_t *cache)
{
    if (cache == NULL) {
        return;
    }
    for (size_t i = 0; i != cache->shard_count; ++i) {
        clear_shard(&cache->shards[i]);
    }
    free(cache->shards);
    free(cache);
}

/* The low half of the hash picks the bucket, the high half the shard. */
static shard_t *lock_shard(sp_cache_t *cache, uint64_t hash)
{
    shard_t *shard = &cache->shards[(hash >> 32) % cache->shard_count];

    (void)pthread_mutex_lock(&shard->lock); /* fails for misuse only */
    return shard;
}

static void unlock(shard_t *shard)
{
    (void)pthread_mutex_unlock(&shard->lock);
}

static void push_newest(shard_t *shard, entry_t *entry)
{
    entry->older = shard->newest;
    *(shard->newest != NULL ? &shard->newest->newer : &shard->oldest) = entry;
    shard->newest = entry;
    sp_name_map_insert(&shard->map, &entry->node);
    shard->bytes += bytes_of(entry);
}

static void take_out(shard_t *shard, entry_t *entry)
{
    if (shard->hand == entry) {
        shard->hand = entry->newer;
    }
    *(entry->newer != NULL ? &entry->newer->older : &shard->newest) = entry->older;
    *(entry->older != NULL ? &entry->older->newer : &shard->oldest) = entry->newer;
    sp_name_map_remove(&shard->map, &entry->node);
    shard->bytes -= bytes_of(entry);
}

/* The hand moves from old to new and takes the first entry that was not found again since it came
 * by; those that were keep their place in the queue. The evicted one is chained into *freed. */
static void evict_one(shard_t *shard, entry_t **freed)
{
    entry_t *entry = shard->hand != NULL ? shard->hand : shard->oldest;

    while (entry->visited) {
        entry->visited = false;
        entry = entry->newer != NULL ? entry->newer : shard->oldest;
    }
    shard->hand = entry;
    take_out(shard, entry);
    shard->counters.evictions += 1;
    entry->older = *freed;
    *freed = entry;
}

static size_t used(const shard_t *shard)
{
    return shard->bytes + sp_name_map_bytes(&shard->map);
}

static uint32_t ttl_for(const sp_cache_options_t *options, const sp_answer_t *answer)
{
    uint32_t ttl_s = answer->ttl_s;

    switch (answer->kind) {
    case SP_ANSWER_TXT:
        ttl_s = ttl_s < options->min_ttl_s ? options->min_ttl_s : ttl_s;
        return ttl_s > options->max_ttl_s ? options->max_ttl_s : ttl_s;
    case SP_ANSWER_NODATA:
    case SP_ANSWER_NXDOMAIN:
        return ttl_s > options->negative_ttl_s ? options->negative_ttl_s : ttl_s;
    case SP_ANSWER_FAILURE:
        break;
    }
    if (answer->failure == SP_FAILURE_OVERLOAD || answer->failure == SP_FAILURE_NO_RESOLVER) {
        return 0;
    }
    return options->failure_ttl_s;
}

static entry_t *find_entry(const shard_t *shard, sp_str_t name, uint64_t hash)
{
    return (entry_t *)sp_name_map_find_hashed(&shard->map, name, hash);
}

static bool was_before_return(const sp_cache_t *cache, uint64_t at_ms)
{
    uint64_t back_ms = atomic_load_explicit(&cache->back_ms, memory_order_relaxed);

    return back_ms != 0 && at_ms <= back_ms;
}

bool sp_cache_is_outdated(const sp_cache_t *cache, const sp_answer_t *answer, uint64_t asked_ms)
{
    return (answer->failure == SP_FAILURE_TIMEOUT || answer->failure == SP_FAILURE_CONNECTION) &&
           was_before_return(cache, asked_ms);
}

/* When a failure was stored that counts until then. */
static uint64_t failed_ms(const sp_cache_t *cache, uint64_t until_ms)
{
    return until_ms - (uint64_t)cache->options.failure_ttl_s * 1000;
}

static bool is_fresh(const sp_cache_t *cache, const entry_t *entry, uint64_t now_ms)
{
    return entry->expires_ms > now_ms &&
           (entry->answer->kind != SP_ANSWER_FAILURE ||
            !sp_cache_is_outdated(cache, entry->answer, failed_ms(cache, entry->expires_ms)));
}

static uint32_t seconds_left(const entry_t *entry, uint64_t now_ms)
{
    return (uint32_t)((entry->expires_ms - now_ms + 999) / 1000);
}

const sp_answer_t *sp_cache_find(sp_cache_t *cache, sp_str_t name, uint64_t now_ms,
                                 uint32_t *ret_ttl_s)
{
    const sp_answer_t *answer = NULL;
    shard_t *shard;
    entry_t *entry;
    uint64_t hash;

    if (!cache->options.enabled) {
        return NULL;
    }
    hash = sp_name_hash(&cache->key, name);
    shard = lock_shard(cache, hash);
    entry = find_entry(shard, name, hash);
    if (entry != NULL && is_fresh(cache, entry, now_ms)) {
        entry->visited = true;
        answer = sp_answer_retain(entry->answer);
        *ret_ttl_s = seconds_left(entry, now_ms);
    }
    unlock(shard);
    return answer;
}

/* Of use though its TTL may have run out? */
static bool is_usable(const sp_cache_t *cache, const entry_t *entry, uint64_t now_ms)
{
    return entry->answer->kind != SP_ANSWER_FAILURE &&
           entry->expires_ms + (uint64_t)cache->options.stale_s * 1000 > now_ms;
}

static bool is_to_be_refreshed(const sp_cache_t *cache, const entry_t *entry, uint64_t now_ms)
{
    uint32_t ttl_s = ttl_for(&cache->options, entry->answer);

    return cache->options.prefetch && entry->hits >= POPULAR && ttl_s >= PREFETCH_MIN_TTL_S &&
           entry->expires_ms - now_ms <= (uint64_t)ttl_s * 100 &&
           (uint64_t)entry->retry_ticks * MS_PER_TICK <= now_ms &&
           entry->answer->kind != SP_ANSWER_FAILURE;
}

static void retry_after(entry_t *entry, uint64_t at_ms, bool failed)
{
    entry->retry_ticks = (uint32_t)(at_ms / MS_PER_TICK);
    entry->failed = failed;
}

static sp_cached_state_t state_of_fresh(const sp_cache_t *cache, entry_t *entry, uint64_t now_ms)
{
    if (entry->hits < POPULAR) {
        entry->hits += 1;
    }
    if (!is_to_be_refreshed(cache, entry, now_ms)) {
        return SP_CACHED_FRESH;
    }
    retry_after(entry, now_ms + CLAIM_MS, false);
    return SP_CACHED_REFRESH;
}

static sp_cached_state_t state_of_stale(const sp_cache_t *cache, const entry_t *entry,
                                        uint64_t now_ms)
{
    uint64_t retry_ms = (uint64_t)entry->retry_ticks * MS_PER_TICK;

    return entry->failed && retry_ms > now_ms &&
                   !was_before_return(cache, failed_ms(cache, retry_ms))
               ? SP_CACHED_BLOCKED
               : SP_CACHED_STALE;
}

static bool look_at(sp_cache_t *cache, shard_t *shard, entry_t *entry, uint64_t now_ms,
                    sp_cached_t *ret_cached)
{
    if (entry != NULL && is_fresh(cache, entry, now_ms)) {
        ret_cached->ttl_s = seconds_left(entry, now_ms);
        ret_cached->state = state_of_fresh(cache, entry, now_ms);
        shard->counters.hits += 1;
        shard->counters.refreshes += ret_cached->state == SP_CACHED_REFRESH ? 1 : 0;
    } else if (entry != NULL && is_usable(cache, entry, now_ms)) {
        ret_cached->ttl_s = 0;
        ret_cached->state = state_of_stale(cache, entry, now_ms);
        shard->counters.stale += 1;
    } else {
        shard->counters.misses += 1;
        return false;
    }
    entry->visited = true;
    ret_cached->answer = sp_answer_retain(entry->answer);
    return true;
}

bool sp_cache_look(sp_cache_t *cache, sp_str_t name, uint64_t now_ms, sp_cached_t *ret_cached)
{
    shard_t *shard;
    uint64_t hash;
    bool is_there;

    if (!cache->options.enabled) {
        return false;
    }
    hash = sp_name_hash(&cache->key, name);
    shard = lock_shard(cache, hash);
    is_there = look_at(cache, shard, find_entry(shard, name, hash), now_ms, ret_cached);
    unlock(shard);
    return is_there;
}

static entry_t *make_entry(sp_str_t name, const sp_answer_t *answer, uint64_t expires_ms)
{
    entry_t *entry = calloc(1, offsetof(entry_t, name) + name.len);

    if (entry == NULL) {
        return NULL;
    }
    sp_name_node_init(&entry->node, offsetof(entry_t, name), name);
    entry->answer = sp_answer_retain(answer);
    entry->expires_ms = expires_ms;
    return entry;
}

static void free_chain(entry_t *entry)
{
    while (entry != NULL) {
        entry_t *next = entry->older;

        free_entry(entry);
        entry = next;
    }
}

/* Makes room, by evicting others, and puts the entry in. What goes is chained into *freed: the
 * entry itself, too, when it is bigger than the whole shard. */
static void put(shard_t *shard, entry_t *entry, size_t max, entry_t **freed)
{
    while (used(shard) + bytes_of(entry) > max && shard->oldest != NULL) {
        evict_one(shard, freed);
    }
    if (used(shard) + bytes_of(entry) > max) {
        entry->older = *freed;
        *freed = entry;
        return;
    }
    push_newest(shard, entry);
    while (used(shard) > max && shard->oldest != entry) { /* the table has grown */
        evict_one(shard, freed);
    }
}

/* Puts the entry in the place of an older one. */
static void replace(sp_cache_t *cache, shard_t *shard, entry_t *entry, entry_t *old,
                    entry_t **freed)
{
    if (old != NULL) {
        entry->visited = old->visited;
        take_out(shard, old);
        old->older = NULL;
        *freed = old;
    }
    put(shard, entry, cache->shard_max, freed);
}

/* Do they amount to the same redirect? In which order the other texts came says nothing. */
static bool agree(const sp_answer_t *a, const sp_answer_t *b)
{
    return a->kind == b->kind && a->finding == b->finding &&
           (a->finding == SP_FINDING_NOTHING || sp_str_eq(a->texts[a->ours], b->texts[b->ours]));
}

/* Unless the entry agrees with `answer`, which may be NULL. True when there was one. */
static bool take_away(sp_cache_t *cache, sp_str_t name, const sp_answer_t *answer)
{
    shard_t *shard = lock_shard(cache, sp_name_hash(&cache->key, name));
    entry_t *entry = (entry_t *)sp_name_map_find(&shard->map, name);
    bool was_there = entry != NULL;

    if (was_there && answer != NULL && agree(entry->answer, answer)) {
        entry->failed = false; /* asking has helped */
        entry = NULL;
    } else if (was_there) {
        take_out(shard, entry);
    }
    unlock(shard);
    if (entry != NULL) {
        free_entry(entry);
    }
    return was_there;
}

void sp_cache_store(sp_cache_t *cache, sp_str_t name, const sp_answer_t *answer, uint64_t now_ms)
{
    uint32_t ttl_s = ttl_for(&cache->options, answer);
    uint64_t expires_ms = now_ms + (uint64_t)ttl_s * 1000;
    bool is_failure = answer->kind == SP_ANSWER_FAILURE;
    entry_t *freed = NULL; /* after unlocking */
    entry_t *old;
    entry_t *entry;
    shard_t *shard;

    if (!cache->options.enabled || name.len > SP_NAME_MAX) {
        return;
    }
    if (ttl_s == 0) {
        if (!is_failure) {
            (void)take_away(cache, name, answer);
        }
        return;
    }
    entry = make_entry(name, answer, expires_ms);
    if (entry == NULL) {
        return;
    }
    shard = lock_shard(cache, sp_name_hash(&cache->key, name));
    old = (entry_t *)sp_name_map_find(&shard->map, name);
    if (is_failure && old != NULL && is_usable(cache, old, now_ms)) {
        retry_after(old, expires_ms, true);
        freed = entry;
    } else {
        replace(cache, shard, entry, old, &freed);
    }
    unlock(shard);
    free_chain(freed);
}

bool sp_cache_remove(sp_cache_t *cache, sp_str_t name)
{
    return take_away(cache, name, NULL);
}

void sp_cache_resolver_is_back(sp_cache_t *cache, uint64_t now_ms)
{
    atomic_store_explicit(&cache->back_ms, now_ms, memory_order_relaxed);
}

void sp_cache_count(sp_cache_t *cache, sp_cache_counters_t *ret_counters)
{
    sp_cache_counters_t sum = {0};

    for (size_t i = 0; i != cache->shard_count; ++i) {
        shard_t *shard = &cache->shards[i];

        (void)pthread_mutex_lock(&shard->lock);
        sum.entries += shard->map.count;
        sum.bytes += used(shard);
        sum.hits += shard->counters.hits;
        sum.stale += shard->counters.stale;
        sum.misses += shard->counters.misses;
        sum.refreshes += shard->counters.refreshes;
        sum.evictions += shard->counters.evictions;
        unlock(shard);
    }
    *ret_counters = sum;
}
