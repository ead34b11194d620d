/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CHALLENGE_H
#define SIGNPOST_ACME_CHALLENGE_H

/* Answers to the authority's questions, which any process that shares the storage can give. */

#include "acme/storage.h"
#include "tls/certificate.h"

#define SP_CHALLENGE_PATH "/.well-known/acme-challenge/"
#define SP_CHALLENGE_TOKEN_MAX 256
#define SP_CHALLENGE_TEXT_MAX 1024

/* The answer of http-01 to a request for `path` (RFC 8555, 8.3), in `arena`; ptr NULL: that is no
 * question, or not one of ours. */
sp_str_t sp_challenge_answer(const sp_storage_t *storage, sp_str_t path, sp_arena_t *arena);

/* The certificate of tls-alpn-01 for `name` (RFC 8737), a reference; NULL: none is due. */
sp_certificate_t *sp_challenge_certificate(const sp_storage_t *storage, sp_str_t name);

#endif
