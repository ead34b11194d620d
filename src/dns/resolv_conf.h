/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_RESOLV_CONF_H
#define SIGNPOST_DNS_RESOLV_CONF_H

/* The `nameserver` lines of a resolv.conf(5): which resolvers the machine itself uses. Search lists
 * and options are of no interest, since all our names are absolute. */

#include <signpost/base/error.h>
#include <sys/socket.h>

/* Reads at most `max` addresses, in order; what is no address is passed over, as the C library
 * does. SP_OK (also with none found), or SP_IO with the reason. */
sp_status_t sp_resolv_conf_read(const char *path, struct sockaddr_storage *ret_addresses,
                                size_t max, size_t *ret_count, sp_error_t *err);

#endif
