/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_CLIENT_HELLO_H
#define SIGNPOST_TLS_CLIENT_HELLO_H

/* What a client says before anything is decided (RFC 8446, 4.1.2; the same in TLS 1.2): the name
 * that it wants, and whether it is a certificate authority with a challenge. The octets are only
 * looked at; OpenSSL reads them again, and judges the rest. */

#include <signpost/base/str.h>

#define SP_CLIENT_HELLO_MAX                                                                        \
    ((size_t)16384) /* octets of the message; OpenSSL takes no larger one                          \
                     */
#define SP_CLIENT_HELLO_INPUT_MAX ((size_t)20480) /* octets with the headers of its records */
#define SP_CLIENT_HELLO_NAME_MAX 255              /* octets of the name; longer is no host name */

typedef enum sp_hello_status {
    SP_HELLO_COMPLETE,
    SP_HELLO_MORE,    /* cut off: `need` says how many octets there must be at least */
    SP_HELLO_NOT_TLS, /* another protocol */
    SP_HELLO_BROKEN,  /* TLS, but no ClientHello or a malformed one */
    SP_HELLO_TOO_LONG
} sp_hello_status_t;

typedef struct sp_client_hello {
    size_t need;
    char name[SP_CLIENT_HELLO_NAME_MAX]; /* as sent */
    size_t name_len;                     /* 0: the client names no host */
    bool has_alpn;
    bool offers_acme; /* acme-tls/1 (RFC 8737) is among its protocols */
} sp_client_hello_t;

/* `input`: what has arrived since the connection began. *ret_hello is written when the status is
 * COMPLETE (all of it) or MORE (`need`, more than input.len). */
sp_hello_status_t sp_client_hello_read(sp_str_t input, sp_client_hello_t *ret_hello);

#endif
