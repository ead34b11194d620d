/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_TCP_RECEIVED_H
#define SIGNPOST_HTTP_TCP_RECEIVED_H

/* What the kernel knows of a connection. The library's own count of octets read holds those of the
 * last time only. */

#include <stdbool.h>
#include <stdint.h>

/* Octets that the peer has sent and we have acknowledged, since the connection began. False: it is
 * no TCP socket, or the system does not count. */
bool sp_tcp_received(int fd, uint64_t *ret_octets);

#endif
