/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/helper.h"

#define PIECE 16384
#define EVENTS_MAX 256
#define BACKLOG 4096
#define ROUNDS_MAX 32 /* of one connection, before others get their turn */

/* What was read from one end and is to be written to the other. */
typedef struct flow {
    char piece[PIECE];
    size_t at, len;
    bool ended;  /* nothing more comes */
    bool passed; /* and the other end has been told */
} flow_t;

typedef struct connection {
    int fds[2];
    flow_t flows[2];         /* n: from fds[n] to fds[1 - n] */
    struct connection *next; /* among the living, or among those that are to be freed */
    struct connection *previous;
    bool is_dead;
} connection_t;

typedef struct relay {
    int epoll, listener, signals;
    size_t count;
    bool is_paused; /* the listener is not watched */
    connection_t *living;
    connection_t *dead; /* events of this round may still point to them */
} relay_t;

typedef enum pump { PUMP_WAITS, PUMP_GOES_ON, PUMP_FAILED } pump_t;

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static pump_t read_piece(flow_t *flow, int from)
{
    ssize_t got = recv(from, flow->piece, PIECE, 0);

    if (got < 0) {
        return would_block() ? PUMP_WAITS : PUMP_FAILED;
    }
    flow->ended = got == 0;
    flow->at = 0;
    flow->len = (size_t)got;
    return PUMP_GOES_ON;
}

static pump_t write_piece(flow_t *flow, int to)
{
    ssize_t done = send(to, flow->piece + flow->at, flow->len - flow->at, MSG_NOSIGNAL);

    if (done < 0) {
        return would_block() ? PUMP_WAITS : PUMP_FAILED;
    }
    flow->at += (size_t)done;
    return PUMP_GOES_ON;
}

static pump_t pump_once(flow_t *flow, int from, int to)
{
    if (flow->at != flow->len) {
        return write_piece(flow, to);
    }
    if (!flow->ended) {
        return read_piece(flow, from);
    }
    if (!flow->passed) {
        flow->passed = true;
        return shutdown(to, SHUT_WR) == 0 ? PUMP_WAITS : PUMP_FAILED;
    }
    return PUMP_WAITS;
}

static pump_t pump(flow_t *flow, int from, int to)
{
    pump_t result = PUMP_GOES_ON;

    for (int i = 0; i != ROUNDS_MAX && result == PUMP_GOES_ON; ++i) {
        result = pump_once(flow, from, to);
    }
    return result;
}

static bool watch(const relay_t *relay, int operation, int fd, void *data)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = data};

    return epoll_ctl(relay->epoll, operation, fd, &event) == 0;
}

static bool watch_listener(relay_t *relay, bool on)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &relay->listener};

    relay->is_paused = !on;
    return epoll_ctl(relay->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, relay->listener, &event) ==
           0;
}

static void kill_connection(relay_t *relay, connection_t *connection)
{
    if (connection->is_dead) {
        return;
    }
    for (int i = 0; i != 2; ++i) {
        if (connection->fds[i] >= 0) {
            (void)close(connection->fds[i]);
        }
    }
    if (connection->next != NULL) {
        connection->next->previous = connection->previous;
    }
    if (connection->previous != NULL) {
        connection->previous->next = connection->next;
    } else {
        relay->living = connection->next;
    }
    connection->is_dead = true;
    connection->next = relay->dead;
    relay->dead = connection;
    --relay->count;
}

static void free_dead(relay_t *relay)
{
    if (relay->dead == NULL) {
        return;
    }
    while (relay->dead != NULL) {
        connection_t *next = relay->dead->next;

        free(relay->dead);
        relay->dead = next;
    }
    if (relay->is_paused && relay->count < SP_RELAY_CONNECTIONS_MAX) {
        (void)watch_listener(relay, true);
    }
}

/* Asking again for the same events makes edge-triggered epoll report what is there already: how a
 * connection that has had its turn gets the next one. */
static void serve(relay_t *relay, connection_t *connection)
{
    bool goes_on = false;

    for (int i = 0; i != 2 && !connection->is_dead; ++i) {
        pump_t result = pump(&connection->flows[i], connection->fds[i], connection->fds[1 - i]);

        if (result == PUMP_FAILED) {
            kill_connection(relay, connection);
        }
        goes_on = goes_on || result == PUMP_GOES_ON;
    }
    if (!connection->is_dead && connection->flows[0].passed && connection->flows[1].passed) {
        kill_connection(relay, connection);
    }
    for (int i = 0; i != 2 && goes_on && !connection->is_dead; ++i) {
        if (!watch(relay, EPOLL_CTL_MOD, connection->fds[i], connection)) {
            kill_connection(relay, connection);
        }
    }
}

