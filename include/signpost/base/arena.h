/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_BASE_ARENA_H
#define SIGNPOST_BASE_ARENA_H

/* Memory that is given out piece by piece and taken back all at once: what belongs to one request,
 * or to one parsed record. Single pieces are never freed. */

#include <signpost/base/str.h>
#include <stddef.h>

typedef struct sp_arena_chunk sp_arena_chunk_t;

typedef struct sp_arena {
    char *at;    /* next free octet */
    char *end;   /* end of the current chunk */
    char *first; /* the caller's own memory, or NULL */
    char *first_end;
    sp_arena_chunk_t *chunks; /* malloc'ed ones, newest first */
    size_t chunk_size;
    size_t total; /* octets of all malloc'ed chunks, headers included */
} sp_arena_t;

/* `memory` (may be NULL with size 0) is used first and stays the caller's; further chunks of at
 * least `chunk_size` octets are malloc'ed when needed. Allocates nothing itself. */
void sp_arena_init(sp_arena_t *arena, void *memory, size_t size, size_t chunk_size);

/* Frees all chunks. The arena is empty and usable afterwards. */
void sp_arena_clear(sp_arena_t *arena);

/* Aligned for pointers and 64-bit integers, not zeroed; NULL when memory is out. `size` 0 gives a
 * valid pointer. */
void *sp_arena_alloc(sp_arena_t *arena, size_t size);

/* `count` × `size` octets, zeroed; NULL when memory is out or the product overflows. */
void *sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size);

/* Unaligned copy of a text; ret.ptr is NULL when memory is out. */
sp_str_t sp_arena_copy(sp_arena_t *arena, sp_str_t text);

/* The same with ASCII letters in lower case. */
sp_str_t sp_arena_copy_lower(sp_arena_t *arena, sp_str_t text);

/* False when a × b overflows size_t. */
bool sp_array_size(size_t count, size_t size, size_t *ret_bytes);

#endif
