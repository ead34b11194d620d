/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/calibrate.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/probe.h"

#define LOSS_PACKETS 20000
#define DELAY_PACKETS 500
#define BURST 20         /* datagrams at a time */
#define BURST_NS 1000000 /* so often: 20,000 a second */
#define DELAY_BURST_NS 20000000
#define LAST_MS 300 /* how long the last ones are waited for, beyond the delay */
#define PORT 40000

/* One measurement: datagrams go from `near` to `far` and come back. */
typedef struct echo {
    int near, far;
    struct sockaddr_in to;
    size_t packets, sent, received;
    uint64_t burst_ns;
    double *round_trips_ms; /* of those that came back */
} echo_t;

typedef struct datagram {
    uint64_t sent_ns;
    uint64_t number;
} datagram_t;

double sp_lab_expected_loss(const sp_impairment_t *list, size_t count, sp_wire_t wire)
{
    double arrives = 1;

    for (size_t i = 0; i != count; ++i) {
        if (list[i].kind == SP_IMPAIRMENT_LOSS && list[i].wire == wire &&
            list[i].protocol != SP_PROTOCOL_TCP) {
            arrives *= (1 - list[i].percent / 100) * (1 - list[i].percent / 100);
        }
    }
    return 1 - arrives;
}

static double delay_of(const sp_impairment_t *list, size_t count, sp_wire_t wire)
{
    double ms = 0;

    for (size_t i = 0; i != count; ++i) {
        if (list[i].kind == SP_IMPAIRMENT_DELAY && list[i].wire == wire &&
            list[i].protocol != SP_PROTOCOL_TCP) {
            ms += 2 * list[i].delay_ms;
        }
    }
    return ms;
}

/* The IPv4 address of an interface, which belongs to the socket's namespace. */
static bool device_address(int fd, const char *device, struct in_addr *ret_address)
{
    struct ifreq request;
    struct sockaddr_in address;

    memset(&request, 0, sizeof(request));
    memcpy(request.ifr_name, device, strnlen(device, IFNAMSIZ - 1));
    if (ioctl(fd, SIOCGIFADDR, &request) != 0) {
        return false;
    }
    memcpy(&address, &request.ifr_addr, sizeof(address));
    *ret_address = address.sin_addr;
    return true;
}

typedef union any_address {
    const struct sockaddr_in *in;
    struct sockaddr_in *out;
    const struct sockaddr *any;
    struct sockaddr *any_out;
} any_address_t;

/* A socket at one end of the wire, bound to its address there. */
static int open_end(const sp_topology_t *topology, const sp_wire_end_t *end,
                    struct sockaddr_in *ret_address)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    any_address_t any = {.in = &address};
    int fd = sp_lab_socket(sp_topology_netns(topology, end->place), AF_INET, SOCK_DGRAM);
    int room = 4 * 1024 * 1024;

    if (fd == -1) {
        return -1;
    }
    if ((!device_address(fd, end->device, &address.sin_addr) &&
         !device_address(fd, end->input, &address.sin_addr)) ||
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) != 0 ||
        bind(fd, any.any, sizeof(address)) != 0) {
        (void)close(fd);
        return -1;
    }
    *ret_address = address;
    return fd;
}

static void send_burst(echo_t *echo, size_t count)
{
    any_address_t to = {.in = &echo->to};

    for (size_t i = 0; i != count && echo->sent != echo->packets; ++i) {
        datagram_t datagram = {.sent_ns = sp_clock_ns(), .number = echo->sent};

        (void)sendto(echo->near, &datagram, sizeof(datagram), 0, to.any, sizeof(echo->to));
        ++echo->sent; /* one that could not be sent counts as lost, which it is */
    }
}

static void send_back(echo_t *echo)
{
    datagram_t datagram;
    struct sockaddr_in from;
    socklen_t from_len = sizeof(from);
    any_address_t any = {.out = &from};

    while (recvfrom(echo->far, &datagram, sizeof(datagram), 0, any.any_out, &from_len) ==
           (ssize_t)sizeof(datagram)) {
        (void)sendto(echo->far, &datagram, sizeof(datagram), 0, any.any, from_len);
        from_len = sizeof(from);
    }
}

