/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_HANDSHAKE_H
#define SIGNPOST_HTTP_HANDSHAKE_H

/* How TLS handshakes end. A closed set: metrics name all of them. */

typedef enum sp_handshake {
    SP_HANDSHAKE_OK,
    SP_HANDSHAKE_RESUMED,
    SP_HANDSHAKE_CHALLENGE,      /* a certificate authority has seen what it wanted (RFC 8737) */
    SP_HANDSHAKE_NO_CERTIFICATE, /* for the name; or the client named none */
    SP_HANDSHAKE_FAILED,         /* no common version, cipher …; the client refused; broken TLS */
    SP_HANDSHAKE_TIMEOUT,        /* the client was too slow, or the certificate */
    SP_HANDSHAKE_GONE,           /* the client left in the middle of it */
    SP_HANDSHAKE_NOT_TLS,        /* something else was spoken */
    SP_HANDSHAKE_BUSY            /* too many wait for certificates already */
} sp_handshake_t;
#define SP_HANDSHAKES (SP_HANDSHAKE_BUSY + 1)

/* "ok", "resumed" … */
const char *sp_handshake_name(sp_handshake_t result);

/* Why a connection with the PROXY protocol was not taken. */
typedef enum sp_proxy_refusal {
    SP_PROXY_UNTRUSTED, /* its peer is none of trusted_proxies */
    SP_PROXY_MALFORMED, /* or there was no header at all */
    SP_PROXY_TIMEOUT
} sp_proxy_refusal_t;
#define SP_PROXY_REFUSALS (SP_PROXY_TIMEOUT + 1)

const char *sp_proxy_refusal_name(sp_proxy_refusal_t refusal); /* "untrusted" … */

#endif
