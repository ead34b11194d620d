/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/store.h"

#include <stdlib.h>
#include <string.h>

#include "tls/store_state.h"

static void lock(sp_tls_store_t *store)
{
    (void)pthread_mutex_lock(&store->lock);
}

static void unlock(sp_tls_store_t *store)
{
    (void)pthread_mutex_unlock(&store->lock);
}

static bool copy_text(const char *text, char **ret_copy)
{
    *ret_copy = text == NULL ? NULL : strdup(text);
    return text == NULL || *ret_copy != NULL;
}

static sp_tls_places_t *copy_options(const sp_tls_store_options_t *options)
{
    sp_tls_places_t *places = calloc(1, sizeof(*places));

    if (places == NULL) {
        return NULL;
    }
    places->on_event = options->on_event;
    places->event_arg = options->event_arg;
    if (!copy_text(options->folders[0], &places->folders[0]) ||
        !copy_text(options->folders[1], &places->folders[1]) ||
        !copy_text(options->fallback, &places->fallback)) {
        sp_tls_places_destroy(places);
        return NULL;
    }
    return places;
}

static sp_status_t init_tables(sp_tls_store_t *store)
{
    sp_name_key_t key;
    sp_status_t status = sp_name_key_make(&key);

    if (status == SP_OK) {
        status = sp_name_map_init(&store->entries, &key);
    }
    return status == SP_OK ? sp_name_map_init(&store->sources, &key) : status;
}

static void destroy_locks(sp_tls_store_t *store)
{
    (void)pthread_cond_destroy(&store->has_asked);
    (void)pthread_cond_destroy(&store->has_work);
    (void)pthread_mutex_destroy(&store->lock);
}

static bool init_locks(sp_tls_store_t *store)
{
    if (pthread_mutex_init(&store->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&store->has_work, NULL) == 0) {
        if (pthread_cond_init(&store->has_asked, NULL) == 0) {
            return true;
        }
        (void)pthread_cond_destroy(&store->has_work);
    }
    (void)pthread_mutex_destroy(&store->lock);
    return false;
}

