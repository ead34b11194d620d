/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_RESOLVER_ADDRESS_H
#define SIGNPOST_DNS_RESOLVER_ADDRESS_H

/* Addresses of resolvers as people write them. Never a name that would have to be looked up. */

#include <signpost/base/error.h>
#include <sys/socket.h>

#define SP_RESOLVER_PORT 53
#define SP_RESOLVER_TEXT_MAX 80 /* "[" address "%" scope "]:" port, NUL included */

/* "192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:5353", each IPv6
 * address with an optional "%scope" (an interface name or number). SP_OK, or SP_BAD_VALUE with a
 * sentence. */
sp_status_t sp_resolver_parse(sp_str_t text, struct sockaddr_storage *ret_address, sp_error_t *err);

/* "192.0.2.1:53" or "[2001:db8::1%2]:53"; ends in NUL, cut off when `size` is too small. */
void sp_resolver_print(const struct sockaddr_storage *address, char *ret_text, size_t size);

socklen_t sp_resolver_length(const struct sockaddr_storage *address);

bool sp_resolver_is_loopback(const struct sockaddr_storage *address);

#endif
