/* SPDX-License-Identifier: Apache-2.0 */

/* steady: a well-behaved client. Keeps a number of HTTP/1.1 connections, sends requests at a fixed
 * rate, reconnects when the server closes, and counts what became of each request.
 *
 * steady ADDRESS PORT HOST CONNECTIONS RATE SECONDS [SOURCE]
 *
 * Ends after SECONDS, or when standard input ends, and prints one JSON object:
 *   sent       requests written
 *   answered   responses read whole
 *   wrong      of them, with a status other than 302
 *   lost       requests whose connection ended before the response was whole
 *   refused    attempts to connect that were refused (nothing had been sent yet)
 *   connects   connections made
 *   p50_us p99_us p999_us max_us   latency, from the intended time of sending
 * The schedule is open: a request that finds no free connection waits, and that counts as latency.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUCKETS 2048 /* 64 for each power of two: 1.5 % */
#define RETRY_US 10000
#define BUFFER 4096
#define EVENTS 256

typedef enum state { STATE_CLOSED, STATE_CONNECTING, STATE_IDLE, STATE_WAITING } state_t;

typedef struct connection {
    int fd;
    state_t state;
    uint64_t due_us; /* intended time of the request under way; of the next attempt to connect */
    size_t len;
    char buffer[BUFFER];
} connection_t;

typedef struct client {
    struct sockaddr_in to;
    struct sockaddr_in from;
    bool has_from;
    char request[512];
    size_t request_len;
    int epoll;
    size_t count;
    connection_t *connections;
    size_t *idle; /* a queue of those that can send: each has its turn, and none idles for long */
    size_t idle_count;
    uint64_t sent, answered, wrong, lost, refused, connects, max_us;
    uint64_t buckets[BUCKETS];
} client_t;

static uint64_t now_us(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static size_t bucket_of(uint64_t us)
{
    unsigned shift = 0;
    size_t index = 0;

    while (us >> shift >= 128) {
        ++shift;
    }
    index = (size_t)shift * 64 + (size_t)(us >> shift);
    return index < BUCKETS ? index : BUCKETS - 1;
}

static uint64_t value_of(size_t bucket)
{
    size_t shift = bucket < 128 ? 0 : bucket / 64 - 1;

    return (uint64_t)(bucket - shift * 64) << shift;
}

static uint64_t percentile(const client_t *client, unsigned per_mille)
{
    uint64_t left = client->answered * per_mille / 1000;

    for (size_t i = 0; i != BUCKETS; ++i) {
        if (client->buckets[i] > left) {
            return value_of(i);
        }
        left -= client->buckets[i];
    }
    return client->max_us;
}

static void close_connection(connection_t *connection, uint64_t retry_us)
{
    (void)close(connection->fd);
    connection->fd = -1;
    connection->state = STATE_CLOSED;
    connection->due_us = retry_us;
}

static void start_connecting(client_t *client, size_t index)
{
    connection_t *connection = &client->connections[index];
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u64 = index};
    int one = 1;

    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd == -1) {
        perror("steady: socket");
        exit(1);
    }
    (void)setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (client->has_from &&
        bind(connection->fd, (struct sockaddr *)&client->from, sizeof(client->from)) != 0) {
        perror("steady: bind");
        exit(1);
    }
    connection->len = 0;
    connection->state = STATE_CONNECTING;
    if ((connect(connection->fd, (struct sockaddr *)&client->to, sizeof(client->to)) != 0 &&
         errno != EINPROGRESS) ||
        epoll_ctl(client->epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0) {
        ++client->refused;
        close_connection(connection, now_us() + RETRY_US);
    }
}

static void become_idle(client_t *client, size_t index)
{
    client->connections[index].state = STATE_IDLE;
    client->idle[client->idle_count++] = index;
}

