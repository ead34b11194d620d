/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADDRESS_H
#define SIGNPOST_SERVE_ADDRESS_H

/* Places to listen at, as people write them in the configuration and on the command line. Always
 * addresses, never names: nothing here asks DNS or any other service. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <sys/socket.h>

typedef enum sp_address_kind {
    SP_ADDRESS_NONE, /* not configured */
    SP_ADDRESS_IPV4,
    SP_ADDRESS_IPV6,
    SP_ADDRESS_UNIX
} sp_address_kind_t;

/* A place to listen at. `socket` is ready for bind(): its family says which sockaddr it holds. */
typedef struct sp_address {
    sp_address_kind_t kind;
    struct sockaddr_storage socket; /* sockaddr_in, sockaddr_in6 or sockaddr_un */
    socklen_t socket_len;
    const char *text; /* as written; ends in NUL */
    const char *path; /* of the unix socket; NULL for the other kinds */
} sp_address_t;

/* `IPv4:port`, `[IPv6]:port` or `unix:/path`; ports are 1 … 65535. Texts are copied to `arena`. */
sp_status_t sp_address_parse(sp_str_t text, sp_arena_t *arena, sp_address_t *ret_address,
                             sp_error_t *err);

/* Both name the same place, however they are written. */
bool sp_address_eq(const sp_address_t *a, const sp_address_t *b);

/* The system would not let one process listen at both: they are the same, or one takes every
 * address at the port of the other: 0.0.0.0 those of IPv4, [::] those of both families. */
bool sp_address_overlaps(const sp_address_t *a, const sp_address_t *b);

#endif
