/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_HOSTNAME_H
#define SIGNPOST_RULE_HOSTNAME_H

/* Host and port, of a request or of a target: checked, lower-cased, U-labels turned into A-labels
 * (UTS 46 non-transitional, IDNA 2008; RFC 5891). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

/* Octets of a name in text form without its final dot, and of a label (RFC 1035, 2.3.4). */
#define SP_NAME_MAX 253
#define SP_LABEL_MAX 63

typedef struct sp_host {
    sp_str_t name;   /* lower case, no final dot; an IPv6 literal in brackets */
    sp_str_t port;   /* digits as written; empty when there was none */
    bool is_address; /* a literal, or a name whose last label is all digits */
} sp_host_t;

/* Reads `host[:port]` strictly (records.md REQ-1 to REQ-3). Results lie in `text` or `arena`. */
sp_status_t sp_host_read(sp_str_t text, sp_arena_t *arena, sp_host_t *ret_host, sp_error_t *err);

/* A host in U-label form as A-labels, not yet checked otherwise. SP_OK, SP_BAD_VALUE or
 * SP_NO_MEMORY. */
sp_status_t sp_host_to_ascii(sp_str_t host, sp_arena_t *arena, sp_str_t *ret_ascii);

/* Digits that make a port up to 65535. */
bool sp_port_is_valid(sp_str_t port);

/* An IPv6 address without brackets (RFC 4291, 2.2), without zone. */
bool sp_ipv6_is_valid(sp_str_t address);

/* Letters, digits, '-' and '_': what a label of ours may hold; 1 to 63 of them. */
bool sp_label_is_valid(sp_str_t label);

#endif
