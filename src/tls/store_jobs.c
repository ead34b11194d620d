/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dns/lookup.h"
#include "tls/folder.h"
#include "tls/store_state.h"

#define WILDCARD_NAME_MAX (SP_TLS_NAME_MAX + 16)
#define URGENT_ROW_MAX 3 /* then it is the turn of one that is not, if any waits */

static const sp_str_t no_guest = {.ptr = "", .len = 0};

/* What there is for a name: the first of each kind, each held. */
typedef struct choice {
    sp_tls_source_t *valid;
    sp_tls_source_t *expired;
    sp_tls_source_t *faulty;
} choice_t;

static void lock(sp_tls_store_t *store)
{
    (void)pthread_mutex_lock(&store->lock);
}

static void unlock(sp_tls_store_t *store)
{
    (void)pthread_mutex_unlock(&store->lock);
}

void sp_tls_jobs_init(sp_tls_store_t *store)
{
    store->urgent.last = &store->urgent.first;
    store->unknown.last = &store->unknown.first;
}

static bool is_known(const sp_tls_entry_t *entry)
{
    return entry->is_urgent || (entry->source != NULL && entry->source->certificate != NULL);
}

bool sp_tls_job_add(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    sp_tls_queue_t *queue = is_known(entry) ? &store->urgent : &store->unknown;

    if (entry->is_busy) {
        entry->is_again = true;
    }
    if (entry->is_queued || entry->is_busy) {
        return true;
    }
    if (queue == &store->unknown && queue->count == SP_TLS_STORE_JOBS_MAX) {
        return false;
    }
    entry->is_queued = true;
    entry->next_job = NULL;
    *queue->last = entry;
    queue->last = &entry->next_job;
    ++queue->count;
    (void)pthread_cond_signal(&store->has_work);
    return true;
}

static bool has_job(const sp_tls_store_t *store)
{
    return store->urgent.first != NULL || store->unknown.first != NULL;
}

/* There is one. */
static sp_tls_entry_t *take_job(sp_tls_store_t *store)
{
    bool is_urgent = store->urgent.first != NULL &&
                     (store->unknown.first == NULL || store->urgent_row < URGENT_ROW_MAX);
    sp_tls_queue_t *queue = is_urgent ? &store->urgent : &store->unknown;
    sp_tls_entry_t *entry = queue->first;

    queue->first = entry->next_job;
    if (queue->first == NULL) {
        queue->last = &queue->first;
    }
    --queue->count;
    store->urgent_row = is_urgent ? store->urgent_row + 1 : 0;
    entry->is_queued = false;
    entry->is_urgent = false;
    entry->is_busy = true;
    return entry;
}

static void tell(const sp_tls_store_t *store, sp_tls_event_t event, const char *path,
                 const char *message)
{
    if (store->places->on_event != NULL) {
        store->places->on_event(store->places->event_arg, event, sp_str_from(path), message);
    }
}

/* Reads the files anew: what was there before stays in use where they are of no use. */
static void read_source(sp_tls_store_t *store, const char *root, sp_str_t folder,
                        sp_tls_source_t *source)
{
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};
    uint64_t mark = 0;
    bool is_first = source->certificate == NULL;
    sp_status_t status = sp_tls_folder_read(root, folder, &mark, &certificate, &err);

    lock(store);
    source->mark = mark;
    if (status == SP_OK) {
        sp_tls_source_set_certificate_own(store, source, certificate);
        source->why[0] = '\0';
        ++store->loads;
    } else {
        memcpy(source->why, err.message, sizeof(source->why));
        ++store->faults;
    }
    unlock(store);
    if (status == SP_OK) {
        tell(store, is_first ? SP_TLS_EVENT_LOADED : SP_TLS_EVENT_CHANGED, source->path, "");
    } else {
        tell(store, SP_TLS_EVENT_FAULT, source->path, err.message);
    }
}

static void drop(sp_tls_store_t *store, sp_tls_source_t *source)
{
    lock(store);
    sp_tls_source_release(store, source);
    unlock(store);
}

/* The folder's certificate, read again if it has changed; held. NULL: there is none. */
static sp_tls_source_t *look_at(sp_tls_store_t *store, const char *root, sp_str_t folder)
{
    char path[SP_TLS_FOLDER_PATH_MAX];
    sp_tls_source_t *source = NULL;
    uint64_t mark = root == NULL ? 0 : sp_tls_folder_look(root, folder);

    if (mark == 0 || !sp_tls_folder_path(root, folder, path)) {
        return NULL;
    }
    lock(store);
    source = sp_tls_source_hold(store, path);
    unlock(store);
    if (source != NULL && source->mark != mark) {
        read_source(store, root, folder, source);
    }
    return source;
}

/* Random names below one domain must not make its files be read for each of them. */
static void keep_parent(sp_tls_store_t *store, sp_tls_source_t *source)
{
    sp_tls_source_t *before = store->parent;

    lock(store);
    store->parent = source;
    sp_tls_source_release(store, before);
    unlock(store);
}

