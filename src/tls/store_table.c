/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/store_state.h"

#include <stdlib.h>
#include <string.h>

#define EVICT_LOOKS 64 /* entries looked at for each one that goes */

static void unlink_use(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    *(entry->newer == NULL ? &store->newest : &entry->newer->older) = entry->older;
    *(entry->older == NULL ? &store->oldest : &entry->older->newer) = entry->newer;
}

static void link_use(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    entry->newer = NULL;
    entry->older = store->newest;
    *(store->newest == NULL ? &store->oldest : &store->newest->newer) = entry;
    store->newest = entry;
}

static size_t size_of(const sp_tls_entry_t *entry)
{
    return sizeof(*entry) + entry->node.len + 1;
}

sp_tls_entry_t *sp_tls_entry_find(sp_tls_store_t *store, sp_str_t name)
{
    sp_tls_entry_t *entry = (sp_tls_entry_t *)sp_name_map_find(&store->entries, name);

    if (entry != NULL && entry != store->newest) {
        unlink_use(store, entry);
        link_use(store, entry);
    }
    return entry;
}

static bool is_idle(const sp_tls_entry_t *entry)
{
    return entry->waits == NULL && !entry->is_queued && !entry->is_busy && !entry->is_wanted;
}

static bool is_full(const sp_tls_store_t *store)
{
    return store->bytes > SP_TLS_STORE_BYTES_MAX || store->entries.count >= SP_TLS_STORE_NAMES_MAX;
}

/* Makes room; where everybody is busy there is a little more than allowed. */
static void evict(sp_tls_store_t *store)
{
    sp_tls_entry_t *entry = store->oldest;

    for (int looks = 0; entry != NULL && looks != EVICT_LOOKS && is_full(store); ++looks) {
        sp_tls_entry_t *newer = entry->newer;

        if (is_idle(entry)) {
            sp_tls_entry_destroy(store, entry);
        }
        entry = newer;
    }
}

static sp_tls_entry_t *allocate(sp_str_t name)
{
    sp_tls_entry_t *entry = calloc(1, sizeof(*entry) + name.len + 1);

    if (entry != NULL) {
        sp_name_node_init(&entry->node, offsetof(sp_tls_entry_t, name), name);
    }
    return entry;
}

sp_tls_entry_t *sp_tls_entry_create(sp_tls_store_t *store, sp_str_t name)
{
    sp_tls_entry_t *entry = NULL;

    evict(store);
    entry = allocate(name);
    if (entry == NULL) {
        return NULL;
    }
    entry->state = SP_TLS_STATE_WANTED;
    ++store->states[entry->state];
    store->bytes += size_of(entry);
    sp_name_map_insert(&store->entries, &entry->node);
    link_use(store, entry);
    return entry;
}

sp_tls_entry_t *sp_tls_entry_create_challenge(sp_str_t name)
{
    sp_tls_entry_t *entry = allocate(name);

    if (entry != NULL) {
        entry->is_challenge = true;
    }
    return entry;
}

void sp_tls_entry_destroy(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    if (!entry->is_challenge) {
        sp_tls_entry_set_source(store, entry, NULL);
        sp_name_map_remove(&store->entries, &entry->node);
        unlink_use(store, entry);
        --store->states[entry->state];
        store->bytes -= size_of(entry);
    }
    free(entry->why);
    free(entry);
}

void sp_tls_entry_set_state(sp_tls_store_t *store, sp_tls_entry_t *entry, sp_tls_state_t state)
{
    --store->states[entry->state];
    entry->state = state;
    ++store->states[entry->state];
}

void sp_tls_entry_set_source(sp_tls_store_t *store, sp_tls_entry_t *entry, sp_tls_source_t *source)
{
    sp_tls_source_t *old = entry->source;

    if (source != NULL) {
        ++source->users;
    }
    entry->source = source;
    sp_tls_source_release(store, old);
}

void sp_tls_entry_set_why(sp_tls_entry_t *entry, const char *why)
{
    free(entry->why);
    entry->why = why == NULL ? NULL : strdup(why);
}

sp_str_t sp_tls_entry_name(const sp_tls_entry_t *entry)
{
    return sp_name_node_str(&entry->node);
}

sp_certificate_t *sp_tls_entry_certificate(const sp_tls_entry_t *entry)
{
    sp_certificate_t *certificate = entry->source == NULL ? NULL : entry->source->certificate;

    return certificate == NULL ? NULL : sp_certificate_retain(certificate);
}

sp_tls_source_t *sp_tls_source_hold(sp_tls_store_t *store, const char *path)
{
    sp_str_t name = sp_str_from(path);
    sp_tls_source_t *source = (sp_tls_source_t *)sp_name_map_find(&store->sources, name);

    if (source == NULL) {
        source = calloc(1, sizeof(*source) + name.len + 1);
        if (source == NULL) {
            return NULL;
        }
        sp_name_node_init(&source->node, offsetof(sp_tls_source_t, path), name);
        sp_name_map_insert(&store->sources, &source->node);
        store->bytes += sizeof(*source) + name.len + 1;
    }
    ++source->users;
    return source;
}

void sp_tls_source_release(sp_tls_store_t *store, sp_tls_source_t *source)
{
    if (source == NULL || --source->users != 0) {
        return;
    }
    sp_tls_source_set_certificate_own(store, source, NULL);
    sp_name_map_remove(&store->sources, &source->node);
    store->bytes -= sizeof(*source) + source->node.len + 1;
    free(source);
}

void sp_tls_source_set_certificate_own(sp_tls_store_t *store, sp_tls_source_t *source,
                                       sp_certificate_t *certificate)
{
    if (source->certificate != NULL) {
        store->bytes -= sp_certificate_size(source->certificate);
        sp_certificate_release(source->certificate);
    }
    source->certificate = certificate;
    if (certificate != NULL) {
        store->bytes += sp_certificate_size(certificate);
    }
}

void sp_tls_table_clear(sp_tls_store_t *store)
{
    sp_tls_entry_t *older = NULL;

    for (sp_tls_entry_t *entry = store->newest; entry != NULL; entry = older) {
        older = entry->older;
        sp_tls_entry_destroy(store, entry);
    }
    sp_name_map_clear(&store->entries);
    sp_name_map_clear(&store->sources);
}