static size_t take_idle(client_t *client, size_t at)
{
    size_t index = client->idle[at];

    --client->idle_count;
    memmove(client->idle + at, client->idle + at + 1,
            (client->idle_count - at) * sizeof(*client->idle));
    return index;
}

static void leave_idle(client_t *client, size_t index)
{
    for (size_t i = 0; i != client->idle_count; ++i) {
        if (client->idle[i] == index) {
            (void)take_idle(client, i);
            return;
        }
    }
}

static void on_connected(client_t *client, size_t index)
{
    connection_t *connection = &client->connections[index];
    int error = 0;
    socklen_t len = sizeof(error);

    if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0) {
        ++client->refused;
        close_connection(connection, now_us() + RETRY_US);
        return;
    }
    ++client->connects;
    become_idle(client, index);
}

static void on_end(client_t *client, size_t index)
{
    connection_t *connection = &client->connections[index];

    if (connection->state == STATE_WAITING) {
        ++client->lost;
    } else if (connection->state == STATE_IDLE) {
        leave_idle(client, index);
    }
    close_connection(connection, 0);
}

static void count_answer(client_t *client, connection_t *connection)
{
    uint64_t us = now_us() - connection->due_us;

    ++client->answered;
    ++client->buckets[bucket_of(us)];
    client->max_us = us > client->max_us ? us : client->max_us;
    if (strncmp(connection->buffer, "HTTP/1.1 302 ", 13) != 0) {
        ++client->wrong;
    }
}

/* True when the response is whole. */
static bool is_whole(const connection_t *connection)
{
    const char *end = strstr(connection->buffer, "\r\n\r\n");
    const char *length = strcasestr(connection->buffer, "\r\ncontent-length: ");

    if (end == NULL || length == NULL || length > end) {
        return false;
    }
    return connection->len >=
           (size_t)(end - connection->buffer) + 4 + strtoul(length + 18, NULL, 10);
}

static void take_answer(client_t *client, size_t index)
{
    connection_t *connection = &client->connections[index];
    bool is_last = strcasestr(connection->buffer, "\r\nconnection: close\r\n") != NULL;

    count_answer(client, connection);
    connection->len = 0;
    if (is_last) {
        close_connection(connection, 0);
    } else {
        become_idle(client, index);
    }
}

static void on_readable(client_t *client, size_t index)
{
    connection_t *connection = &client->connections[index];

    while (connection->fd != -1) {
        ssize_t got = recv(connection->fd, connection->buffer + connection->len,
                           BUFFER - 1 - connection->len, 0);

        if (got < 0 && errno == EAGAIN) {
            return;
        }
        if (got <= 0) {
            on_end(client, index);
            return;
        }
        connection->len += (size_t)got;
        connection->buffer[connection->len] = '\0';
        if (connection->state == STATE_WAITING && is_whole(connection)) {
            take_answer(client, index);
        }
    }
}

static void on_event(client_t *client, const struct epoll_event *event)
{
    size_t index = (size_t)event->data.u64;

    if (client->connections[index].state == STATE_CONNECTING) {
        on_connected(client, index);
    }
    if (client->connections[index].fd != -1) {
        on_readable(client, index);
    }
}

static void send_one(client_t *client, uint64_t due_us)
{
    size_t index = take_idle(client, 0);
    connection_t *connection = &client->connections[index];

    connection->due_us = due_us;
    connection->state = STATE_WAITING;
    ++client->sent;
    if (send(connection->fd, client->request, client->request_len, MSG_NOSIGNAL) !=
        (ssize_t)client->request_len) {
        on_end(client, index);
    }
}

static void reconnect(client_t *client)
{
    uint64_t now = now_us();

    for (size_t i = 0; i != client->count; ++i) {
        if (client->connections[i].state == STATE_CLOSED && client->connections[i].due_us <= now) {
            start_connecting(client, i);
        }
    }
}

static bool is_stopped(void)
{
    struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
    char octet = 0;

    return poll(&fd, 1, 0) == 1 && read(STDIN_FILENO, &octet, 1) == 0;
}

