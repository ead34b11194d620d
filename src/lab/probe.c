/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lab/clock.h"

#define HEADER_OCTETS 12
#define TYPE_TXT 16
#define CLASS_IN 1
#define QUERY_ID 0x5347

int sp_lab_socket(const sp_netns_t *netns, int domain, int type)
{
    int here = -1;
    int fd = -1;

    if (netns == NULL) {
        return socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    }
    here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (here == -1) {
        return -1;
    }
    if (setns(netns->fd, CLONE_NEWNET) == 0) {
        fd = socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (setns(here, CLONE_NEWNET) != 0 && fd != -1) { /* nothing would be where it should */
            (void)close(fd);
            fd = -1;
        }
    }
    (void)close(here);
    return fd;
}

bool sp_lab_address(const char *address, unsigned port, struct sockaddr_in *ret_address)
{
    struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    if (inet_pton(AF_INET, address, &result.sin_addr) != 1) {
        return false;
    }
    *ret_address = result;
    return true;
}

size_t sp_lab_dns_query(const char *name, unsigned id, unsigned char *octets, size_t size)
{
    size_t len = HEADER_OCTETS;

    if (strlen(name) + HEADER_OCTETS + 6 > size || strlen(name) > 253) {
        return 0;
    }
    memset(octets, 0, HEADER_OCTETS);
    octets[0] = (unsigned char)(id >> 8U);
    octets[1] = (unsigned char)id;
    octets[2] = 1; /* recursion desired */
    octets[5] = 1; /* one question */
    for (sp_str_t rest = sp_str_from(name); rest.ptr != NULL;) {
        sp_str_t part = sp_str_cut(rest, '.', &rest);

        if (part.len == 0 || part.len > 63) {
            return 0;
        }
        octets[len++] = (unsigned char)part.len;
        memcpy(octets + len, part.ptr, part.len);
        len += part.len;
    }
    memcpy(octets + len, (unsigned char[]){0, 0, TYPE_TXT, 0, CLASS_IN}, 5);
    return len + 5;
}

sp_lab_answer_t sp_lab_dns_answer(const unsigned char *octets, size_t len, unsigned id)
{
    if (len < HEADER_OCTETS || octets[0] != (id >> 8U & 0xffU) || octets[1] != (id & 0xffU) ||
        (octets[2] & 0x80U) == 0) {
        return SP_LAB_ANSWER_BAD;
    }
    return (octets[3] & 0x0fU) == 0 && (octets[6] != 0 || octets[7] != 0) ? SP_LAB_ANSWER_GOOD
                                                                          : SP_LAB_ANSWER_BAD;
}

/* Waits until the socket is ready for `events`; false when the time is over. */
static bool wait_for(int fd, short events, int64_t until_ms)
{
    struct pollfd one = {.fd = fd, .events = events};

    for (;;) {
        int64_t left = until_ms - sp_clock_ms();
        int ready = left < 0 ? 0 : poll(&one, 1, (int)left);

        if (ready >= 0 || errno != EINTR) {
            return ready > 0;
        }
    }
}

static sp_lab_answer_t from_errno(void)
{
    return errno == ECONNREFUSED || errno == ENOENT || errno == ECONNRESET ? SP_LAB_ANSWER_REFUSED
                                                                           : SP_LAB_ANSWER_NONE;
}

typedef union any_address {
    const struct sockaddr_in *in;
    const struct sockaddr_un *un;
    const struct sockaddr *any;
} any_address_t;

sp_lab_answer_t sp_lab_probe_dns(const sp_netns_t *netns, const struct sockaddr_in *server,
                                 const char *name, int timeout_ms)
{
    unsigned char octets[512];
    size_t len = sp_lab_dns_query(name, QUERY_ID, octets, sizeof(octets));
    any_address_t address = {.in = server};
    int fd = sp_lab_socket(netns, AF_INET, SOCK_DGRAM);
    sp_lab_answer_t answer = SP_LAB_ANSWER_NONE;

    if (fd == -1) {
        return SP_LAB_ANSWER_NONE;
    }
    if (connect(fd, address.any, sizeof(*server)) != 0 ||
        send(fd, octets, len, 0) != (ssize_t)len) {
        answer = from_errno();
    } else if (wait_for(fd, POLLIN, sp_clock_ms() + timeout_ms)) {
        ssize_t got = recv(fd, octets, sizeof(octets), 0);

        answer = got < 0 ? from_errno() : sp_lab_dns_answer(octets, (size_t)got, QUERY_ID);
    }
    (void)close(fd);
    return answer;
}

