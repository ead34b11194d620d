/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_NETWORK_H
#define SIGNPOST_SERVE_NETWORK_H

/* Ranges of addresses (RFC 4632): whose forwarding headers are believed. */

#include <signpost/base/error.h>
#include <sys/socket.h>

/* Some addresses, as `ADDRESS/LENGTH`. `family` AF_UNIX stands for every unix socket. */
typedef struct sp_network {
    sa_family_t family;  /* AF_INET, AF_INET6 or AF_UNIX */
    uint8_t prefix_len;  /* bits that count */
    uint8_t address[16]; /* network order; bits behind the prefix are 0 */
} sp_network_t;

/* `IPv4/0…32`, `IPv6/0…128`, an address alone, or the word `unix:`. Bits behind the prefix must be
 * zero: `10.0.0.1/8` is more likely a slip than a wish. */
sp_status_t sp_network_parse(sp_str_t text, sp_network_t *ret_network, sp_error_t *err);

/* An IPv4 peer that comes in through an IPv6 socket (::ffff:a.b.c.d) counts as the IPv4 address. */
bool sp_network_contains(const sp_network_t *network, const struct sockaddr *peer);

#endif
