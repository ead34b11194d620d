/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/cache.h"

#include "dns/name_map.h"
#include <pthread.h>
#include <stdlib.h>

#define SHARDS_MAX 64
#define SHARD_MIN_BYTES 262144U /* a small cache has fewer shards */
#define MALLOC_OVERHEAD 16      /* octets of one allocation: header and rounding */

/* In the map by name, and in the shard's queue by age. */
typedef struct entry {
    sp_name_node_t node;
    struct entry *newer;
    struct entry *older;
    const sp_answer_t *answer;
    uint64_t expires_ms : 63;
    uint64_t visited : 1; /* since the hand came by last */
    char name[];
} entry_t;

typedef struct shard {
    pthread_mutex_t lock;
    sp_name_map_t map;
    entry_t *newest;
    entry_t *oldest;
    entry_t *hand; /* the entry that SIEVE looks at next; NULL: the oldest */
    size_t bytes;  /* of the entries */
    uint64_t evictions;
} shard_t;

struct sp_cache {
    sp_cache_options_t options;
    sp_name_key_t key;
    size_t shard_max; /* octets */
    size_t shard_count;
    shard_t *shards;
};

/* Of heap, for entry and answer. */
static size_t bytes_of(const entry_t *entry)
{
    return sizeof(*entry) + entry->node.len + MALLOC_OVERHEAD + sp_answer_bytes(entry->answer) +
           MALLOC_OVERHEAD;
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

    while (entry->visited != 0) {
        entry->visited = 0;
        entry = entry->newer != NULL ? entry->newer : shard->oldest;
    }
    shard->hand = entry;
    take_out(shard, entry);
    shard->evictions += 1;
    entry->older = *freed;
    *freed = entry;
}

static size_t used(const shard_t *shard)
{
    return shard->bytes + sp_name_map_bytes(&shard->map);
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
    entry = (entry_t *)sp_name_map_find_hashed(&shard->map, name, hash);
    if (entry != NULL && entry->expires_ms > now_ms) {
        entry->visited = 1;
        answer = sp_answer_retain(entry->answer);
        *ret_ttl_s = (uint32_t)((entry->expires_ms - now_ms + 999) / 1000);
    }
    unlock(shard);
    return answer;
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

static entry_t *make_entry(sp_str_t name, const sp_answer_t *answer, uint64_t expires_ms)
{
    entry_t *entry = calloc(1, sizeof(*entry) + name.len);

    if (entry == NULL) {
        return NULL;
    }
    sp_name_node_init(&entry->node, offsetof(entry_t, name), name);
    entry->answer = sp_answer_retain(answer);
    entry->expires_ms = expires_ms & (UINT64_MAX >> 1);
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

void sp_cache_store(sp_cache_t *cache, sp_str_t name, const sp_answer_t *answer, uint64_t now_ms)
{
    uint32_t ttl_s = ttl_for(&cache->options, answer);
    entry_t *freed = NULL; /* after unlocking */
    entry_t *old;
    entry_t *entry;
    shard_t *shard;

    if (!cache->options.enabled || ttl_s == 0 || name.len > SP_NAME_MAX) {
        return;
    }
    entry = make_entry(name, answer, now_ms + (uint64_t)ttl_s * 1000);
    if (entry == NULL) {
        return;
    }
    shard = lock_shard(cache, sp_name_hash(&cache->key, name));
    old = (entry_t *)sp_name_map_find(&shard->map, name);
    if (old != NULL) {
        entry->visited = old->visited;
        take_out(shard, old);
        old->older = NULL;
        freed = old;
    }
    put(shard, entry, cache->shard_max, &freed);
    unlock(shard);
    free_chain(freed);
}

bool sp_cache_remove(sp_cache_t *cache, sp_str_t name)
{
    shard_t *shard = lock_shard(cache, sp_name_hash(&cache->key, name));
    entry_t *entry = (entry_t *)sp_name_map_find(&shard->map, name);

    if (entry != NULL) {
        take_out(shard, entry);
    }
    unlock(shard);
    if (entry != NULL) {
        free_entry(entry);
    }
    return entry != NULL;
}

void sp_cache_count(sp_cache_t *cache, sp_cache_counters_t *ret_counters)
{
    sp_cache_counters_t sum = {0};

    for (size_t i = 0; i != cache->shard_count; ++i) {
        shard_t *shard = &cache->shards[i];

        (void)pthread_mutex_lock(&shard->lock);
        sum.entries += shard->map.count;
        sum.bytes += used(shard);
        sum.evictions += shard->evictions;
        unlock(shard);
    }
    *ret_counters = sum;
}
