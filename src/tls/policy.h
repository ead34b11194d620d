/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_POLICY_H
#define SIGNPOST_TLS_POLICY_H

/* How TLS is spoken: versions, ciphers, curves, tickets, protocols. One context for all names and
 * all workers; what differs between connections is asked for during the handshake. */

#include <stdint.h>

#include "tls/certificate.h"

/* What one connection offers. */
typedef struct sp_tls_offer {
    const sp_certificate_t *certificate;
    bool is_challenge; /* speaks acme-tls/1 and nothing else */
    uint8_t alert;     /* set when OpenSSL gives up before the server has said anything: its code */
} sp_tls_offer_t;

/* The offer of the connection that OpenSSL calls `ssl`; valid until the handshake has ended. NULL:
 * the handshake fails. */
typedef sp_tls_offer_t *sp_tls_offer_fn(SSL *ssl);

typedef struct sp_tls_policy sp_tls_policy_t;

/* SP_OK, SP_NO_MEMORY, SP_IO. */
sp_status_t sp_tls_policy_create(sp_tls_offer_fn *offer, sp_tls_policy_t **ret_policy,
                                 sp_error_t *err);
void sp_tls_policy_destroy(sp_tls_policy_t *policy); /* accepts NULL */

SSL_CTX *sp_tls_policy_context(const sp_tls_policy_t *policy); /* borrowed */

#endif
