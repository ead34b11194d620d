/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_KEY_REQUEST_H
#define SIGNPOST_ACME_KEY_REQUEST_H

/* A new key (ECDSA P-256) and a request to certify it for one name (PKCS #10, RFC 2986). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

typedef struct sp_key_request {
    sp_str_t key;     /* PKCS #8, PEM */
    sp_str_t request; /* PEM */
} sp_key_request_t;

/* Texts lie in `arena`. `name` is a host name. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_key_request_create(sp_str_t name, sp_arena_t *arena, sp_key_request_t *ret_request);

#endif