sp_status_t sp_tls_store_create(const sp_tls_store_options_t *options, sp_tls_store_t **ret_store,
                                sp_error_t *err)
{
    sp_tls_store_t *store = calloc(1, sizeof(*store));
    sp_status_t status = SP_NO_MEMORY;
    int error = 0;

    if (store == NULL || !init_locks(store)) {
        free(store);
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    sp_tls_jobs_init(store);
    store->places = copy_options(options);
    if (store->places != NULL) {
        status = init_tables(store);
    }
    if (status == SP_OK) {
        error = pthread_create(&store->thread, NULL, sp_tls_jobs_run, store);
        store->has_thread = error == 0;
        status = error == 0 ? SP_OK : SP_IO;
    }
    if (status != SP_OK) {
        sp_tls_store_destroy(store);
        return sp_fail(err, status, 0, "cannot start the thread that reads certificates: %s",
                       error == 0 ? sp_status_name(status) : strerror(error));
    }
    *ret_store = store;
    return SP_OK;
}

/* The others are in the table. */
static void drop_challenges(sp_tls_store_t *store)
{
    while (store->unknown.first != NULL) {
        sp_tls_entry_t *entry = store->unknown.first;

        store->unknown.first = entry->next_job;
        if (entry->is_challenge) {
            sp_tls_entry_destroy(store, entry);
        }
    }
}

void sp_tls_store_destroy(sp_tls_store_t *store)
{
    if (store == NULL) {
        return;
    }
    lock(store);
    store->is_ending = true;
    (void)pthread_cond_signal(&store->has_work);
    unlock(store);
    if (store->has_thread) {
        (void)pthread_join(store->thread, NULL);
    }
    drop_challenges(store);
    sp_tls_source_release(store, store->parent);
    sp_tls_table_clear(store);
    sp_tls_places_destroy(store->places);
    sp_tls_places_destroy(store->next_places);
    destroy_locks(store);
    free(store);
}

/* Its files are looked at before it is used next; a look under way is of no use any more. */
static void outdate(sp_tls_entry_t *entry)
{
    entry->looked_ms = 0;
    entry->is_again = entry->is_busy;
}

sp_status_t sp_tls_store_reload(sp_tls_store_t *store, const sp_tls_store_options_t *options)
{
    sp_tls_places_t *places = copy_options(options);

    if (places == NULL) {
        return SP_NO_MEMORY;
    }
    lock(store);
    sp_tls_places_destroy(store->next_places);
    store->next_places = places;
    for (sp_tls_entry_t *entry = store->newest; entry != NULL; entry = entry->older) {
        outdate(entry);
    }
    unlock(store);
    return SP_OK;
}

static void refuse(sp_tls_store_t *store, sp_tls_entry_t *entry, const char *why)
{
    if (!entry->is_wanted) {
        return;
    }
    sp_tls_entry_set_why(entry, why);
    entry->is_wanted = false;
    entry->is_answered = true;
    entry->is_urgent = true;
    (void)sp_tls_job_add(store, entry);
}

void sp_tls_store_set_issuer(sp_tls_store_t *store, const sp_tls_issuer_t *issuer)
{
    static const sp_tls_issuer_t nobody = {.arg = NULL};

    lock(store);
    while (store->is_asking) {
        (void)pthread_cond_wait(&store->has_asked, &store->lock);
    }
    store->issuer = issuer == NULL ? nobody : *issuer;
    for (sp_tls_entry_t *entry = store->newest; issuer == NULL && entry != NULL;
         entry = entry->older) {
        if (entry->is_wanted) {
            refuse(store, entry, "no certificates are got on demand any more");
        }
    }
    unlock(store);
}

void sp_tls_store_changed(sp_tls_store_t *store, sp_str_t name)
{
    sp_tls_entry_t *entry = NULL;

    lock(store);
    entry = (sp_tls_entry_t *)sp_name_map_find(&store->entries, name);
    if (entry != NULL) {
        entry->is_wanted = false;
        entry->is_answered = true;
        entry->looked_ms = 0;
        sp_tls_entry_set_why(entry, NULL);
        entry->is_urgent = true;
        (void)sp_tls_job_add(store, entry);
    }
    unlock(store);
}

void sp_tls_store_refused(sp_tls_store_t *store, sp_str_t name, const char *why)
{
    sp_tls_entry_t *entry = NULL;

    lock(store);
    entry = (sp_tls_entry_t *)sp_name_map_find(&store->entries, name);
    if (entry != NULL) {
        refuse(store, entry, why);
    }
    unlock(store);
}

void sp_tls_store_forget(sp_tls_store_t *store, sp_str_t name)
{
    sp_tls_entry_t *entry = NULL;

    lock(store);
    entry = (sp_tls_entry_t *)sp_name_map_find(&store->entries, name);
    if (entry != NULL) {
        outdate(entry);
    }
    unlock(store);
}

static sp_tls_found_t answer(const sp_tls_entry_t *entry, sp_certificate_t **ret_certificate)
{
    *ret_certificate = sp_tls_entry_certificate(entry);
    return *ret_certificate == NULL ? SP_TLS_NONE : SP_TLS_FOUND;
}

/* The entry is new or was not looked at for long: then its files come first. */
static sp_tls_found_t find(sp_tls_inbox_t *inbox, sp_tls_entry_t *entry, uint64_t now_ms,
                           sp_tls_wait_t *wait, sp_certificate_t **ret_certificate)
{
    sp_tls_store_t *store = inbox->store;
    uint64_t age_ms = now_ms > entry->looked_ms ? now_ms - entry->looked_ms : 0;
    bool is_stale = entry->looked_ms == 0 || age_ms >= SP_TLS_FRESH_MS;
    bool is_queued = entry->is_queued || entry->is_busy; /* whoever comes later joins in */

    if (!is_queued && (is_stale || age_ms >= SP_TLS_RECHECK_MS)) {
        entry->asker = wait->asker;
        is_queued = sp_tls_job_add(store, entry);
    }
    if (!is_stale && !entry->is_wanted) {
        return answer(entry, ret_certificate);
    }
    if (is_stale && !is_queued && !entry->is_wanted) {
        return SP_TLS_BUSY;
    }
    sp_tls_wait_add(inbox, entry, wait);
    return SP_TLS_WAITING;
}

sp_tls_found_t sp_tls_store_find(sp_tls_inbox_t *inbox, sp_str_t name, uint64_t now_ms,
                                 sp_tls_wait_t *wait, sp_certificate_t **ret_certificate)
{
    sp_tls_store_t *store = inbox->store;
    sp_tls_found_t found = SP_TLS_BUSY;
    sp_tls_entry_t *entry = NULL;

    lock(store);
    entry = sp_tls_entry_find(store, name);
    if (entry == NULL && store->unknown.count != SP_TLS_STORE_JOBS_MAX) {
        entry = sp_tls_entry_create(store, name);
    }
    if (entry != NULL) {
        found = find(inbox, entry, now_ms, wait, ret_certificate);
    }
    unlock(store);
    return found;
}

sp_tls_found_t sp_tls_store_find_challenge(sp_tls_inbox_t *inbox, sp_str_t name,
                                           sp_tls_wait_t *wait)
{
    sp_tls_store_t *store = inbox->store;
    sp_tls_entry_t *entry = NULL;
    sp_tls_found_t found = SP_TLS_NONE;

    lock(store);
    if (store->issuer.challenge != NULL) {
        entry = sp_tls_entry_create_challenge(name);
        found = SP_TLS_BUSY;
    }
    if (entry != NULL && sp_tls_job_add(store, entry)) {
        sp_tls_wait_add(inbox, entry, wait);
        found = SP_TLS_WAITING;
    } else if (entry != NULL) {
        sp_tls_entry_destroy(store, entry);
    }
    unlock(store);
    return found;
}
