/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_REQUEST_H
#define SIGNPOST_DECIDE_REQUEST_H

/* What the rules may see of a request, read strictly from what HTTP delivered (records.md REQ-1 to
 * REQ-7; RFC 9110, RFC 9112 section 3.2). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/rule/outcome.h>

/* As received. Everything is borrowed. */
typedef struct sp_raw_request {
    sp_str_t method;
    sp_str_t target;       /* request target: origin, absolute, authority or asterisk form */
    sp_str_t scheme;       /* of the connection: "http" or "https" */
    const sp_str_t *hosts; /* value of each Host header, or the one :authority */
    size_t host_count;
    const sp_header_t *headers; /* all others, in order */
    size_t header_count;
    bool trusted_peer;   /* the peer is in `trusted_proxies` */
    uint16_t https_port; /* where https:// is reached from outside; 0: at 443 */
} sp_raw_request_t;

typedef struct sp_request {
    sp_str_t method;
    sp_str_t scheme; /* effective: "http" or "https" */
    sp_str_t host;   /* lower case, A-labels, no final dot, no port; an IPv6 literal in brackets */
    sp_str_t port;   /* as sent, digits; empty when none was */
    bool is_address; /* REQ-3: a literal, or a last label of digits only */
    sp_str_t uri;    /* path and query, octet for octet as sent, beginning with '/' */
    sp_str_t path;
    sp_str_t query; /* without '?' */
    bool has_query; /* a '?' was there */
    const sp_header_t *headers;
    size_t header_count;
    sp_str_t raw_host;   /* the Host field as sent: {>Host} */
    sp_str_t client;     /* address that a trusted proxy named, else empty: for the log */
    uint16_t https_port; /* 0: 443 */
} sp_request_t;

/* Reads `raw`. What *ret_request points to lives in `raw`'s memory and in `arena`.
 * SP_OK, SP_NO_MEMORY, or another status with a message for the 400 page in *err. */
sp_status_t sp_request_read(const sp_raw_request_t *raw, sp_arena_t *arena,
                            sp_request_t *ret_request, sp_error_t *err);

/* All values of a header, joined by "," (RFC 9110, 5.3); ptr NULL when it is absent. SP_OK or
 * SP_NO_MEMORY. */
sp_status_t sp_request_header(const sp_request_t *request, sp_str_t name, sp_arena_t *arena,
                              sp_str_t *ret_value);

#endif
