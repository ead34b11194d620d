/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/warm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/probe.h"
#include "lab/zone_writer.h"

#define WINDOW 100      /* questions under way at most */
#define PATIENCE_MS 500 /* without any answer: what is under way counts as lost */

static bool send_one(int fd, unsigned number)
{
    char host[SP_LAB_HOST_MAX];
    char name[SP_LAB_HOST_MAX + 16];
    unsigned char octets[512];
    size_t len = 0;

    (void)snprintf(name, sizeof(name), "_redirect.%s", sp_lab_host(number, host));
    len = sp_lab_dns_query(name, number & 0xffffU, octets, sizeof(octets));
    return send(fd, octets, len, 0) == (ssize_t)len;
}

static unsigned take_answers(int fd)
{
    unsigned char octets[2048];
    unsigned count = 0;

    while (recv(fd, octets, sizeof(octets), 0) > 0) {
        ++count;
    }
    return count;
}

static unsigned ask_all(int fd, const sp_lab_warm_t *warm)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int64_t until = sp_clock_ms() + warm->limit_ms;
    unsigned sent = 0;
    unsigned waiting = 0;
    unsigned answered = 0;

    while ((sent != warm->names || waiting != 0) && sp_clock_ms() < until) {
        unsigned got = 0;

        while (sent != warm->names && waiting != WINDOW && send_one(fd, sent)) {
            ++sent;
            ++waiting;
        }
        if (poll(&ready, 1, PATIENCE_MS) > 0) {
            got = take_answers(fd);
            answered += got;
            waiting -= got < waiting ? got : waiting;
        } else {
            waiting = 0; /* lost */
        }
    }
    return answered;
}

sp_status_t sp_lab_warm_dns(const sp_lab_warm_t *warm, unsigned *ret_answered, sp_error_t *err)
{
    struct sockaddr_in address;
    union {
        const struct sockaddr_in *in;
        const struct sockaddr *any;
    } server = {.in = &address};
    int fd = sp_lab_socket(warm->netns, AF_INET, SOCK_DGRAM);

    if (fd == -1 || !sp_lab_address(warm->address, warm->port, &address) ||
        connect(fd, server.any, sizeof(address)) != 0) {
        if (fd != -1) {
            (void)close(fd);
        }
        return sp_fail(err, SP_IO, 0, "%s can't be asked: %s", warm->address, strerror(errno));
    }
    *ret_answered = ask_all(fd, warm);
    (void)close(fd);
    return SP_OK;
}