/* Where `guest` is no empty name, the folder is that of another one, and its certificate counts
 * only if it holds for the guest. */
static void consider(sp_tls_store_t *store, sp_str_t folder, sp_str_t guest, choice_t *choice)
{
    for (size_t i = 0; choice->valid == NULL && i != SP_COUNT(store->places->folders); ++i) {
        sp_tls_source_t *source = look_at(store, store->places->folders[i], folder);
        sp_tls_source_t **place = NULL;

        if (source == NULL) {
            continue;
        }
        if (guest.len != 0 &&
            (source->certificate == NULL || !sp_certificate_covers(source->certificate, guest))) {
            keep_parent(store, source);
            continue;
        }
        if (source->certificate == NULL) {
            place = &choice->faulty;
        } else if (sp_certificate_is_valid_at(source->certificate, time(NULL))) {
            place = &choice->valid;
        } else {
            place = &choice->expired;
        }
        if (*place == NULL) {
            *place = source;
        } else {
            drop(store, source);
        }
    }
}

static void consider_wildcards(sp_tls_store_t *store, sp_str_t name, choice_t *choice)
{
    static const char *const spellings[] = {"*", "_", "_wildcard"};
    sp_str_t parent = sp_str_skip(name, sp_str_find(name, '.'));

    for (size_t i = 0; parent.len != 0 && choice->valid == NULL && i != SP_COUNT(spellings); ++i) {
        char folder[WILDCARD_NAME_MAX];
        int len = snprintf(folder, sizeof(folder), "%s%.*s", spellings[i], (int)parent.len,
                           parent.ptr); /* the parent begins with a point */

        if (len > 0 && (size_t)len < sizeof(folder)) {
            consider(store, (sp_str_t){.ptr = folder, .len = (size_t)len}, no_guest, choice);
        }
    }
    /* certbot puts *.PARENT into the folder of PARENT when it is asked for both. */
    if (parent.len > 1 && choice->valid == NULL) {
        consider(store, sp_str_skip(parent, 1), name, choice);
    }
}

/* False: there are too many. */
static bool add_asker(sp_tls_askers_t *askers, uint64_t asker)
{
    size_t i = 0;

    while (i != askers->count && askers->list[i] != asker) {
        ++i;
    }
    if (i == askers->count && i != SP_TLS_ASKERS_MAX) {
        askers->list[askers->count++] = asker;
    }
    return i != SP_TLS_ASKERS_MAX;
}

/* A name that nobody waits for was answered from memory: whoever that was, asks. */
static void collect_askers(sp_tls_entry_t *entry, sp_tls_askers_t *askers)
{
    askers->count = 0;
    (void)add_asker(askers, entry->asker);
    for (sp_tls_wait_t *wait = entry->waits; wait != NULL; wait = wait->next) {
        wait->is_told = add_asker(askers, wait->asker);
    }
}

/* Asks the issuer, unless it has been asked; true: its answer is due. What it says last counts,
 * whoever is quicker: its return or its call of sp_tls_store_changed or sp_tls_store_refused. */
static bool ask_issuer(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    sp_tls_issuer_t issuer;
    sp_tls_askers_t askers;
    sp_tls_want_t answer = SP_TLS_WANT_REFUSED;
    const char *why = "no certificate can be got";
    bool is_due = false;

    lock(store);
    issuer = store->issuer;
    if (issuer.want == NULL || entry->is_wanted || entry->is_answered || entry->node.len == 0) {
        is_due = entry->is_wanted;
        unlock(store);
        return is_due;
    }
    entry->is_wanted = true;
    store->is_asking = true;
    collect_askers(entry, &askers);
    unlock(store);
    answer = issuer.want(issuer.arg, sp_tls_entry_name(entry), &askers, &why);
    lock(store);
    store->is_asking = false;
    (void)pthread_cond_broadcast(&store->has_asked);
    if (answer != SP_TLS_WANT_DUE) {
        entry->is_wanted = false;
        entry->is_limited = answer == SP_TLS_WANT_LIMITED;
        sp_tls_entry_set_why(entry, why);
    } else if (entry->is_wanted) {
        sp_tls_entry_set_why(entry, "being got from the certificate authority");
    }
    is_due = entry->is_wanted;
    unlock(store);
    return is_due;
}

static void judge(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    const sp_tls_source_t *source = entry->source;

    if (entry->is_wanted) {
        sp_tls_entry_set_state(store, entry, SP_TLS_STATE_WANTED);
    } else if (source == NULL) {
        sp_tls_entry_set_state(store, entry, SP_TLS_STATE_ABSENT);
    } else if (source->certificate == NULL) {
        sp_tls_entry_set_state(store, entry, SP_TLS_STATE_FAULTY);
    } else if (sp_certificate_is_valid_at(source->certificate, time(NULL))) {
        sp_tls_entry_set_state(store, entry, SP_TLS_STATE_VALID);
    } else {
        sp_tls_entry_set_state(store, entry, SP_TLS_STATE_EXPIRED);
    }
}

