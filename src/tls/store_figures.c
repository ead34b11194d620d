/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/base/arena.h>
#include <string.h>

#include "tls/store_state.h"

#define LIST_CHUNK 16384

const char *sp_tls_state_name(sp_tls_state_t state)
{
    static const char *const names[SP_TLS_STATES] = {
        [SP_TLS_STATE_VALID] = "valid",   [SP_TLS_STATE_EXPIRED] = "expired",
        [SP_TLS_STATE_ABSENT] = "absent", [SP_TLS_STATE_FAULTY] = "faulty",
        [SP_TLS_STATE_WANTED] = "wanted",
    };

    return names[state];
}

/* Names and certificates as they were, so that nobody waits for the one who is told. */
typedef struct copies {
    sp_arena_t arena;
    sp_tls_item_t *items;
    sp_certificate_t **certificates;
    size_t count;
} copies_t;

static const char *copy_to(sp_arena_t *arena, const char *text)
{
    sp_str_t with_end = {.ptr = text, .len = strlen(text) + 1};

    return sp_arena_copy(arena, with_end).ptr;
}

static bool copy_entry(copies_t *copies, const sp_tls_entry_t *entry)
{
    const sp_tls_source_t *source = entry->source;
    const char *why = entry->why == NULL ? "" : entry->why;
    sp_tls_item_t item = {.state = entry->state};

    if (source != NULL && source->why[0] != '\0') {
        why = source->why;
    }
    item.name = sp_arena_copy(&copies->arena, sp_tls_entry_name(entry));
    item.source = copy_to(&copies->arena, source == NULL ? "" : source->path);
    item.why = copy_to(&copies->arena, why);
    if (item.name.ptr == NULL || item.source == NULL || item.why == NULL) {
        return false;
    }
    copies->certificates[copies->count] = sp_tls_entry_certificate(entry);
    item.certificate = copies->certificates[copies->count];
    copies->items[copies->count++] = item;
    return true;
}

static sp_tls_state_t state_at(const sp_tls_item_t *item, time_t now)
{
    if (item->certificate == NULL || item->state == SP_TLS_STATE_WANTED) {
        return item->state;
    }
    return sp_certificate_is_valid_at(item->certificate, now) ? SP_TLS_STATE_VALID
                                                              : SP_TLS_STATE_EXPIRED;
}

void sp_tls_store_list(sp_tls_store_t *store, time_t now, size_t max, sp_tls_item_fn *on_item,
                       void *arg)
{
    copies_t copies = {.count = 0};

    sp_arena_init(&copies.arena, NULL, 0, LIST_CHUNK);
    copies.items = sp_arena_zalloc(&copies.arena, max, sizeof(*copies.items));
    copies.certificates = sp_arena_zalloc(&copies.arena, max, sizeof(sp_certificate_t *));
    if (copies.items == NULL || copies.certificates == NULL) {
        sp_arena_clear(&copies.arena);
        return;
    }
    (void)pthread_mutex_lock(&store->lock);
    for (const sp_tls_entry_t *entry = store->newest;
         entry != NULL && copies.count != max && copy_entry(&copies, entry); entry = entry->older) {
    }
    (void)pthread_mutex_unlock(&store->lock);
    for (size_t i = 0; i != copies.count; ++i) {
        copies.items[i].state = state_at(&copies.items[i], now);
        on_item(arg, &copies.items[i]);
        sp_certificate_release(copies.certificates[i]);
    }
    sp_arena_clear(&copies.arena);
}

static void count_source(const sp_tls_source_t *source, time_t now, sp_tls_figures_t *figures)
{
    time_t expiry = 0;

    if (source->certificate == NULL) {
        ++figures->certificates[SP_TLS_STATE_FAULTY];
        return;
    }
    expiry = sp_certificate_not_after(source->certificate);
    ++figures->certificates[sp_certificate_is_valid_at(source->certificate, now)
                                ? SP_TLS_STATE_VALID
                                : SP_TLS_STATE_EXPIRED];
    if (!figures->has_expiry || expiry < figures->next_expiry) {
        figures->has_expiry = true;
        figures->next_expiry = expiry;
    }
}

void sp_tls_store_count(sp_tls_store_t *store, time_t now, sp_tls_figures_t *ret_figures)
{
    sp_tls_figures_t figures = {.bytes = 0};

    (void)pthread_mutex_lock(&store->lock);
    figures.bytes = store->bytes;
    figures.names = store->entries.count;
    figures.loads = store->loads;
    figures.faults = store->faults;
    figures.certificates[SP_TLS_STATE_ABSENT] = store->states[SP_TLS_STATE_ABSENT];
    figures.certificates[SP_TLS_STATE_WANTED] = store->states[SP_TLS_STATE_WANTED];
    for (size_t i = 0; i != store->sources.size; ++i) {
        for (const sp_name_node_t *node = store->sources.buckets[i]; node != NULL;
             node = node->next) {
            count_source((const sp_tls_source_t *)node, now, &figures);
        }
    }
    (void)pthread_mutex_unlock(&store->lock);
    *ret_figures = figures;
}
