/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/base/arena.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct sp_arena_chunk {
    struct sp_arena_chunk *next;
    alignas(max_align_t) char data[];
};

void sp_arena_init(sp_arena_t *arena, void *memory, size_t size, size_t chunk_size)
{
    *arena = (sp_arena_t){
        .at = memory,
        .end = memory == NULL ? NULL : (char *)memory + size,
        .first = memory,
        .first_end = memory == NULL ? NULL : (char *)memory + size,
        .chunk_size = chunk_size,
    };
}

void sp_arena_clear(sp_arena_t *arena)
{
    while (arena->chunks != NULL) {
        sp_arena_chunk_t *next = arena->chunks->next;

        free(arena->chunks);
        arena->chunks = next;
    }
    arena->at = arena->first;
    arena->end = arena->first_end;
    arena->total = 0;
}

static bool add_chunk(sp_arena_t *arena, size_t size)
{
    size_t data = size > arena->chunk_size ? size : arena->chunk_size;
    sp_arena_chunk_t *chunk = NULL;

    if (data > SIZE_MAX - sizeof(*chunk) || (chunk = malloc(sizeof(*chunk) + data)) == NULL) {
        return false;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->at = chunk->data;
    arena->end = chunk->data + data;
    arena->total += sizeof(*chunk) + data;
    return true;
}

/* `align` is a power of two. */
static inline char *take(sp_arena_t *arena, size_t size, size_t align)
{
    size_t gap = -(uintptr_t)arena->at & (align - 1);
    size_t room = (size_t)(arena->end - arena->at);
    char *piece = NULL;

    if (arena->at == NULL || gap > room || size > room - gap) {
        if (!add_chunk(arena, size)) {
            return NULL;
        }
        gap = 0; /* a chunk's data begins aligned */
    }
    piece = arena->at + gap;
    arena->at = piece + size;
    return piece;
}

void *sp_arena_alloc(sp_arena_t *arena, size_t size)
{
    /* Nothing that lives in an arena needs more than a pointer's alignment. */
    return take(arena, size, alignof(void *));
}

void *sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    void *piece = NULL;

    if (!sp_array_size(count, size, &bytes) || (piece = sp_arena_alloc(arena, bytes)) == NULL) {
        return NULL;
    }
    return memset(piece, 0, bytes);
}

sp_str_t sp_arena_copy(sp_arena_t *arena, sp_str_t text)
{
    char *copy = take(arena, text.len, 1);

    if (copy == NULL) {
        return (sp_str_t){.ptr = NULL, .len = 0};
    }
    if (text.len != 0) {
        memcpy(copy, text.ptr, text.len);
    }
    return (sp_str_t){.ptr = copy, .len = text.len};
}

sp_str_t sp_arena_copy_lower(sp_arena_t *arena, sp_str_t text)
{
    char *copy = take(arena, text.len, 1);

    for (size_t i = 0; copy != NULL && i != text.len; ++i) {
        copy[i] = sp_to_lower(text.ptr[i]);
    }
    return (sp_str_t){.ptr = copy, .len = copy == NULL ? 0 : text.len};
}

bool sp_array_size(size_t count, size_t size, size_t *ret_bytes)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return false;
    }
    *ret_bytes = count * size;
    return true;
}
