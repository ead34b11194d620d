/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_CERTIFICATE_H
#define SIGNPOST_TLS_CERTIFICATE_H

/* What a server shows for one name: a certificate with its chain and key, and, where there are two,
 * one for clients of each kind of key (ECDSA and RSA). Immutable, shared by threads, references
 * counted: whoever lets go last frees it. */

#include <openssl/ssl.h>
#include <signpost/base/error.h>
#include <time.h>

#define SP_CERTIFICATE_PAIRS_MAX 2                   /* ECDSA and RSA */
#define SP_CERTIFICATE_CHAIN_MAX 16                  /* certificates in one file */
#define SP_CERTIFICATE_TEXT_MAX ((size_t)128 * 1024) /* octets of one file */

typedef struct sp_certificate sp_certificate_t;

/* One certificate with its key, as PEM: the server's own certificate first, then the chain. */
typedef struct sp_certificate_pem {
    sp_str_t chain;
    sp_str_t key; /* not encrypted */
} sp_certificate_pem_t;

/* Reads 1 … SP_CERTIFICATE_PAIRS_MAX pairs, which must have keys of different kinds. The result has
 * one reference. SP_OK, SP_NO_MEMORY, SP_TOO_LONG, SP_BAD_SYNTAX (not PEM, nothing of the kind in
 * it) or SP_BAD_VALUE (the key belongs to another certificate, is too weak, is encrypted). */
sp_status_t sp_certificate_read(const sp_certificate_pem_t *pems, size_t count,
                                sp_certificate_t **ret_certificate, sp_error_t *err);

/* Both are safe from any thread; sp_certificate_release accepts NULL. */
sp_certificate_t *sp_certificate_retain(sp_certificate_t *certificate);
void sp_certificate_release(sp_certificate_t *certificate);

/* Makes one connection show it. False when OpenSSL refuses. */
bool sp_certificate_use(const sp_certificate_t *certificate, SSL *ssl);

/* Seconds since 1970: of several pairs, when the last begins and the first ends. */
time_t sp_certificate_not_before(const sp_certificate_t *certificate);
time_t sp_certificate_not_after(const sp_certificate_t *certificate);
bool sp_certificate_is_valid_at(const sp_certificate_t *certificate, time_t now);

/* Do all pairs hold for this host name (RFC 6125, wildcards included)? */
bool sp_certificate_covers(const sp_certificate_t *certificate, sp_str_t name);

size_t sp_certificate_pair_count(const sp_certificate_t *certificate);

/* "ECDSA P-256", "RSA 2048"; and the issuer's name for people. Borrowed. */
const char *sp_certificate_key_type(const sp_certificate_t *certificate, size_t pair);
const char *sp_certificate_issuer(const sp_certificate_t *certificate);

/* Names that the first pair holds for, in the order of the certificate: `index` from 0; an empty
 * slice beyond the last. Borrowed. */
sp_str_t sp_certificate_name(const sp_certificate_t *certificate, size_t index);

/* About how many octets of memory it takes. */
size_t sp_certificate_size(const sp_certificate_t *certificate);

#endif
