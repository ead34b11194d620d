/* SPDX-License-Identifier: Apache-2.0 */
#include "front_world.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/listener.h"

#define TURNS_MAX 500 /* of the loop, 10 ms each at most */

world_t world;
char answer[ANSWER_MAX + 1];

static void on_report(void *arg, const sp_report_t *report)
{
    (void)arg;
    world.last = *report;
    ++world.reports;
}

static void write_zone(void)
{
    FILE *file = NULL;

    (void)snprintf(world.folder, sizeof(world.folder), "/tmp/front-XXXXXX");
    cr_assert_not_null(mkdtemp(world.folder));
    (void)snprintf(world.zone, sizeof(world.zone), "%s/zone", world.folder);
    file = fopen(world.zone, "w");
    cr_assert_not_null(file);
    (void)fputs("$ORIGIN example.com.\n$TTL 60\n@ SOA ns hostmaster 1 2 3 4 5\n"
                "_redirect.a TXT \"v=txtv0;type=host;to=https://to.example.net{uri}\"\n",
                file);
    cr_assert_eq(fclose(file), 0);
}

static void listen_somewhere(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sp_listener_t listener;

    cr_assert_eq(sp_listener_open((const struct sockaddr *)&any, sizeof(any), 1, &listener, NULL),
                 SP_OK);
    world.address = listener.address;
    world.address_len = listener.address_len;
    cr_assert_eq(sp_front_listen_own(world.front, sp_listener_take(&listener, 0),
                                     &(sp_listen_mode_t){.tls = false}),
                 SP_OK);
    sp_listener_close(&listener);
}

void create_world(void)
{
    const char *paths[] = {world.zone};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sp_dns_options_t options = {.try_ms = 100, .tries = 1, .max_inflight = 10};
    sp_error_t err = {0};

    cr_assert_eq(sigaction(SIGPIPE, &ignore, NULL), 0);
    write_zone();
    world.loop = h2o_evloop_create();
    cr_assert_eq(sp_zones_load(paths, 1, NULL, NULL, &world.zones, &err), SP_OK, "%s", err.message);
    sp_policy_init(&world.policy);
    cr_assert_eq(
        sp_lookups_create(world.loop, &options, world.zones, NULL, &world.service.lookups, &err),
        SP_OK, "%s", err.message);
    world.service.policy = &world.policy;
    world.service.timeout_ms = 1000;
    cr_assert_eq(sp_front_create(world.loop, on_report, NULL, &world.front), SP_OK);
    sp_front_use(world.front, &world.service);
    listen_somewhere();
}

void destroy_world(void)
{
    sp_front_destroy(world.front);
    cr_expect_eq(world.service.users, 0, "every request has let go of the service");
    sp_lookups_destroy(world.service.lookups);
    sp_zones_destroy(world.zones);
    h2o_evloop_destroy(world.loop);
    (void)unlink(world.zone);
    (void)rmdir(world.folder);
}

int connect_client(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    cr_assert_eq(connect(fd, (const struct sockaddr *)&world.address, world.address_len), 0);
    return fd;
}

bool exchange(int fd, const char *request, size_t request_len, size_t want)
{
    size_t sent = 0;
    size_t len = 0;

    for (int turn = 0; turn != TURNS_MAX; ++turn) {
        ssize_t got = 0;
        size_t heads = 0;

        if (sent != request_len) {
            got = send(fd, request + sent, request_len - sent, MSG_DONTWAIT);
            sent += got > 0 ? (size_t)got : 0;
        }
        (void)h2o_evloop_run(world.loop, 10);
        got = recv(fd, answer + len, ANSWER_MAX - len, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno == ECONNRESET)) {
            answer[len] = '\0';
            return true;
        }
        len += got > 0 ? (size_t)got : 0;
        answer[len] = '\0';
        for (const char *at = answer; (at = strstr(at, "HTTP/1.1 ")) != NULL; ++at) {
            ++heads;
        }
        if (want != 0 && heads >= want && strstr(answer, "\r\n\r\n") != NULL) {
            return false;
        }
    }
    cr_assert_fail("no answer: %s", answer);
    return false;
}
