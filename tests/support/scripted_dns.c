/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted_dns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECTIONS_MAX 8
#define HELD_MAX 64
#define MESSAGE_MAX 65535
#define LINES_MAX 64
#define TYPE_NS 2
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define TYPE_TXT 16

typedef struct message {
    size_t len;
    uint8_t octets[MESSAGE_MAX];
} message_t;

/* Whom a reply goes to. */
typedef struct peer {
    int connection; /* -1: UDP */
    struct sockaddr_in address;
} peer_t;

typedef struct held {
    peer_t peer;
    message_t *reply;
} held_t;

struct sp_scripted_dns {
    const sp_scripted_line_t *lines;
    size_t count;
    bool used[LINES_MAX];
    int udp;
    int listener;
    int connections[CONNECTIONS_MAX];
    int commands[2]; /* a pipe: 'q' quit, 'r' release, 'c' close TCP, 't' refuse it */
    int done[2];     /* a pipe: one octet for each command that was carried out */
    held_t held[HELD_MAX];
    size_t held_count;
    bool released;
    struct sockaddr_in address;
    atomic_uint udp_count;
    atomic_uint tcp_count;
    pthread_t thread;
};

/* What this server can't do is a fault of the test or of the machine. */
static void need(bool fine, const char *what)
{
    if (!fine) {
        (void)fprintf(stderr, "scripted DNS server: %s: %s\n", what, strerror(errno));
        abort();
    }
}

static void put(message_t *message, const void *octets, size_t len)
{
    need(len <= MESSAGE_MAX - message->len, "message too long");
    if (len != 0) {
        memcpy(message->octets + message->len, octets, len);
    }
    message->len += len;
}

static void put16(message_t *message, unsigned value)
{
    uint8_t octets[2] = {(uint8_t)(value >> 8), (uint8_t)value};

    put(message, octets, sizeof(octets));
}

static void put32(message_t *message, uint32_t value)
{
    put16(message, value >> 16);
    put16(message, value & 0xffff);
}

static void put_name(message_t *message, const char *name)
{
    while (*name != '\0') {
        size_t len = strcspn(name, ".");
        uint8_t octet = (uint8_t)len;

        put(message, &octet, 1);
        put(message, name, len);
        name += name[len] == '.' ? len + 1 : len;
    }
    put(message, "", 1);
}

static void put_text(message_t *message, const char *text)
{
    size_t left = strlen(text);

    do {
        size_t len = left < 255 ? left : 255;
        uint8_t octet = (uint8_t)len;

        put(message, &octet, 1);
        put(message, text, len);
        text += len;
        left -= len;
    } while (left != 0);
}

static void put_data(message_t *message, const sp_scripted_rr_t *rr)
{
    switch (rr->type) {
    case TYPE_TXT:
        put_text(message, rr->data);
        break;
    case TYPE_NS:
    case TYPE_CNAME:
        put_name(message, rr->data);
        break;
    case TYPE_SOA:
        put_name(message, "ns");
        put_name(message, "hostmaster");
        for (int i = 0; i != 4; ++i) {
            put32(message, 1);
        }
        put32(message, (uint32_t)strtoul(rr->data, NULL, 10));
        break;
    default:
        put(message, rr->data, strlen(rr->data));
        break;
    }
}

static unsigned put_rrs(message_t *message, const sp_scripted_rr_t *rrs, size_t max)
{
    unsigned count = 0;

    for (; count != max && rrs[count].owner != NULL; ++count) {
        size_t length_at;
        size_t len;

        put_name(message, rrs[count].owner);
        put16(message, rrs[count].type);
        put16(message, 1);
        put32(message, rrs[count].ttl_s);
        length_at = message->len;
        put16(message, 0);
        put_data(message, &rrs[count]);
        len = message->len - length_at - 2;
        message->octets[length_at] = (uint8_t)(len >> 8);
        message->octets[length_at + 1] = (uint8_t)len;
    }
    return count;
}

/* The name of the only question, as text; the length of header and question together. */
static size_t read_question(const message_t *query, char *ret_name, size_t size)
{
    size_t at = 12;
    size_t len = 0;

    while (at < query->len && query->octets[at] != 0) {
        size_t label = query->octets[at];

        need(label < 64 && len + label + 2 < size && at + label + 1 < query->len, "bad question");
        memcpy(ret_name + len, query->octets + at + 1, label);
        len += label;
        ret_name[len++] = '.';
        at += label + 1;
    }
    ret_name[len != 0 ? len - 1 : 0] = '\0';
    need(at + 5 <= query->len, "question cut off");
    return at + 5;
}

static const sp_scripted_line_t *next_line(sp_scripted_dns_t *server, const char *name)
{
    const sp_scripted_line_t *line = NULL;

    for (size_t i = 0; i != server->count; ++i) {
        if (server->lines[i].name != NULL && strcasecmp(server->lines[i].name, name) != 0) {
            continue;
        }
        line = &server->lines[i];
        if (!server->used[i]) {
            server->used[i] = true;
            break;
        }
    }
    return line;
}

