/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_PREFACE_H
#define SIGNPOST_HTTP_PREFACE_H

/* What comes ahead of HTTP on a connection, in this order, where its listener asks for it:
 * 1. the PROXY header;
 * 2. the ClientHello, which is only looked at;
 * 3. the certificate for its name, which may have to be read or even to be got first: the library
 *    can't pause a handshake, so that it begins when the certificate is there;
 * 4. the handshake.
 * Then the connection goes to the library's HTTP. For 1 and 2 together, for 3, and for 4 there are
 * SP_PREFACE_MS each. */

#include "http/connection.h"
#include "tls/policy.h"

#define SP_PREFACE_MS SP_TLS_WAIT_MS
#define SP_PREFACE_WAITS_MAX 4096 /* connections of one front that wait for certificates */

/* The connection's socket is the preface's until HTTP takes over. */
void sp_preface_start(sp_connection_t *connection);

/* The connection has ended in the midst of it. Accepts NULL. */
void sp_preface_destroy(sp_preface_t *preface);

/* What it offers in its handshake. */
sp_tls_offer_t *sp_preface_offer(sp_preface_t *preface);

#endif
