/* SPDX-License-Identifier: Apache-2.0 */

/* handshakes: a client that does little else. Each of its threads connects, shakes hands by
 * TLS 1.3, asks for one redirect and leaves, again and again.
 *
 * handshakes ADDRESS PORT NAME THREADS SECONDS full|resumed
 *
 * `resumed`: every handshake goes on with the session of a first one, made before the clock starts.
 * Prints one JSON object: `done` exchanges that ended in a 302, of them `resumed`, and `failed`
 * ones. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define REQUEST_MAX 512

typedef struct client {
    struct sockaddr_in server;
    const char *name;
    SSL_CTX *context;
    SSL_SESSION *session; /* NULL: each handshake is a full one */
    char request[REQUEST_MAX];
    int request_len;
    double end; /* of the clock */
    atomic_ulong done;
    atomic_ulong resumed;
    atomic_ulong failed;
} client_t;

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int connect_to(const client_t *client)
{
    struct timeval limit = {.tv_sec = 10};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd == -1) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    /* As all clients do that want to be quick: the request follows the end of the handshake. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(fd, (const struct sockaddr *)&client->server, sizeof(client->server)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* The request and the beginning of its answer, which brings the ticket along. */
static bool ask(const client_t *client, SSL *ssl)
{
    char answer[4096];

    return SSL_connect(ssl) == 1 &&
           SSL_write(ssl, client->request, client->request_len) == client->request_len &&
           SSL_read(ssl, answer, sizeof(answer)) > 12 && memcmp(answer + 8, " 302 ", 5) == 0;
}

/* OpenSSL's macro of that name casts the const away. */
static bool set_name(SSL *ssl, const char *name)
{
    return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    (void *)(uintptr_t)name) == 1;
}

/* One connection. *ret_session (may be NULL) is the session that it leaves. */
static bool exchange(client_t *client, bool *ret_is_resumed, SSL_SESSION **ret_session)
{
    int fd = connect_to(client);
    SSL *ssl = fd == -1 ? NULL : SSL_new(client->context);
    struct linger at_once = {.l_onoff = 1};
    bool is_good = ssl != NULL && SSL_set_fd(ssl, fd) == 1 && set_name(ssl, client->name) &&
                   (client->session == NULL || SSL_set_session(ssl, client->session) == 1) &&
                   ask(client, ssl);

    if (is_good) {
        *ret_is_resumed = SSL_session_reused(ssl) == 1;
        (void)SSL_shutdown(ssl); /* else the session would not go on */
        if (ret_session != NULL) {
            *ret_session = SSL_get1_session(ssl);
        }
    }
    SSL_free(ssl);
    if (fd != -1) {
        /* No port is left waiting for a minute. */
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        (void)close(fd);
    }
    return is_good;
}

static void *run(void *arg)
{
    client_t *client = arg;

    while (now() < client->end) {
        bool is_resumed = false;

        if (!exchange(client, &is_resumed, NULL)) {
            (void)atomic_fetch_add(&client->failed, 1);
            continue;
        }
        (void)atomic_fetch_add(&client->done, 1);
        (void)atomic_fetch_add(&client->resumed, is_resumed ? 1 : 0);
    }
    return NULL;
}

static bool prepare(client_t *client, char **arguments)
{
    client->server.sin_family = AF_INET;
    client->server.sin_port = htons((in_port_t)strtoul(arguments[2], NULL, 10));
    client->name = arguments[3];
    client->request_len =
        snprintf(client->request, sizeof(client->request),
                 "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", client->name);
    client->context = SSL_CTX_new(TLS_client_method());
    return inet_pton(AF_INET, arguments[1], &client->server.sin_addr) == 1 &&
           client->request_len > 0 && client->request_len < REQUEST_MAX &&
           client->context != NULL &&
           SSL_CTX_set_min_proto_version(client->context, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set1_groups_list(client->context, "X25519") == 1;
}

static void run_all(client_t *client, size_t count, double seconds)
{
    pthread_t threads[THREADS_MAX];
    size_t started = 0;

    client->end = now() + seconds;
    while (started != count && pthread_create(&threads[started], NULL, run, client) == 0) {
        ++started;
    }
    for (size_t i = 0; i != started; ++i) {
        (void)pthread_join(threads[i], NULL);
    }
}

int main(int count, char **arguments)
{
    client_t client = {.session = NULL};
    size_t threads = count == 7 ? strtoul(arguments[4], NULL, 10) : 0;
    bool is_resumed = false;

    if (threads == 0 || threads > THREADS_MAX || !prepare(&client, arguments)) {
        (void)fprintf(stderr, "usage: handshakes ADDRESS PORT NAME THREADS SECONDS full|resumed\n");
        return 2;
    }
    if (strcmp(arguments[6], "resumed") == 0) {
        SSL_SESSION *session = NULL;

        if (!exchange(&client, &is_resumed, &session)) {
            (void)fprintf(stderr, "handshakes: the first one failed\n");
            return 1;
        }
        client.session = session;
    }
    run_all(&client, threads, strtod(arguments[5], NULL));
    (void)printf("{\"done\": %lu, \"resumed\": %lu, \"failed\": %lu}\n", atomic_load(&client.done),
                 atomic_load(&client.resumed), atomic_load(&client.failed));
    SSL_SESSION_free(client.session);
    SSL_CTX_free(client.context);
    return 0;
}
