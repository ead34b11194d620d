/* SPDX-License-Identifier: Apache-2.0 */
#include "load/tls_sessions.h"

#include <string.h>

static sp_str_t key_of(sp_str_t name)
{
    return name.len > SP_LOAD_SESSION_NAME ? SP_STR("") : name;
}

static sp_load_session_t *entry_of(sp_load_sessions_t *sessions, sp_str_t key)
{
    for (size_t i = 0; i != SP_LOAD_SESSIONS_MAX; ++i) {
        sp_load_session_t *entry = &sessions->all[i];

        if (entry->session != NULL && sp_str_eq((sp_str_t){entry->name, entry->len}, key)) {
            entry->used = ++sessions->uses;
            return entry;
        }
    }
    return NULL;
}

/* An unused place was never used, so that it is older than all others. */
static sp_load_session_t *oldest_of(sp_load_sessions_t *sessions)
{
    sp_load_session_t *oldest = &sessions->all[0];

    for (size_t i = 1; i != SP_LOAD_SESSIONS_MAX; ++i) {
        if (sessions->all[i].used < oldest->used) {
            oldest = &sessions->all[i];
        }
    }
    return oldest;
}

SSL_SESSION *sp_load_sessions_find(sp_load_sessions_t *sessions, sp_str_t name)
{
    sp_load_session_t *entry = entry_of(sessions, key_of(name));

    return entry == NULL ? NULL : entry->session;
}

void sp_load_sessions_keep(sp_load_sessions_t *sessions, sp_str_t name, SSL_SESSION *session)
{
    sp_str_t key = key_of(name);
    sp_load_session_t *entry = entry_of(sessions, key);

    if (entry == NULL) {
        entry = oldest_of(sessions);
        entry->used = ++sessions->uses;
        entry->len = key.len;
        memcpy(entry->name, key.ptr, key.len);
    }
    SSL_SESSION_free(entry->session);
    entry->session = session;
}

void sp_load_sessions_clear(sp_load_sessions_t *sessions)
{
    for (size_t i = 0; i != SP_LOAD_SESSIONS_MAX; ++i) {
        SSL_SESSION_free(sessions->all[i].session);
    }
    *sessions = (sp_load_sessions_t){.uses = 0};
}
