/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_TLS_H
#define SIGNPOST_HTTP_TLS_H

/* TLS on a front's loop. sp_front_use_tls is here. */

#include "http/front_state.h"
#include "tls/policy.h"

/* For sp_tls_policy_create: what the connection offers that the library has given to OpenSSL. */
sp_tls_offer_t *sp_tls_offer_of(SSL *ssl);

/* No connection waits for a certificate any more. */
void sp_tls_stop(sp_front_t *front);

#endif
