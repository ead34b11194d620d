/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_PROXY_HEADER_H
#define SIGNPOST_HTTP_PROXY_HEADER_H

/* What a proxy says of the connection that it passes on, ahead of everything else: the PROXY
 * protocol, versions 1 (a line) and 2 (octets). Strict: one octet that does not belong there and
 * the header is none. */

#include <signpost/base/str.h>
#include <sys/socket.h>

#define SP_PROXY_LINE_MAX 107 /* version 1, with CR LF */
#define SP_PROXY_HEADER_MAX                                                                        \
    ((size_t)4096) /* version 2; the protocol would allow 64 KiB of additions */

typedef enum sp_proxy_status {
    SP_PROXY_COMPLETE,
    SP_PROXY_MORE, /* so far it is one */
    SP_PROXY_BROKEN
} sp_proxy_status_t;

typedef struct sp_proxy_header {
    size_t size; /* octets of it */
    /* Length 0: the proxy speaks for itself (a health check), or of something else than TCP. */
    struct sockaddr_storage source;
    socklen_t source_len;
} sp_proxy_header_t;

/* `input`: what has arrived so far. *ret_header is written on COMPLETE. */
sp_proxy_status_t sp_proxy_header_read(sp_str_t input, sp_proxy_header_t *ret_header);

#endif