static void build_reply(const sp_scripted_line_t *line, const message_t *query, size_t question_len,
                        bool tcp, message_t *reply)
{
    bool truncate = (line->action == SP_SCRIPTED_TRUNCATE && !tcp) ||
                    line->action == SP_SCRIPTED_TRUNCATE_ALWAYS;
    unsigned answers = 0;
    unsigned authority = 0;

    reply->len = 0;
    put(reply, query->octets, question_len);
    if (line->action == SP_SCRIPTED_WRONG_ID) {
        reply->octets[0] ^= 0x5a;
    } else if (line->action == SP_SCRIPTED_WRONG_NAME) {
        reply->octets[13] ^= 0x03;
    } else if (line->action == SP_SCRIPTED_GARBAGE) {
        put(reply, "\xc0\xff\x00\x10\x00", 5);
        answers = 7;
    }
    if (!truncate && line->action != SP_SCRIPTED_GARBAGE) {
        answers = put_rrs(reply, line->answers, sizeof(line->answers) / sizeof(line->answers[0]));
        authority =
            put_rrs(reply, line->authority, sizeof(line->authority) / sizeof(line->authority[0]));
    }
    reply->octets[2] = (uint8_t)(0x81 | (truncate ? 0x02 : 0));
    reply->octets[3] = (uint8_t)(0x80 | line->rcode);
    reply->octets[6] = (uint8_t)(answers >> 8);
    reply->octets[7] = (uint8_t)answers;
    reply->octets[9] = (uint8_t)authority;
    memset(reply->octets + 10, 0, 2);
}

/* A peer that is gone already is its own affair. */
static void send_reply(const sp_scripted_dns_t *server, const peer_t *peer, const message_t *reply)
{
    uint8_t length[2] = {(uint8_t)(reply->len >> 8), (uint8_t)reply->len};

    if (peer->connection < 0) {
        (void)sendto(server->udp, reply->octets, reply->len, 0,
                     (const struct sockaddr *)&peer->address, sizeof(peer->address));
        return;
    }
    (void)send(peer->connection, length, sizeof(length), MSG_NOSIGNAL | MSG_MORE);
    (void)send(peer->connection, reply->octets, reply->len, MSG_NOSIGNAL);
}

static void answer(sp_scripted_dns_t *server, const peer_t *peer, const message_t *query)
{
    static const sp_scripted_line_t refused = {.rcode = 5};
    char name[1024];
    size_t question_len = read_question(query, name, sizeof(name));
    const sp_scripted_line_t *line = next_line(server, name);
    message_t *reply = malloc(sizeof(*reply));

    need(reply != NULL, "no memory");
    build_reply(line != NULL ? line : &refused, query, question_len, peer->connection >= 0, reply);
    if (line != NULL && line->action == SP_SCRIPTED_HOLD && !server->released) {
        need(server->held_count != HELD_MAX, "too many replies held");
        server->held[server->held_count++] = (held_t){*peer, reply};
        return;
    }
    if (line == NULL || line->action != SP_SCRIPTED_DROP) {
        send_reply(server, peer, reply);
    }
    free(reply);
}

static void serve_udp(sp_scripted_dns_t *server, message_t *query)
{
    peer_t peer = {.connection = -1};
    socklen_t len = sizeof(peer.address);
    ssize_t got = recvfrom(server->udp, query->octets, sizeof(query->octets), 0,
                           (struct sockaddr *)&peer.address, &len);

    if (got > 0) {
        query->len = (size_t)got;
        atomic_fetch_add(&server->udp_count, 1);
        answer(server, &peer, query);
    }
}

static bool read_exactly(int fd, void *octets, size_t len)
{
    return len == 0 || recv(fd, octets, len, MSG_WAITALL) == (ssize_t)len;
}

static void serve_tcp(sp_scripted_dns_t *server, int *connection, message_t *query)
{
    uint8_t length[2];
    peer_t peer = {.connection = *connection};

    if (read_exactly(*connection, length, sizeof(length))) {
        query->len = (size_t)length[0] << 8 | length[1];
        if (read_exactly(*connection, query->octets, query->len)) {
            atomic_fetch_add(&server->tcp_count, 1);
            answer(server, &peer, query);
            return;
        }
    }
    (void)close(*connection);
    *connection = -1;
}

static void accept_one(sp_scripted_dns_t *server)
{
    int fd = accept(server->listener, NULL, NULL);
    size_t i = 0;

    while (i != CONNECTIONS_MAX && server->connections[i] >= 0) {
        ++i;
    }
    need(fd >= 0 && i != CONNECTIONS_MAX, "accept");
    server->connections[i] = fd;
}

static void release_held(sp_scripted_dns_t *server, bool sending)
{
    for (size_t i = 0; i != server->held_count; ++i) {
        if (sending) {
            send_reply(server, &server->held[i].peer, server->held[i].reply);
        }
        free(server->held[i].reply);
    }
    server->held_count = 0;
}

static void close_connections(sp_scripted_dns_t *server)
{
    for (size_t i = 0; i != CONNECTIONS_MAX; ++i) {
        if (server->connections[i] >= 0) {
            (void)close(server->connections[i]);
            server->connections[i] = -1;
        }
    }
}

