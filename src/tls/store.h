/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_STORE_H
#define SIGNPOST_TLS_STORE_H

/* Certificates by name, shared by all workers.
 *
 * Nothing is read at the start: a name's files are read when a client asks for it, by the store's
 * own thread, so that no worker waits for a disk. What was read is kept, the least recently used
 * being forgotten beyond SP_TLS_STORE_BYTES_MAX and SP_TLS_STORE_NAMES_MAX, and compared with the
 * files again when it is used: a changed file is served within SP_TLS_FRESH_MS. Names that have a
 * certificate are looked at first, so that who makes up names holds up nobody; but of four looks
 * one at least is at a name of which nothing is known, if any waits.
 *
 * A name NAME is looked for in this order; the first that has not expired wins, else the first at
 * all:
 * 1. the folder NAME;
 * 2. the folders *.PARENT, _.PARENT, _wildcard.PARENT;
 *    and PARENT, if its certificate holds for NAME;
 *    1 and 2 in each of the options' folders, in their order;
 * 3. the issuer, if there is one;
 * 4. the default certificate.
 *
 * A folder holds the first of these that is there,
 *     fullchain.pem  privkey.pem                           certbot and others
 *     tls.crt        tls.key                               a mounted Kubernetes secret
 *     cert.pem       ../private/NAME/key.pem               uacme
 * and may hold a second pair with a key of the other kind,
 *     fullchain.rsa.pem  privkey.rsa.pem    or    tls.rsa.crt  tls.rsa.key
 */

#include <signpost/base/error.h>
#include <stdint.h>

#include "tls/certificate.h"
#include "tls/issuer.h"
#include "tls/name.h"

#define SP_TLS_STORE_BYTES_MAX ((size_t)64 * 1024 * 1024) /* of certificates, about */
#define SP_TLS_STORE_NAMES_MAX ((size_t)50000)            /* also those without a certificate */
/* Names of which nothing is known, to be looked at, at a time. */
#define SP_TLS_STORE_JOBS_MAX ((size_t)1000)
#define SP_TLS_RECHECK_MS 2000 /* used again after so long: looked at */
#define SP_TLS_FRESH_MS 8000   /* not looked at for so long: looked at before it is used */
#define SP_TLS_WAIT_MS 10000   /* that a handshake waits for a certificate */

typedef struct sp_tls_store sp_tls_store_t;

/* Something that an operator should hear; from the store's thread. `name`: the folder. */
typedef enum sp_tls_event {
    SP_TLS_EVENT_LOADED,  /* read for the first time */
    SP_TLS_EVENT_CHANGED, /* read again */
    SP_TLS_EVENT_FAULT    /* files that can't be used; what was there before stays in use */
} sp_tls_event_t;
typedef void sp_tls_event_fn(void *arg, sp_tls_event_t event, sp_str_t name, const char *message);

typedef struct sp_tls_store_options {
    const char *folders[2]; /* tls.certificates, then the issuer's storage; NULL: none. Copied */
    const char *fallback;   /* tls.default: a name, folder of its certificate; NULL: none. Copied */
    sp_tls_event_fn *on_event; /* may be NULL */
    void *event_arg;
} sp_tls_store_options_t;

/* Starts the thread. SP_OK, SP_NO_MEMORY, SP_IO. */
sp_status_t sp_tls_store_create(const sp_tls_store_options_t *options, sp_tls_store_t **ret_store,
                                sp_error_t *err);

/* Ends the thread. Nobody waits any more. Accepts NULL. */
void sp_tls_store_destroy(sp_tls_store_t *store);

/* All functions below are safe from any thread. */

/* Other folders and another default; whatever was found is looked at again before it is used next,
 * also when nothing differs (a reload). SP_OK or SP_NO_MEMORY, then nothing has changed. */
sp_status_t sp_tls_store_reload(sp_tls_store_t *store, const sp_tls_store_options_t *options);

/* The one who gets missing certificates (copied); NULL: nobody (any more). After the return no call
 * of the old one is under way. Not from inside such a call. */
void sp_tls_store_set_issuer(sp_tls_store_t *store, const sp_tls_issuer_t *issuer);

/* The files of `name` have changed, or appeared: they are read now, and whoever waits for the name
 * gets what is there then. */
void sp_tls_store_changed(sp_tls_store_t *store, sp_str_t name);

/* The issuer will not get a certificate for `name`: if it is wanted, whoever waits is told, and it
 * may be wanted again. `why` is copied. */
void sp_tls_store_refused(sp_tls_store_t *store, sp_str_t name, const char *why);

