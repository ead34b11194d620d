/* SPDX-License-Identifier: Apache-2.0 */
#include "http/tcp_received.h"

/* The C library's own description of the structure ends too early, and can't be had beside this. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

bool sp_tcp_received(int fd, uint64_t *ret_octets)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received)) {
        return false;
    }
    *ret_octets = info.tcpi_bytes_received;
    return true;
}
