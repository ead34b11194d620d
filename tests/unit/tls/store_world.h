/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_UNIT_TLS_STORE_WORLD_H
#define SIGNPOST_TESTS_UNIT_TLS_STORE_WORLD_H

/* A store over folders of its own, a worker's inbox, and an issuer that does what the test says. */

#include <semaphore.h>
#include <stdatomic.h>

#include "tls/store.h"
#include "unit/tls/maker.h"

typedef enum world_issuer {
    WORLD_REFUSES,
    WORLD_LIMITS, /* all askers but WORLD_GUEST */
    WORLD_BLOCKS, /* says that it was asked, waits for the gate, and refuses, or limits if that is
                     what it is to do by then */
    WORLD_PROMISES,
    WORLD_DELIVERS
} world_issuer_t;

#define WORLD_GUEST 7

typedef struct store_world {
    char root[MAKER_ROOT_MAX];
    char second_root[MAKER_ROOT_MAX];
    sp_tls_store_t *store;
    sp_tls_inbox_t *inbox;
    uint64_t ahead_ms; /* of the store's own clock: what finds are told */
    _Atomic(world_issuer_t) issuer;
    sem_t asked;       /* with WORLD_BLOCKS */
    sem_t gate;        /* with WORLD_BLOCKS */
    uint64_t asker;    /* of the handshakes from here on */
    atomic_int askers; /* of the last question to the issuer */
    atomic_int wanted; /* questions to the issuer */
    atomic_int challenged;
    atomic_int loaded;
    atomic_int changed;
    atomic_int faults;
} store_world_t;

void store_world_init(store_world_t *world, const char *fallback);
void store_world_clear(store_world_t *world);

/* From here on missing certificates are asked for. */
void store_world_use_issuer(store_world_t *world);

/* One handshake: finds, and waits where it has to. The certificate's first name, or what came
 * instead: "none", "busy". Valid until the next call. */
const char *store_world_find(store_world_t *world, const char *name);

/* A handshake that is left waiting; it must not be answered at once. */
typedef struct store_wait {
    sp_tls_wait_t wait;
    bool is_done;
    char name[300]; /* "none" */
} store_wait_t;

void store_world_begin(store_world_t *world, const char *name, store_wait_t *wait);
void store_world_await(store_world_t *world, store_wait_t *wait);

/* The second folder is the only one from here on, and no event is told any more. */
void store_world_reload(store_world_t *world);

/* With WORLD_BLOCKS: until the issuer is asked, and so the store's thread is held up. */
void store_world_await_question(store_world_t *world);

#endif