static void end_waits(sp_tls_entry_t *entry)
{
    sp_tls_wait_end_all(entry, entry->source == NULL ? NULL : entry->source->certificate);
}

/* What the issuer says of some clients is for them alone: who came later, or was one too many, is
 * left, and is the next to be asked for. */
static bool has_others(sp_tls_entry_t *entry)
{
    sp_tls_wait_end_told(entry, entry->source == NULL ? NULL : entry->source->certificate);
    if (entry->waits == NULL) {
        return false;
    }
    entry->asker = entry->waits->asker;
    return true;
}

/* What was seen may be outdated by now; whoever waits, waits for the next look. */
static void leave(sp_tls_store_t *store, sp_tls_entry_t *entry, bool is_limited)
{
    bool is_again = (is_limited && has_others(entry)) || entry->is_again;

    entry->is_busy = false;
    entry->is_again = false;
    if (is_again) {
        entry->looked_ms = 0;
        if (sp_tls_job_add(store, entry)) {
            return;
        }
    }
    entry->is_answered = false;
    if (!entry->is_wanted) {
        end_waits(entry);
    }
}

static void conclude(sp_tls_store_t *store, sp_tls_entry_t *entry, const choice_t *choice)
{
    sp_tls_source_t *source = choice->valid;
    bool is_limited = false;

    if (source == NULL) {
        source = choice->expired != NULL ? choice->expired : choice->faulty;
    }
    lock(store);
    if (choice->valid != NULL) {
        entry->is_wanted = false;
        sp_tls_entry_set_why(entry, NULL);
    }
    sp_tls_entry_set_source(store, entry, source);
    is_limited = entry->is_limited;
    entry->looked_ms = is_limited ? 0 : sp_now_ms();
    entry->is_limited = false;
    judge(store, entry);
    leave(store, entry, is_limited);
    sp_tls_source_release(store, choice->valid);
    sp_tls_source_release(store, choice->expired);
    sp_tls_source_release(store, choice->faulty);
    unlock(store);
}

static void look_for(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    sp_str_t name = sp_tls_entry_name(entry);
    choice_t choice = {.valid = NULL};
    bool is_due = false;

    if (name.len != 0) {
        consider(store, name, no_guest, &choice);
        if (choice.valid == NULL) {
            consider_wildcards(store, name, &choice);
        }
    }
    if (choice.valid == NULL) {
        is_due = ask_issuer(store, entry);
    }
    if (choice.valid == NULL && !is_due && store->places->fallback != NULL) {
        consider(store, sp_str_from(store->places->fallback), no_guest, &choice);
    }
    conclude(store, entry, &choice);
}

static void answer_challenge(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    sp_certificate_t *certificate = NULL;
    sp_tls_issuer_t issuer;

    lock(store);
    issuer = store->issuer;
    store->is_asking = issuer.challenge != NULL;
    unlock(store);
    if (issuer.challenge != NULL) {
        certificate = issuer.challenge(issuer.arg, sp_tls_entry_name(entry));
    }
    lock(store);
    store->is_asking = false;
    (void)pthread_cond_broadcast(&store->has_asked);
    sp_tls_wait_end_all(entry, certificate);
    sp_tls_entry_destroy(store, entry);
    unlock(store);
    sp_certificate_release(certificate);
}

static void do_job(sp_tls_store_t *store, sp_tls_entry_t *entry)
{
    if (entry->is_challenge) {
        answer_challenge(store, entry);
    } else {
        look_for(store, entry);
    }
}

/* NULL: the end. */
static sp_tls_entry_t *await_job(sp_tls_store_t *store)
{
    sp_tls_entry_t *entry = NULL;
    sp_tls_places_t *old = NULL;

    lock(store);
    while (!has_job(store) && !store->is_ending) {
        (void)pthread_cond_wait(&store->has_work, &store->lock);
    }
    if (!store->is_ending) {
        entry = take_job(store);
    }
    if (store->next_places != NULL) {
        old = store->places;
        store->places = store->next_places;
        store->next_places = NULL;
    }
    unlock(store);
    sp_tls_places_destroy(old);
    return entry;
}

void *sp_tls_jobs_run(void *arg)
{
    sp_tls_store_t *store = arg;
    sp_tls_entry_t *entry = NULL;

    while ((entry = await_job(store)) != NULL) {
        do_job(store, entry);
    }
    return NULL;
}

void sp_tls_places_destroy(sp_tls_places_t *places)
{
    if (places != NULL) {
        free(places->folders[0]);
        free(places->folders[1]);
        free(places->fallback);
        free(places);
    }
}
