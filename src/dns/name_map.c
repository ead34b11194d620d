/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/name_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SIZE 16

sp_status_t sp_name_key_make(sp_name_key_t *ret_key)
{
    ssize_t got;

    do {
        got = getrandom(ret_key, sizeof(*ret_key), 0);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(*ret_key) ? SP_OK : SP_IO;
}

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static uint64_t read_le64(const char *octets, size_t count)
{
    uint64_t word = 0;

    for (size_t i = 0; i != count; ++i) {
        word |= (uint64_t)(unsigned char)octets[i] << (8 * i);
    }
    return word;
}

uint64_t sp_name_hash(const sp_name_key_t *key, sp_str_t name)
{
    uint64_t v[4] = {key->halves[0] ^ 0x736f6d6570736575U, key->halves[1] ^ 0x646f72616e646f6dU,
                     key->halves[0] ^ 0x6c7967656e657261U, key->halves[1] ^ 0x7465646279746573U};
    size_t whole = name.len / 8 * 8;
    uint64_t word;

    for (size_t at = 0; at != whole; at += 8) {
        word = read_le64(name.ptr + at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = ((uint64_t)name.len << 56) | read_le64(name.ptr + whole, name.len - whole);
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i != 3; ++i) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

sp_status_t sp_name_map_init(sp_name_map_t *map, const sp_name_key_t *key)
{
    *map = (sp_name_map_t){.size = FIRST_SIZE, .key = *key};
    map->buckets = calloc(FIRST_SIZE, sizeof(*map->buckets));
    return map->buckets != NULL ? SP_OK : SP_NO_MEMORY;
}

void sp_name_map_clear(sp_name_map_t *map)
{
    free(map->buckets);
    map->buckets = NULL;
}

static sp_name_node_t **bucket_of(const sp_name_map_t *map, uint32_t hash)
{
    return &map->buckets[hash & (map->size - 1)];
}

sp_str_t sp_name_node_str(const sp_name_node_t *node)
{
    return (sp_str_t){(const char *)node + node->name_at, node->len};
}

sp_name_node_t *sp_name_map_find_hashed(const sp_name_map_t *map, sp_str_t name, uint64_t hash)
{
    uint32_t low = (uint32_t)hash;
    sp_name_node_t *node = *bucket_of(map, low);

    while (node != NULL && (node->hash != low || !sp_str_eq(sp_name_node_str(node), name))) {
        node = node->next;
    }
    return node;
}

sp_name_node_t *sp_name_map_find(const sp_name_map_t *map, sp_str_t name)
{
    return sp_name_map_find_hashed(map, name, sp_name_hash(&map->key, name));
}

void sp_name_node_init(sp_name_node_t *node, size_t name_at, sp_str_t name)
{
    node->name_at = (uint16_t)name_at;
    node->len = (uint16_t)name.len;
    if (name.len != 0) {
        memcpy((char *)node + name_at, name.ptr, name.len);
    }
}

static void grow(sp_name_map_t *map)
{
    sp_name_map_t bigger = *map;

    bigger.size = map->size * 2;
    bigger.buckets = calloc(bigger.size, sizeof(*bigger.buckets));
    if (bigger.buckets == NULL) {
        return;
    }
    for (size_t i = 0; i != map->size; ++i) {
        for (sp_name_node_t *node = map->buckets[i], *next; node != NULL; node = next) {
            sp_name_node_t **bucket = bucket_of(&bigger, node->hash);

            next = node->next;
            node->next = *bucket;
            *bucket = node;
        }
    }
    free(map->buckets);
    *map = bigger;
}

void sp_name_map_insert(sp_name_map_t *map, sp_name_node_t *node)
{
    sp_name_node_t **bucket;

    if (map->count >= map->size) {
        grow(map);
    }
    node->hash = (uint32_t)sp_name_hash(&map->key, sp_name_node_str(node));
    bucket = bucket_of(map, node->hash);
    node->next = *bucket;
    *bucket = node;
    map->count += 1;
}

void sp_name_map_remove(sp_name_map_t *map, const sp_name_node_t *node)
{
    for (sp_name_node_t **link = bucket_of(map, node->hash); *link != NULL; link = &(*link)->next) {
        if (*link == node) {
            *link = node->next;
            map->count -= 1;
            return;
        }
    }
}

size_t sp_name_map_bytes(const sp_name_map_t *map)
{
    return map->size * sizeof(*map->buckets);
}
