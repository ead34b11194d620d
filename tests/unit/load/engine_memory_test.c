/* SPDX-License-Identifier: Apache-2.0 */

/* Memory that runs out in the engine, anywhere, ends the run with SP_NO_MEMORY and leaks nothing.
 */

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/worker.h"
#include "support/failing_alloc.h"

#define REQUESTS 5

/* Answers whatever it is sent, in pieces, one connection after the other. */
typedef struct server {
    int listener;
    struct sockaddr_in where;
    pthread_t thread;
} server_t;

static void answer(int client)
{
    static const char head[] = "HTTP/1.1 302 Found\r\nLocation: https://a/\r\n";
    static const char rest[] = "Content-Length: 1\r\n\r\n";
    char request[512];
    ssize_t len = 0;
    bool is_last = false;

    while (!is_last && (len = recv(client, request, sizeof(request) - 1, 0)) > 0) {
        request[len] = '\0';
        is_last = strstr(request, "Connection: close") != NULL;
        if (send(client, head, sizeof(head) - 1, MSG_NOSIGNAL) < 0 ||
            send(client, rest, sizeof(rest) - 1, MSG_NOSIGNAL) < 0 ||
            send(client, "x", 1, MSG_NOSIGNAL) < 0) {
            break;
        }
    }
}

static void *serve(void *arg)
{
    const server_t *server = arg;
    int client = 0;

    while ((client = accept(server->listener, NULL, NULL)) >= 0) {
        answer(client);
        (void)close(client);
    }
    return NULL;
}

static void start(server_t *server)
{
    socklen_t len = sizeof(server->where);

    server->where =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(server->listener, 0);
    cr_assert_eq(bind(server->listener, (const struct sockaddr *)&server->where, len), 0);
    cr_assert_eq(listen(server->listener, 8), 0);
    cr_assert_eq(getsockname(server->listener, (struct sockaddr *)&server->where, &len), 0);
    cr_assert_eq(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void end(server_t *server)
{
    cr_assert_eq(shutdown(server->listener, SHUT_RDWR), 0);
    cr_assert_eq(pthread_join(server->thread, NULL), 0);
    cr_assert_eq(close(server->listener), 0);
}

static sp_status_t work(sp_load_common_t *common)
{
    sp_load_worker_t *worker = NULL;
    sp_status_t status = sp_load_requests_init(&common->requests, common->plan);

    if (status == SP_OK) {
        status = sp_load_worker_create(common, 0, &worker, NULL);
    }
    if (status == SP_OK) {
        sp_load_worker_run(worker, sp_load_clock_ns());
        status = worker->tally->out_of_memory ? SP_NO_MEMORY : worker->status;
        cr_expect(status != SP_OK || worker->tally->kinds[SP_LOAD_OK] == REQUESTS);
    }
    sp_load_worker_destroy(worker);
    sp_load_requests_clear(&common->requests);
    return status;
}

static void sweep(const server_t *server, sp_load_plan_t plan)
{
    static sp_load_target_t target = {.host = {"a", 1},
                                      .path = {"/", 1},
                                      .status = 302,
                                      .has_location = true,
                                      .location = {"https://a/", 10}};
    const sp_load_targets_t targets = {.list = &target, .count = 1};
    sp_load_common_t common = {.plan = &plan};
    bool failed = true;
    size_t n = 0;

    plan.targets = &targets;
    memcpy(&plan.address, &server->where, sizeof(server->where));
    plan.address_len = sizeof(server->where);
    while (failed) {
        sp_status_t status = SP_OK;

        atomic_init(&common.halt, false);
        sp_alloc_fail_at(++n);
        status = work(&common);
        failed = sp_alloc_stop();
        cr_assert_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu: %s", n,
                     sp_status_name(status));
    }
    cr_expect_gt(n, 6, "only %zu allocations", n);
}

static const sp_load_plan_t closed_loop = {.keep_alive = true,
                                           .loop = SP_LOAD_CLOSED,
                                           .connections = 1,
                                           .streams = 1,
                                           .threads = 1,
                                           .requests = REQUESTS,
                                           .timeout_ns = UINT64_C(60000000000)};

Test(engine_memory, may_run_out_in_a_closed_loop)
{
    server_t server;

    start(&server);
    sweep(&server, closed_loop);
    end(&server);
}

Test(engine_memory, may_run_out_in_an_open_loop)
{
    server_t server;
    sp_load_plan_t plan = closed_loop;

    plan.loop = SP_LOAD_OPEN;
    plan.rate = 10000;
    start(&server);
    sweep(&server, plan);
    plan.keep_alive = false;
    sweep(&server, plan);
    end(&server);
}
