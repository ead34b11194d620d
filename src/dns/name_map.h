/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_NAME_MAP_H
#define SIGNPOST_DNS_NAME_MAP_H

/* A hash table by name, whose nodes live inside the caller's objects. The hash is keyed with
 * random octets, since strangers choose the names. Not locked. */

#include <signpost/base/error.h>

/* First member of the object that is found by name. The object holds the name, too: kept small,
 * since a cache has a million of them. */
typedef struct sp_name_node {
    struct sp_name_node *next;
    uint32_t hash;
    uint16_t name_at; /* where in the object the name begins */
    uint16_t len;
} sp_name_node_t;

#define SP_NAME_MAX UINT16_MAX

typedef struct sp_name_key {
    uint64_t halves[2];
} sp_name_key_t;

typedef struct sp_name_map {
    sp_name_node_t **buckets;
    size_t size; /* a power of two */
    size_t count;
    sp_name_key_t key;
} sp_name_map_t;

/* SP_OK, or SP_IO when the system has no random octets. */
sp_status_t sp_name_key_make(sp_name_key_t *ret_key);

/* SipHash-1-3 of the name. */
uint64_t sp_name_hash(const sp_name_key_t *key, sp_str_t name);

sp_status_t sp_name_map_init(sp_name_map_t *map, const sp_name_key_t *key);

/* Frees the table, not the nodes. */
void sp_name_map_clear(sp_name_map_t *map);

sp_name_node_t *sp_name_map_find(const sp_name_map_t *map, sp_str_t name);

/* The same for who has the hash (with the map's key) already. */
sp_name_node_t *sp_name_map_find_hashed(const sp_name_map_t *map, sp_str_t name, uint64_t hash);

/* Copies the name into the object, `name_at` octets from the node; at most SP_NAME_MAX octets. */
void sp_name_node_init(sp_name_node_t *node, size_t name_at, sp_str_t name);

/* The node is initialized, and none of that name is there. The table grows when there is memory; it
 * works without. */
void sp_name_map_insert(sp_name_map_t *map, sp_name_node_t *node);

/* Nothing happens when the node is not there. */
void sp_name_map_remove(sp_name_map_t *map, const sp_name_node_t *node);

sp_str_t sp_name_node_str(const sp_name_node_t *node);

/* Octets of heap that the table itself takes. */
size_t sp_name_map_bytes(const sp_name_map_t *map);

#endif