/* Where the client wanted to go; false when that was to us, which would go round in circles. */
static bool find_destination(int client, struct sockaddr_in *ret_destination)
{
    struct sockaddr_in own = {.sin_port = 0};
    socklen_t len = sizeof(*ret_destination);
    socklen_t own_len = sizeof(own);

    return getsockopt(client, SOL_IP, SO_ORIGINAL_DST, ret_destination, &len) == 0 &&
           getsockname(client, (struct sockaddr *)&own, &own_len) == 0 &&
           (own.sin_port != ret_destination->sin_port ||
            own.sin_addr.s_addr != ret_destination->sin_addr.s_addr);
}

static int connect_to_destination(int client)
{
    struct sockaddr_in destination;
    const int on = 1;
    int fd;

    if (!find_destination(client, &destination)) {
        return -1;
    }
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0 ||
        (connect(fd, (const struct sockaddr *)&destination, sizeof(destination)) != 0 &&
         errno != EINPROGRESS)) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return -1;
    }
    return fd;
}

static void take_client(relay_t *relay, int client)
{
    connection_t *connection = calloc(1, sizeof(*connection));

    if (connection == NULL) {
        (void)close(client);
        return;
    }
    ++relay->count;
    connection->next = relay->living;
    if (relay->living != NULL) {
        relay->living->previous = connection;
    }
    relay->living = connection;
    connection->fds[0] = client;
    connection->fds[1] = connect_to_destination(client);
    if (connection->fds[1] < 0 || !watch(relay, EPOLL_CTL_ADD, client, connection) ||
        !watch(relay, EPOLL_CTL_ADD, connection->fds[1], connection)) {
        kill_connection(relay, connection);
    }
}

static void take_clients(relay_t *relay)
{
    while (relay->count < SP_RELAY_CONNECTIONS_MAX) {
        int client = accept4(relay->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (client < 0 && would_block()) {
            return;
        }
        if (client < 0) {
            break; /* out of files, most likely */
        }
        take_client(relay, client);
    }
    (void)watch_listener(relay, false);
}

static sp_status_t fail(const char *what, sp_error_t *err)
{
    return sp_fail(err, SP_IO, 0, "lab-relay: %s: %s", what, strerror(errno));
}

static sp_status_t start(relay_t *relay, unsigned port, sp_error_t *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &relay->signals};
    const int on = 1;
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    relay->epoll = epoll_create1(EPOLL_CLOEXEC);
    relay->signals = sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? signalfd(-1, &set, SFD_CLOEXEC) : -1;
    if (relay->epoll < 0 || relay->signals < 0 ||
        epoll_ctl(relay->epoll, EPOLL_CTL_ADD, relay->signals, &event) != 0) {
        return fail("epoll", err);
    }
    relay->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (relay->listener < 0 ||
        setsockopt(relay->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(relay->listener, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(relay->listener, BACKLOG) != 0 || !watch_listener(relay, true)) {
        return fail("listening", err);
    }
    return SP_OK;
}

static sp_status_t work(relay_t *relay, sp_error_t *err)
{
    for (;;) {
        struct epoll_event events[EVENTS_MAX];
        int count = epoll_wait(relay->epoll, events, EVENTS_MAX, -1);

        if (count < 0 && errno != EINTR) {
            return fail("waiting", err);
        }
        for (int i = 0; i < count; ++i) {
            if (events[i].data.ptr == &relay->signals) {
                return SP_OK;
            }
            if (events[i].data.ptr == &relay->listener) {
                take_clients(relay);
            } else {
                serve(relay, events[i].data.ptr);
            }
        }
        free_dead(relay);
    }
}

static void end_relay(relay_t *relay)
{
    const int fds[] = {relay->epoll, relay->listener, relay->signals};

    relay->is_paused = false;
    while (relay->living != NULL) {
        kill_connection(relay, relay->living);
    }
    free_dead(relay);
    for (size_t i = 0; i != SP_COUNT(fds); ++i) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
}

sp_status_t sp_relay_run(unsigned port, sp_error_t *err)
{
    relay_t relay = {.epoll = -1, .listener = -1, .signals = -1};
    sp_status_t status = start(&relay, port, err);

    if (status == SP_OK && (fputs(SP_HELPER_READY, stdout) == EOF || fflush(stdout) != 0)) {
        status = fail("standard output", err);
    }
    if (status == SP_OK) {
        status = work(&relay, err);
    }
    end_relay(&relay);
    return status;
}

sp_status_t sp_relay_spawn(const char *signpost, const sp_netns_t *netns, unsigned port,
                           sp_process_t *ret_process, sp_error_t *err)
{
    char number[16];
    const char *argv[] = {signpost, "lab-relay", "--port", number, NULL};
    sp_spawn_options_t options = {.argv = argv, .netns = netns};

    (void)snprintf(number, sizeof(number), "%u", port);
    return sp_helper_spawn(&options, ret_process, err);
}
