/* SPDX-License-Identifier: Apache-2.0 */
#include "serving.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "http/listener.h"

typedef struct client {
    pthread_t thread;
    struct sockaddr_in where;
    unsigned requests;
    serving_counts_t counts;
} client_t;

static client_t clients[SERVING_CLIENTS];
static atomic_uint running;

static void fail(const char *what)
{
    (void)fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
}

static void expect(bool is_good, const char *what)
{
    if (!is_good) {
        fail(what);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    expect(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write a file");
}

static sp_snapshot_t *load(serving_t *serving, const char *fallback)
{
    char zone[64];
    char config[64];
    char text[256];
    const char *zones[] = {zone};
    sp_config_flags_t flags = {.file = config, .zones = zones, .zone_count = 1};
    sp_snapshot_t *snapshot = NULL;

    (void)snprintf(zone, sizeof(zone), "%s/zone", serving->folder);
    (void)snprintf(config, sizeof(config), "%s/config", serving->folder);
    (void)snprintf(
        text, sizeof(text),
        "{\"fallback\": {\"redirect\": \"%s\"}, \"log\": {\"access\": \"off\"},"
        "\"dns\": {\"resolvers\": [\"127.0.0.1:9\"]}, \"limits\": {\"connections\": 99}}",
        fallback);
    write_file(config, text);
    write_file(zone, "$ORIGIN example.com.\n$TTL 60\n@ SOA ns hostmaster 1 2 3 4 5\n"
                     "_redirect.a TXT \"v=txtv0;to=https://to.example.net/\"\n");
    expect(sp_snapshot_load(&flags, &serving->log, serving->snapshots[0], &snapshot) == SP_OK,
           "cannot load the configuration");
    (void)unlink(zone);
    (void)unlink(config);
    return snapshot;
}

static void start_workers(serving_t *serving)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sp_listener_t listener;

    expect(sp_listener_open((const struct sockaddr *)&any, sizeof(any), SERVING_WORKERS, &listener,
                            NULL) == SP_OK,
           "cannot listen");
    memcpy(&serving->where, &listener.address, sizeof(serving->where));
    for (size_t i = 0; i != SERVING_WORKERS; ++i) {
        sp_worker_options_t options = {.counters = &serving->counters[i],
                                       .access = sp_access_log_buffer(serving->access, i),
                                       .log = &serving->log,
                                       .clients = serving->clients,
                                       .done_fd = serving->done_fd};

        expect(sp_worker_create(&options, serving->snapshots[0], &serving->workers[i], NULL) ==
                       SP_OK &&
                   sp_worker_listen_own(serving->workers[i], sp_listener_take(&listener, i),
                                        &(sp_listen_mode_t){.tls = false}) == SP_OK &&
                   sp_worker_start(serving->workers[i], NULL) == SP_OK,
               "cannot start a worker");
    }
    sp_listener_close(&listener);
}

void serving_start(serving_t *serving)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    *serving = (serving_t){.log = {.level = SP_LOG_ERROR}, .folder = "/tmp/serving-XXXXXX"};
    expect(sigaction(SIGPIPE, &ignore, NULL) == 0 && mkdtemp(serving->folder) != NULL,
           "cannot begin");
    serving->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    serving->snapshots[0] = load(serving, "https://one.example.net/");
    serving->snapshots[1] = load(serving, "https://two.example.net/");
    expect(sp_clients_create(1000, &serving->clients) == SP_OK &&
               sp_access_log_create(STDOUT_FILENO, SERVING_WORKERS, &serving->access) == SP_OK,
           "out of memory");
    start_workers(serving);
}

void serving_end(serving_t *serving)
{
    for (size_t i = 0; i != SERVING_WORKERS; ++i) {
        sp_worker_abort(serving->workers[i]);
        sp_worker_destroy(serving->workers[i]);
    }
    expect(sp_clients_count(serving->clients) == 0, "connections are counted that are gone");
    sp_access_log_destroy(serving->access);
    sp_clients_destroy(serving->clients);
    sp_snapshot_release(serving->snapshots[0]);
    sp_snapshot_release(serving->snapshots[1]);
    (void)close(serving->done_fd);
    (void)rmdir(serving->folder);
}

/* One request; true when the connection can take another. */
static bool ask(client_t *client, int fd)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n";
    char answer[2048];
    ssize_t len = 0;

    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(request) - 1 ||
        (len = recv(fd, answer, sizeof(answer) - 1, 0)) <= 0) {
        ++client->counts.lost;
        return false;
    }
    answer[len] = '\0';
    expect(strncmp(answer, "HTTP/1.1 302 ", 13) == 0, answer);
    ++client->counts.answered;
    return strstr(answer, "\r\nConnection: close\r\n") == NULL;
}

static void *run_client(void *arg)
{
    client_t *client = arg;

    while (client->requests == 0 || client->counts.answered < client->requests) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (connect(fd, (const struct sockaddr *)&client->where, sizeof(client->where)) != 0) {
            ++client->counts.refused;
            (void)close(fd);
            break;
        }
        for (unsigned i = 0; i != 20 && ask(client, fd); ++i) {
        }
        (void)close(fd);
    }
    atomic_fetch_sub(&running, 1);
    return NULL;
}

void serving_begin_clients(const serving_t *serving, unsigned requests)
{
    for (size_t i = 0; i != SERVING_CLIENTS; ++i) {
        atomic_fetch_add(&running, 1);
        clients[i] = (client_t){.where = serving->where, .requests = requests};
        expect(pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) == 0, "no thread");
    }
}

bool serving_has_clients(void)
{
    return atomic_load(&running) != 0;
}

serving_counts_t serving_join_clients(void)
{
    serving_counts_t sum = {0};

    for (size_t i = 0; i != SERVING_CLIENTS; ++i) {
        expect(pthread_join(clients[i].thread, NULL) == 0, "no thread");
        sum.answered += clients[i].counts.answered;
        sum.refused += clients[i].counts.refused;
        sum.lost += clients[i].counts.lost;
    }
    return sum;
}
