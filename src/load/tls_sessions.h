/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_TLS_SESSIONS_H
#define SIGNPOST_LOAD_TLS_SESSIONS_H

/* TLS sessions by the name of the host that gave them. A client goes on with what it has had with
 * that name, and with nothing of another's; a visitor of many names has many full handshakes. */

#include <openssl/ssl.h>
#include <signpost/base/str.h>
#include <stdint.h>

#define SP_LOAD_SESSIONS_MAX 64  /* names; beyond, the one that was longest unused goes */
#define SP_LOAD_SESSION_NAME 253 /* octets of a name; what is longer goes by the empty one */

typedef struct sp_load_session {
    SSL_SESSION *session; /* owned; or NULL */
    uint64_t used;        /* when, in uses of the table */
    size_t len;
    char name[SP_LOAD_SESSION_NAME];
} sp_load_session_t;

/* Of one thread; all zero is an empty one. */
typedef struct sp_load_sessions {
    sp_load_session_t all[SP_LOAD_SESSIONS_MAX];
    uint64_t uses;
} sp_load_sessions_t;

/* The session to go on with, which stays the table's; NULL: none. */
SSL_SESSION *sp_load_sessions_find(sp_load_sessions_t *sessions, sp_str_t name);

/* Takes the session over, in place of an earlier one of that name. */
void sp_load_sessions_keep(sp_load_sessions_t *sessions, sp_str_t name, SSL_SESSION *session);

void sp_load_sessions_clear(sp_load_sessions_t *sessions);

#endif