/* Forgets what is known of `name`; its files are read when it is asked for next. */
void sp_tls_store_forget(sp_tls_store_t *store, sp_str_t name);

/* --- For workers --------------------------------------------------------------------------- */

/* Where a worker's waits end. `fd` is readable when some have. */
typedef struct sp_tls_inbox sp_tls_inbox_t;

sp_status_t sp_tls_inbox_create(sp_tls_store_t *store, sp_tls_inbox_t **ret_inbox);
void sp_tls_inbox_destroy(sp_tls_inbox_t *inbox); /* no wait is left; accepts NULL */
int sp_tls_inbox_fd(const sp_tls_inbox_t *inbox); /* borrowed */

typedef struct sp_tls_wait sp_tls_wait_t;

/* In the caller's memory, which must stay until the wait has ended or has been cancelled. */
struct sp_tls_wait {
    /* Called once by sp_tls_inbox_run, unless cancelled before. `certificate` is a reference that
     * becomes the callee's, or NULL: there is none. */
    void (*on_done)(sp_tls_wait_t *wait, sp_certificate_t *certificate);
    uint64_t asker; /* whose handshake it is, for the issuer: any number, the same for one client */
    /* The store's own. */
    sp_tls_wait_t *next;
    sp_tls_wait_t **link;
    sp_tls_inbox_t *inbox;
    void *entry;
    bool is_told; /* its asker, to the issuer */
    sp_certificate_t *certificate;
};

typedef enum sp_tls_found { SP_TLS_FOUND, SP_TLS_NONE, SP_TLS_WAITING, SP_TLS_BUSY } sp_tls_found_t;

/* The certificate for `name` (empty: the client named none; only the default is looked for).
 * FOUND: *ret_certificate is a reference that the caller releases. NONE: there is none. WAITING:
 * `wait`, whose on_done and asker are set, is told. BUSY: too many wait already. Never blocks. */
sp_tls_found_t sp_tls_store_find(sp_tls_inbox_t *inbox, sp_str_t name, uint64_t now_ms,
                                 sp_tls_wait_t *wait, sp_certificate_t **ret_certificate);

/* The certificate that answers a challenge of ALPN acme-tls/1 for `name`; as above. */
sp_tls_found_t sp_tls_store_find_challenge(sp_tls_inbox_t *inbox, sp_str_t name,
                                           sp_tls_wait_t *wait);

/* For a wait that find left WAITING: on_done is not called any more. What the store has for the
 * name so far, though it had to be looked at again: a reference, or NULL. */
sp_certificate_t *sp_tls_store_cancel(sp_tls_wait_t *wait);

/* Calls on_done of the waits of this inbox that have ended; from its worker's thread. */
void sp_tls_inbox_run(sp_tls_inbox_t *inbox);

/* --- For operators ------------------------------------------------------------------------- */

typedef enum sp_tls_state {
    SP_TLS_STATE_VALID,
    SP_TLS_STATE_EXPIRED, /* or not valid yet */
    SP_TLS_STATE_ABSENT,  /* asked for; there is none */
    SP_TLS_STATE_FAULTY,  /* there are files, which can't be used */
    SP_TLS_STATE_WANTED   /* being looked for, or being got by the issuer */
} sp_tls_state_t;
#define SP_TLS_STATES (SP_TLS_STATE_WANTED + 1)

const char *sp_tls_state_name(sp_tls_state_t state); /* "valid" … */

/* Valid during the callback only. */
typedef struct sp_tls_item {
    sp_str_t name;
    sp_tls_state_t state;
    const char *source;                  /* the folder that it was read from; "": none */
    const char *why;                     /* absent, faulty, wanted: in plain words, or "" */
    const sp_certificate_t *certificate; /* NULL: none */
} sp_tls_item_t;

typedef void sp_tls_item_fn(void *arg, const sp_tls_item_t *item);

/* What the store knows at `now`, in the order of last use, the most recent first; `max` at most. */
void sp_tls_store_list(sp_tls_store_t *store, time_t now, size_t max, sp_tls_item_fn *on_item,
                       void *arg);

typedef struct sp_tls_figures {
    size_t names;                       /* that have been asked for and are remembered */
    size_t certificates[SP_TLS_STATES]; /* absent and wanted: names that have none */
    size_t bytes;
    bool has_expiry;
    time_t next_expiry; /* of the certificates in memory */
    uint64_t loads;     /* of files, since the start */
    uint64_t faults;
} sp_tls_figures_t;

void sp_tls_store_count(sp_tls_store_t *store, time_t now, sp_tls_figures_t *ret_figures);

#endif
