/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer_wishes.h"

#include <stdlib.h>
#include <string.h>

void sp_issuer_wishes_init(sp_issuer_wishes_t *wishes)
{
    *wishes = (sp_issuer_wishes_t){.count = 0};
    wishes->last = &wishes->first;
    (void)pthread_mutex_init(&wishes->mutex, NULL);
}

void sp_issuer_wishes_clear(sp_issuer_wishes_t *wishes)
{
    for (sp_issuer_wish_t *wish = sp_issuer_wishes_take(wishes), *next = NULL; wish != NULL;
         wish = next) {
        next = wish->next;
        free(wish);
    }
    (void)pthread_mutex_destroy(&wishes->mutex);
}

bool sp_issuer_wishes_add(sp_issuer_wishes_t *wishes, sp_str_t name, uint64_t asker)
{
    sp_issuer_wish_t *wish = name.len > SP_TLS_NAME_MAX ? NULL : calloc(1, sizeof(*wish));

    if (wish == NULL) {
        return false;
    }
    memcpy(wish->name, name.ptr, name.len);
    wish->len = name.len;
    wish->asker = asker;
    (void)pthread_mutex_lock(&wishes->mutex);
    if (wishes->count == SP_ISSUER_WISHES_MAX) {
        (void)pthread_mutex_unlock(&wishes->mutex);
        free(wish);
        return false;
    }
    *wishes->last = wish;
    wishes->last = &wish->next;
    ++wishes->count;
    (void)pthread_mutex_unlock(&wishes->mutex);
    return true;
}

sp_issuer_wish_t *sp_issuer_wishes_take(sp_issuer_wishes_t *wishes)
{
    sp_issuer_wish_t *all = NULL;

    (void)pthread_mutex_lock(&wishes->mutex);
    all = wishes->first;
    wishes->first = NULL;
    wishes->last = &wishes->first;
    wishes->count = 0;
    (void)pthread_mutex_unlock(&wishes->mutex);
    return all;
}