static void take_back(echo_t *echo)
{
    datagram_t datagram;

    while (recv(echo->near, &datagram, sizeof(datagram), 0) == (ssize_t)sizeof(datagram)) {
        if (echo->received != echo->packets) {
            echo->round_trips_ms[echo->received++] =
                (double)(sp_clock_ns() - datagram.sent_ns) / 1e6;
        }
    }
}

static void run(echo_t *echo, double last_ms)
{
    struct pollfd ends[] = {{.fd = echo->near, .events = POLLIN},
                            {.fd = echo->far, .events = POLLIN}};
    uint64_t next = sp_clock_ns();
    uint64_t until = UINT64_MAX;

    while (echo->received != echo->packets && sp_clock_ns() < until) {
        while (echo->sent != echo->packets && sp_clock_ns() >= next) {
            send_burst(echo, BURST);
            next += echo->burst_ns;
        }
        if (echo->sent == echo->packets && until == UINT64_MAX) {
            until = sp_clock_ns() + (uint64_t)(last_ms * 1e6);
        }
        (void)poll(ends, 2, 1);
        send_back(echo);
        take_back(echo);
    }
}

static int compare(const void *a, const void *b)
{
    const double *one = a;
    const double *other = b;

    return (*one > *other) - (*one < *other);
}

static sp_status_t measure(const sp_topology_t *topology, sp_wire_t wire, double last_ms,
                           echo_t *echo, sp_error_t *err)
{
    sp_wire_end_t ends[2];
    struct sockaddr_in from;
    sp_status_t status = SP_OK;

    sp_topology_wire(topology, wire, ends);
    echo->round_trips_ms = calloc(echo->packets, sizeof(double));
    echo->near = open_end(topology, &ends[0], &from);
    echo->far = open_end(topology, &ends[1], &echo->to);
    if (echo->round_trips_ms == NULL || echo->near == -1 || echo->far == -1) {
        status = sp_fail(err, SP_IO, 0, "the wire %s can't be measured: %s", sp_wire_name(wire),
                         strerror(errno));
    } else {
        run(echo, last_ms);
    }
    if (echo->near != -1) {
        (void)close(echo->near);
    }
    if (echo->far != -1) {
        (void)close(echo->far);
    }
    return status;
}

sp_status_t sp_lab_calibrate(const sp_topology_t *topology, const sp_impairment_t *list,
                             size_t count, size_t index, json_t **ret_json, sp_error_t *err)
{
    const sp_impairment_t *one = &list[index];
    bool loss = one->kind == SP_IMPAIRMENT_LOSS;
    double delay_ms = delay_of(list, count, one->wire);
    echo_t echo = {.packets = loss ? LOSS_PACKETS : DELAY_PACKETS,
                   .burst_ns = loss ? BURST_NS : DELAY_BURST_NS};
    sp_status_t status = SP_OK;

    *ret_json = NULL;
    if ((!loss && one->kind != SP_IMPAIRMENT_DELAY) || one->protocol == SP_PROTOCOL_TCP) {
        return SP_OK;
    }
    status = measure(topology, one->wire, LAST_MS + 2 * delay_ms, &echo, err);
    if (status == SP_OK && loss) {
        *ret_json = json_pack(
            "{s:f, s:f, s:i}", "expected", sp_lab_expected_loss(list, count, one->wire), "measured",
            1 - (double)echo.received / (double)echo.packets, "packets", (int)echo.packets);
    } else if (status == SP_OK && echo.received != 0) {
        qsort(echo.round_trips_ms, echo.received, sizeof(double), compare);
        *ret_json = json_pack("{s:f, s:f, s:i}", "expected_ms", delay_ms, "measured_ms",
                              echo.round_trips_ms[echo.received / 2], "packets", (int)echo.packets);
    }
    free(echo.round_trips_ms);
    return status;
}