static size_t under_way(const client_t *client)
{
    size_t count = 0;

    for (size_t i = 0; i != client->count; ++i) {
        count += client->connections[i].state == STATE_WAITING;
    }
    return count;
}

static void turn(client_t *client, int timeout_ms)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(client->epoll, events, EVENTS, timeout_ms);

    for (int i = 0; i < count; ++i) {
        on_event(client, &events[i]);
    }
}

static void run(client_t *client, double rate, double seconds)
{
    uint64_t begin = now_us();
    uint64_t end = begin + (uint64_t)(seconds * 1e6);
    uint64_t scheduled = 0;
    uint64_t looked = 0;

    for (uint64_t now = begin; now < end; now = now_us()) {
        uint64_t due = begin + (uint64_t)((double)scheduled * 1e6 / rate);

        while (due <= now && client->idle_count != 0) {
            send_one(client, due);
            ++scheduled;
            due = begin + (uint64_t)((double)scheduled * 1e6 / rate);
        }
        reconnect(client);
        turn(client, due > now + 1000 || client->idle_count == 0 ? 1 : 0);
        if (now > looked + 20000) {
            looked = now;
            if (is_stopped()) {
                break;
            }
        }
    }
    end = now_us() + 5000000;
    while (under_way(client) != 0 && now_us() < end) {
        turn(client, 10);
    }
    client->lost += under_way(client);
}

static void print(const client_t *client)
{
    (void)printf("{\"sent\": %" PRIu64 ", \"answered\": %" PRIu64 ", \"wrong\": %" PRIu64
                 ", \"lost\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"connects\": %" PRIu64
                 ", \"p50_us\": %" PRIu64 ", \"p99_us\": %" PRIu64 ", \"p999_us\": %" PRIu64
                 ", \"max_us\": %" PRIu64 "}\n",
                 client->sent, client->answered, client->wrong, client->lost, client->refused,
                 client->connects, percentile(client, 500), percentile(client, 990),
                 percentile(client, 999), client->max_us);
}

static void prepare(client_t *client, char **argv)
{
    client->count = strtoul(argv[4], NULL, 10);
    client->connections = calloc(client->count, sizeof(*client->connections));
    client->idle = calloc(client->count, sizeof(*client->idle));
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    client->to.sin_family = AF_INET;
    client->to.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
    client->request_len =
        (size_t)snprintf(client->request, sizeof(client->request),
                         "GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: steady\r\n\r\n", argv[3]);
    if (client->connections == NULL || client->idle == NULL || client->epoll == -1 ||
        inet_pton(AF_INET, argv[1], &client->to.sin_addr) != 1) {
        (void)fputs("steady: bad address, or no memory\n", stderr);
        exit(1);
    }
    if (argv[7] != NULL) {
        client->has_from = true;
        client->from.sin_family = AF_INET;
        (void)inet_pton(AF_INET, argv[7], &client->from.sin_addr);
    }
    for (size_t i = 0; i != client->count; ++i) {
        client->connections[i].fd = -1;
    }
}

int main(int argc, char **argv)
{
    client_t *client = NULL;

    if (argc < 7 || argc > 8) {
        (void)fputs("usage: steady ADDRESS PORT HOST CONNECTIONS RATE SECONDS [SOURCE]\n", stderr);
        return 2;
    }
    client = calloc(1, sizeof(*client));
    if (client == NULL) {
        return 1;
    }
    prepare(client, argv);
    run(client, strtod(argv[5], NULL), strtod(argv[6], NULL));
    print(client);
    for (size_t i = 0; i != client->count; ++i) {
        if (client->connections[i].fd != -1) {
            (void)close(client->connections[i].fd);
        }
    }
    (void)close(client->epoll);
    free(client->connections);
    free(client->idle);
    free(client);
    return 0;
}
