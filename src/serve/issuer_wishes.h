/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ISSUER_WISHES_H
#define SIGNPOST_SERVE_ISSUER_WISHES_H

/* Names that the store wants and the issuer's thread has not looked at yet: a bounded queue between
 * the two. Functions but init and clear are safe from any thread. */

#include <pthread.h>

#include "tls/name.h"

#define SP_ISSUER_WISHES_MAX 1000

typedef struct sp_issuer_wish {
    struct sp_issuer_wish *next;
    uint64_t asker; /* at whose wish: of tls/issuer.h */
    size_t len;
    char name[SP_TLS_NAME_MAX];
} sp_issuer_wish_t;

typedef struct sp_issuer_wishes {
    pthread_mutex_t mutex;
    sp_issuer_wish_t *first;
    sp_issuer_wish_t **last;
    size_t count;
} sp_issuer_wishes_t;

void sp_issuer_wishes_init(sp_issuer_wishes_t *wishes);
void sp_issuer_wishes_clear(sp_issuer_wishes_t *wishes);

/* False: there are too many, or there is no memory. */
bool sp_issuer_wishes_add(sp_issuer_wishes_t *wishes, sp_str_t name, uint64_t asker);

/* All of them, the oldest first; each is freed by the caller. NULL: none. */
sp_issuer_wish_t *sp_issuer_wishes_take(sp_issuer_wishes_t *wishes);

#endif
