/* SPDX-License-Identifier: Apache-2.0 */

/* open_load ADDRESS PORT RATE SECONDS DOMAIN: asks at times fixed beforehand, however long answers
 * take (an open loop), each time for another host below DOMAIN; prints one line of JSON. A latency
 * counts from the intended time. Anything but a 302 is a failure. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 1024
#define REPLY_MAX 4096
#define LAST_ANSWERS_US 8000000 /* how long is waited for them at the end */
#define EVENTS 64

typedef struct connection {
    int fd;
    uint64_t due_us; /* of the request that is under way */
    size_t got;
    char reply[REPLY_MAX];
} connection_t;

typedef struct load {
    struct sockaddr_in address;
    uint64_t rate;
    uint64_t count; /* of requests in all */
    const char *domain;
    int epoll;
    uint64_t begin_us;
    uint64_t sent;
    uint64_t failed;
    uint64_t answered;
    uint32_t *latencies_us;
    connection_t *idle[CONNECTIONS]; /* a ring: each gets its turn, none is closed as idle */
    size_t idle_first;
    size_t idle_count;
    connection_t connections[CONNECTIONS];
} load_t;

static void need(bool fine, const char *what)
{
    if (!fine) {
        (void)fprintf(stderr, "open_load: %s: %s\n", what, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

static uint64_t now_us(void)
{
    struct timespec now;

    need(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "clock");
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void rest(load_t *load, connection_t *connection)
{
    load->idle[(load->idle_first + load->idle_count++) % CONNECTIONS] = connection;
}

static connection_t *take_idle(load_t *load)
{
    connection_t *connection = load->idle[load->idle_first];

    load->idle_first = (load->idle_first + 1) % CONNECTIONS;
    load->idle_count -= 1;
    return connection;
}

static void open_connection(load_t *load, connection_t *connection)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    int on = 1;

    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need(connection->fd >= 0, "socket");
    need(connect(connection->fd, (const struct sockaddr *)&load->address, sizeof(load->address)) ==
             0,
         "connect");
    need(setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0, "setsockopt");
    need(epoll_ctl(load->epoll, EPOLL_CTL_ADD, connection->fd, &event) == 0, "epoll_ctl");
    rest(load, connection);
}

static uint64_t due_us(const load_t *load, uint64_t index)
{
    return load->begin_us + index * 1000000 / load->rate;
}

static void send_one(load_t *load)
{
    connection_t *connection;
    char request[256];
    int len = snprintf(request, sizeof(request), "HEAD / HTTP/1.1\r\nHost: h%ju-%d.%s\r\n\r\n",
                       (uintmax_t)load->sent, (int)getpid(), load->domain);

    if (load->idle_count == 0) { /* all of them wait: no open loop is possible any more */
        load->failed += 1;
        load->sent += 1;
        return;
    }
    connection = take_idle(load);
    connection->due_us = due_us(load, load->sent);
    connection->got = 0;
    load->sent += 1;
    need(send(connection->fd, request, (size_t)len, MSG_NOSIGNAL) == len, "send");
}

static void end_one(load_t *load, connection_t *connection)
{
    static const char wanted[] = "HTTP/1.1 302 ";

    if (memcmp(connection->reply, wanted, sizeof(wanted) - 1) == 0) {
        load->latencies_us[load->answered++] = (uint32_t)(now_us() - connection->due_us);
    } else {
        load->failed += 1;
    }
    rest(load, connection);
}

static void read_some(load_t *load, connection_t *connection)
{
    ssize_t got = recv(connection->fd, connection->reply + connection->got,
                       sizeof(connection->reply) - connection->got, 0);

    need(got > 0, "recv");
    connection->got += (size_t)got;
    if (connection->got >= 16 &&
        memcmp(connection->reply + connection->got - 4, "\r\n\r\n", 4) == 0) {
        end_one(load, connection);
    }
}

static void run(load_t *load)
{
    struct epoll_event events[EVENTS];
    uint64_t end_us = due_us(load, load->count) + LAST_ANSWERS_US;

    while (load->answered + load->failed != load->count && now_us() < end_us) {
        int ready = epoll_wait(load->epoll, events, EVENTS, 1);

        for (int i = 0; i < ready; ++i) {
            read_some(load, events[i].data.ptr);
        }
        while (load->sent != load->count && due_us(load, load->sent) <= now_us()) {
            send_one(load);
        }
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static uint32_t quantile(const load_t *load, uint64_t per_mille)
{
    uint64_t index = load->answered * per_mille / 1000;

    if (load->answered == 0) {
        return 0;
    }
    return load->latencies_us[index < load->answered ? index : load->answered - 1];
}

static void report(const load_t *load)
{
    qsort(load->latencies_us, load->answered, sizeof(*load->latencies_us), compare);
    (void)printf("{\"sent\": %ju, \"answered\": %ju, \"failed\": %ju, \"p50_us\": %u, "
                 "\"p99_us\": %u, \"p999_us\": %u, \"max_us\": %u}\n",
                 (uintmax_t)load->sent, (uintmax_t)load->answered,
                 (uintmax_t)(load->count - load->answered), quantile(load, 500),
                 quantile(load, 990), quantile(load, 999), quantile(load, 1000));
}

int main(int argc, char **argv)
{
    load_t *load;

    if (argc != 6) {
        (void)fputs("usage: open_load ADDRESS PORT RATE SECONDS DOMAIN\n", stderr);
        return 2;
    }
    load = calloc(1, sizeof(*load));
    need(load != NULL, "memory");
    load->address = (struct sockaddr_in){.sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10))};
    need(inet_pton(AF_INET, argv[1], &load->address.sin_addr) == 1, "address");
    load->rate = strtoull(argv[3], NULL, 10);
    load->count = load->rate * strtoull(argv[4], NULL, 10);
    load->domain = argv[5];
    need(load->rate != 0 && load->count != 0, "rate and seconds must be numbers above 0");
    load->latencies_us = calloc(load->count, sizeof(*load->latencies_us));
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    need(load->latencies_us != NULL && load->epoll >= 0, "start");
    for (size_t i = 0; i != CONNECTIONS; ++i) {
        open_connection(load, &load->connections[i]);
    }
    load->begin_us = now_us();
    run(load);
    report(load);
    for (size_t i = 0; i != CONNECTIONS; ++i) {
        (void)close(load->connections[i].fd);
    }
    (void)close(load->epoll);
    free(load->latencies_us);
    free(load);
    return EXIT_SUCCESS;
}