/* False: quit. */
static bool obey(sp_scripted_dns_t *server)
{
    char command = 'q';

    need(read(server->commands[0], &command, 1) == 1, "command");
    if (command == 'r') {
        server->released = true;
        release_held(server, true);
    } else if (command == 'c') {
        close_connections(server);
    } else if (command == 't') {
        (void)close(server->listener);
        server->listener = -1;
    }
    need(write(server->done[1], &command, 1) == 1, "command");
    return command != 'q';
}

static void *run(void *arg)
{
    sp_scripted_dns_t *server = arg;
    message_t *query = malloc(sizeof(*query));
    bool running = true;

    need(query != NULL, "no memory");
    while (running) {
        struct pollfd fds[3 + CONNECTIONS_MAX] = {{server->commands[0], POLLIN, 0},
                                                  {server->udp, POLLIN, 0},
                                                  {server->listener, POLLIN, 0}};

        for (size_t i = 0; i != CONNECTIONS_MAX; ++i) {
            fds[3 + i] = (struct pollfd){server->connections[i], POLLIN, 0};
        }
        need(poll(fds, 3 + CONNECTIONS_MAX, -1) >= 0 || errno == EINTR, "poll");
        for (size_t i = 0; i != CONNECTIONS_MAX; ++i) {
            if (fds[3 + i].revents != 0) {
                serve_tcp(server, &server->connections[i], query);
            }
        }
        if (fds[1].revents != 0) {
            serve_udp(server, query);
        }
        if (fds[2].revents != 0) {
            accept_one(server);
        }
        running = fds[0].revents == 0 || obey(server);
    }
    free(query);
    return NULL;
}

static int bound_socket(int type, struct sockaddr_in *address)
{
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(*address);

    need(fd >= 0, "socket");
    if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) != 0) {
        (void)close(fd);
        return -1;
    }
    need(getsockname(fd, (struct sockaddr *)address, &len) == 0, "getsockname");
    return fd;
}

/* The system picks the TCP port; the UDP port of that number may be taken, then another is tried.
 */
static void bind_both(sp_scripted_dns_t *server)
{
    for (int tries = 0; tries != 100; ++tries) {
        server->address =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        server->listener = bound_socket(SOCK_STREAM, &server->address);
        need(server->listener >= 0 && listen(server->listener, CONNECTIONS_MAX) == 0, "listen");
        server->udp = bound_socket(SOCK_DGRAM, &server->address);
        if (server->udp >= 0) {
            return;
        }
        (void)close(server->listener);
    }
    need(false, "no free port");
}

sp_scripted_dns_t *sp_scripted_start(const sp_scripted_line_t *lines, size_t count)
{
    sp_scripted_dns_t *server = calloc(1, sizeof(*server));

    need(server != NULL && count <= LINES_MAX, "script too long");
    server->lines = lines;
    server->count = count;
    for (size_t i = 0; i != CONNECTIONS_MAX; ++i) {
        server->connections[i] = -1;
    }
    bind_both(server);
    need(pipe(server->commands) == 0 && pipe(server->done) == 0, "pipe");
    need(pthread_create(&server->thread, NULL, run, server) == 0, "thread");
    return server;
}

static void command(sp_scripted_dns_t *server, char what)
{
    need(write(server->commands[1], &what, 1) == 1, "command");
    need(read(server->done[0], &what, 1) == 1, "command");
}

void sp_scripted_stop(sp_scripted_dns_t *server)
{
    if (server == NULL) {
        return;
    }
    command(server, 'q');
    need(pthread_join(server->thread, NULL) == 0, "join");
    release_held(server, false);
    close_connections(server);
    (void)close(server->udp);
    if (server->listener >= 0) {
        (void)close(server->listener);
    }
    for (int i = 0; i != 2; ++i) {
        (void)close(server->commands[i]);
        (void)close(server->done[i]);
    }
    free(server);
}

struct sockaddr_storage sp_scripted_address(const sp_scripted_dns_t *server)
{
    struct sockaddr_storage address = {0};

    memcpy(&address, &server->address, sizeof(server->address));
    return address;
}

unsigned sp_scripted_udp_count(const sp_scripted_dns_t *server)
{
    return atomic_load(&server->udp_count);
}

unsigned sp_scripted_tcp_count(const sp_scripted_dns_t *server)
{
    return atomic_load(&server->tcp_count);
}

void sp_scripted_release(sp_scripted_dns_t *server)
{
    command(server, 'r');
}

void sp_scripted_close_tcp(sp_scripted_dns_t *server)
{
    command(server, 'c');
}

void sp_scripted_refuse_tcp(sp_scripted_dns_t *server)
{
    command(server, 't');
}

struct sockaddr_storage sp_scripted_closed_address(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_storage storage = {0};
    int fd = bound_socket(SOCK_DGRAM, &address);

    need(fd >= 0, "no free port");
    (void)close(fd);
    memcpy(&storage, &address, sizeof(address));
    return storage;
}