/* Sends a short request and reads until the other side closes or the room is full. */
static sp_lab_answer_t converse(int fd, const char *request, int64_t until_ms, sp_lab_room_t room,
                                size_t *ret_len)
{
    size_t len = 0;
    size_t request_len = strlen(request);

    if (!wait_for(fd, POLLOUT, until_ms)) {
        return SP_LAB_ANSWER_NONE;
    }
    if (send(fd, request, request_len, MSG_NOSIGNAL) != (ssize_t)request_len) {
        return from_errno();
    }
    while (len < room.size && wait_for(fd, POLLIN, until_ms)) {
        ssize_t got = recv(fd, room.ptr + len, room.size - len, 0);

        if (got <= 0) {
            break;
        }
        len += (size_t)got;
    }
    *ret_len = len;
    return len == 0 ? SP_LAB_ANSWER_NONE : SP_LAB_ANSWER_GOOD;
}

static sp_lab_answer_t ask_http(int fd, any_address_t address, socklen_t len, const char *request,
                                int timeout_ms)
{
    char reply[256];
    size_t got = 0;
    sp_lab_answer_t answer = SP_LAB_ANSWER_NONE;

    if (fd == -1) {
        return SP_LAB_ANSWER_NONE;
    }
    if (connect(fd, address.any, len) != 0 && errno != EINPROGRESS) {
        answer = from_errno();
    } else {
        answer = converse(fd, request, sp_clock_ms() + timeout_ms,
                          (sp_lab_room_t){.ptr = reply, .size = sizeof(reply)}, &got);
    }
    (void)close(fd);
    if (answer == SP_LAB_ANSWER_GOOD &&
        !sp_str_starts_with((sp_str_t){.ptr = reply, .len = got}, SP_STR("HTTP/1."))) {
        return SP_LAB_ANSWER_BAD;
    }
    return answer;
}

sp_lab_answer_t sp_lab_probe_http(const sp_netns_t *netns, const struct sockaddr_in *server,
                                  const char *host, int timeout_ms)
{
    char request[256];

    (void)snprintf(request, sizeof(request),
                   "GET / HTTP/1.1\r\nHost: %.100s\r\nConnection: close\r\n\r\n", host);
    return ask_http(sp_lab_socket(netns, AF_INET, SOCK_STREAM), (any_address_t){.in = server},
                    sizeof(*server), request, timeout_ms);
}

static bool unix_address(const char *path, struct sockaddr_un *ret_address)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) >=
        sizeof(address.sun_path)) {
        return false;
    }
    *ret_address = address;
    return true;
}

sp_lab_answer_t sp_lab_probe_unix(const char *path, int timeout_ms)
{
    struct sockaddr_un address;

    if (!unix_address(path, &address)) {
        return SP_LAB_ANSWER_NONE;
    }
    return ask_http(sp_lab_socket(NULL, AF_UNIX, SOCK_STREAM), (any_address_t){.un = &address},
                    sizeof(address),
                    "GET /readyz HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n", timeout_ms);
}

sp_status_t sp_lab_http_get_unix(const char *path, const char *target, int timeout_ms,
                                 sp_lab_room_t room, sp_str_t *ret_body)
{
    struct sockaddr_un address;
    any_address_t any = {.un = &address};
    char request[256];
    size_t len = 0;
    size_t head = 0;
    sp_str_t reply;
    int fd = -1;
    sp_lab_answer_t answer = SP_LAB_ANSWER_NONE;

    if (!unix_address(path, &address)) {
        return SP_TOO_LONG;
    }
    (void)snprintf(request, sizeof(request),
                   "GET %.100s HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n", target);
    fd = sp_lab_socket(NULL, AF_UNIX, SOCK_STREAM);
    if (fd != -1 && connect(fd, any.any, sizeof(address)) == 0) {
        answer = converse(fd, request, sp_clock_ms() + timeout_ms, room, &len);
    }
    if (fd != -1) {
        (void)close(fd);
    }
    reply = (sp_str_t){.ptr = room.ptr, .len = len};
    head = sp_str_search(reply, SP_STR("\r\n\r\n"));
    if (answer != SP_LAB_ANSWER_GOOD || !sp_str_starts_with(reply, SP_STR("HTTP/1.1 200")) ||
        head == len) {
        return SP_IO;
    }
    *ret_body = sp_str_skip(reply, head + 4);
    return SP_OK;
}
