/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_STORE_STATE_H
#define SIGNPOST_TLS_STORE_STATE_H

/* The inside of sp_tls_store_t, for the store_*.c only. Everything is guarded by the one lock,
 * which is never held while somebody waits for anything; where a function needs it, the caller has
 * it. */

#include <pthread.h>

#include "dns/name_map.h"
#include "tls/store.h"

/* What was read from one folder; several names may use it (wildcards, the default). */
typedef struct sp_tls_source {
    sp_name_node_t node;            /* its name is its path */
    size_t users;                   /* entries, and the thread while it looks */
    uint64_t mark;                  /* of the files, as last read; 0: to be read again */
    sp_certificate_t *certificate;  /* NULL: none could be read so far */
    char why[SP_ERROR_MESSAGE_MAX]; /* "": the files are in order */
    char path[];
} sp_tls_source_t;

/* A name that was asked for. */
typedef struct sp_tls_entry {
    sp_name_node_t node;
    struct sp_tls_entry *newer; /* in the order of use */
    struct sp_tls_entry *older;
    struct sp_tls_entry *next_job;
    sp_tls_source_t *source; /* NULL: none */
    sp_tls_wait_t *waits;
    sp_tls_state_t state;
    uint64_t asker;     /* who had it queued; whoever waits may be others */
    uint64_t looked_ms; /* when its files were looked at; 0: not since the start or a reload */
    char *why;          /* NULL: nothing to tell */
    bool is_queued;
    bool is_urgent;    /* to be looked at ahead of those of which nothing is known */
    bool is_busy;      /* the thread is looking */
    bool is_again;     /* and has to look again: what it saw may be outdated */
    bool is_wanted;    /* the issuer's answer is due */
    bool is_limited;   /* the issuer has not looked at it, for who asked: the next may */
    bool is_answered;  /* the issuer has spoken: it is not asked in the next job */
    bool is_challenge; /* in no table; gone when it is answered */
    char name[];
} sp_tls_entry_t;

/* Names to be looked at, the first to come first. */
typedef struct sp_tls_queue {
    sp_tls_entry_t *first;
    sp_tls_entry_t **last;
    size_t count;
} sp_tls_queue_t;

/* A copy of the options. */
typedef struct sp_tls_places {
    char *folders[2];
    char *fallback;
    sp_tls_event_fn *on_event;
    void *event_arg;
} sp_tls_places_t;

struct sp_tls_store {
    pthread_mutex_t lock;
    pthread_cond_t has_work;
    pthread_cond_t has_asked; /* the issuer's call is over */
    pthread_t thread;
    bool has_thread;
    bool is_ending;
    bool is_asking;
    sp_name_map_t entries;
    sp_name_map_t sources;
    sp_tls_entry_t *newest;
    sp_tls_entry_t *oldest;
    sp_tls_queue_t urgent; /* also names that have a certificate */
    sp_tls_queue_t unknown;
    unsigned urgent_row;          /* looks at urgent ones since the last at another */
    sp_tls_places_t *places;      /* the thread's own */
    sp_tls_places_t *next_places; /* NULL: no others */
    sp_tls_issuer_t issuer;       /* want NULL: none */
    size_t states[SP_TLS_STATES]; /* of entries */
    sp_tls_source_t *parent;      /* held: the last one that was of no use to a name below it */
    size_t bytes;
    uint64_t loads;
    uint64_t faults;
};

struct sp_tls_inbox {
    sp_tls_store_t *store;
    int fd;
    sp_tls_wait_t *done; /* in no particular order */
};

/* --- store_table.c --- */

/* The entry of that name, now the one used last; NULL when there is none. */
sp_tls_entry_t *sp_tls_entry_find(sp_tls_store_t *store, sp_str_t name);

/* A new one; others may go. NULL: no memory. */
sp_tls_entry_t *sp_tls_entry_create(sp_tls_store_t *store, sp_str_t name);
sp_tls_entry_t *sp_tls_entry_create_challenge(sp_str_t name);

/* Nobody waits for it, and it is in no queue. */
void sp_tls_entry_destroy(sp_tls_store_t *store, sp_tls_entry_t *entry);
void sp_tls_entry_set_state(sp_tls_store_t *store, sp_tls_entry_t *entry, sp_tls_state_t state);
void sp_tls_entry_set_source(sp_tls_store_t *store, sp_tls_entry_t *entry, sp_tls_source_t *source);
void sp_tls_entry_set_why(sp_tls_entry_t *entry, const char *why); /* copied; NULL: nothing */
sp_str_t sp_tls_entry_name(const sp_tls_entry_t *entry);

/* A reference to what it has; NULL: nothing. */
sp_certificate_t *sp_tls_entry_certificate(const sp_tls_entry_t *entry);

/* The source of that path with one user more, made if need be; NULL: no memory. */
sp_tls_source_t *sp_tls_source_hold(sp_tls_store_t *store, const char *path);
void sp_tls_source_release(sp_tls_store_t *store, sp_tls_source_t *source); /* accepts NULL */
void sp_tls_source_set_certificate_own(sp_tls_store_t *store, sp_tls_source_t *source,
                                       sp_certificate_t *certificate);

/* Frees everything; nobody waits. */
void sp_tls_table_clear(sp_tls_store_t *store);

/* --- store_wait.c --- */

void sp_tls_wait_add(sp_tls_inbox_t *inbox, sp_tls_entry_t *entry, sp_tls_wait_t *wait);

/* All who wait for it are told: with `certificate` (borrowed), or NULL. */
void sp_tls_wait_end_all(sp_tls_entry_t *entry, sp_certificate_t *certificate);

/* The same for those alone whose askers the issuer has been told. */
void sp_tls_wait_end_told(sp_tls_entry_t *entry, sp_certificate_t *certificate);

/* --- store_jobs.c --- */

void sp_tls_jobs_init(sp_tls_store_t *store);

/* The thread looks at the entry's files, once more if it is at it. False: it is not urgent, has no
 * certificate, and too many such wait already. */
bool sp_tls_job_add(sp_tls_store_t *store, sp_tls_entry_t *entry);

void *sp_tls_jobs_run(void *arg); /* the thread; `arg` is the store */

void sp_tls_places_destroy(sp_tls_places_t *places); /* accepts NULL */

#endif
