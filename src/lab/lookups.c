/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lookups.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "lab/clock.h"
#include "lab/result.h"
#include "lab/zone_writer.h"
#include "load/choice.h"
#include "load/result.h"

#define STACK_OCTETS ((size_t)512 * 1024) /* getaddrinfo puts its buffers on the stack */

/* Clients begin over this time: the first questions of all of them in one instant would overflow
 * the server's socket buffer, and be measured as packet loss. */
#define ARRIVAL_NS UINT64_C(500000000)

typedef struct client {
    const sp_lab_lookups_plan_t *plan;
    uint64_t began_ns;
    uint64_t first_ns; /* when this one begins */
    pthread_t thread;
    sp_load_random_t random;
    sp_load_tally_t *tally;
} client_t;

static sp_load_kind_t look_up(const char *host)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, NULL, &hints, &found);

    if (code == 0) {
        freeaddrinfo(found);
        return SP_LOAD_OK;
    }
    return code == EAI_AGAIN ? SP_LOAD_TIMED_OUT : SP_LOAD_BAD_ANSWER;
}

static void wait_until(uint64_t when_ns)
{
    const struct timespec when = {.tv_sec = (time_t)(when_ns / UINT64_C(1000000000)),
                                  .tv_nsec = (long)(when_ns % UINT64_C(1000000000))};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR) {
    }
}

static void *work(void *arg)
{
    client_t *client = arg;
    const sp_lab_lookups_plan_t *plan = client->plan;
    uint64_t end_ns = client->began_ns + (uint64_t)(plan->duration_s * 1e9);
    char host[SP_LAB_HOST_MAX];
    char name[SP_LAB_HOST_MAX + 2];

    wait_until(client->first_ns);
    for (uint64_t now = sp_clock_ns(); now < end_ns; now = sp_clock_ns()) {
        uint64_t due_ns = now - client->began_ns;
        sp_load_end_t end = {.due_ns = due_ns, .sent_ns = due_ns};

        (void)snprintf(
            name, sizeof(name), "%s%s",
            sp_lab_host((unsigned)(sp_load_random_next(&client->random) % plan->names), host),
            plan->absolute ? "." : "");
        sp_load_tally_due(client->tally, due_ns);
        end.kind = look_up(name);
        end.end_ns = sp_clock_ns() - client->began_ns;
        sp_load_tally_end(client->tally, &end);
    }
    return NULL;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static sp_status_t make_json(const sp_lab_lookups_plan_t *plan, sp_load_tally_t *tally,
                             uint64_t began_ns, time_t started, json_t **ret_json)
{
    struct rusage usage;
    const sp_load_targets_t targets = {.count = plan->names};
    const sp_load_plan_t as_load = {.loop = SP_LOAD_CLOSED,
                                    .connections = plan->threads,
                                    .streams = 1,
                                    .threads = plan->threads,
                                    .keep_alive = true,
                                    .duration_ns = (uint64_t)(plan->duration_s * 1e9),
                                    .seed = plan->seed,
                                    .targets = &targets};
    sp_load_outcome_t outcome = {.tally = tally,
                                 .sending_s = plan->duration_s,
                                 .elapsed_s = (double)(sp_clock_ns() - began_ns) / 1e9};
    const sp_load_result_t result = {
        .plan = &as_load, .outcome = &outcome, .connect = "getaddrinfo"};

    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        outcome.user_s = seconds_of(usage.ru_utime);
        outcome.system_s = seconds_of(usage.ru_stime);
    }
    (void)sp_lab_time(started, outcome.started);
    *ret_json = sp_load_result_json(&result);
    return *ret_json == NULL ? SP_NO_MEMORY : SP_OK;
}

/* Starts them; *ret_count is how many run, whatever is returned. */
static sp_status_t start_all(client_t *clients, const sp_lab_lookups_plan_t *plan,
                             size_t *ret_count, sp_error_t *err)
{
    pthread_attr_t attributes;
    uint64_t began_ns = sp_clock_ns();
    sp_status_t status = SP_OK;

    *ret_count = 0;
    if (pthread_attr_init(&attributes) != 0) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_OCTETS);
    for (unsigned i = 0; status == SP_OK && i != plan->threads; ++i) {
        client_t *client = &clients[i];
        int code = 0;

        *client = (client_t){.plan = plan,
                             .began_ns = began_ns,
                             .first_ns = began_ns + ARRIVAL_NS * i / plan->threads};
        sp_load_random_init(&client->random, plan->seed, i);
        status = sp_load_tally_create(false, &client->tally);
        code = status != SP_OK ? 0 : pthread_create(&client->thread, &attributes, work, client);
        if (code != 0) {
            sp_load_tally_destroy(client->tally);
            status = sp_fail(err, SP_IO, 0, "no more threads: %s", strerror(code));
        }
        *ret_count += status == SP_OK ? 1U : 0U;
    }
    (void)pthread_attr_destroy(&attributes);
    return status;
}

sp_status_t sp_lab_lookups_run(const sp_lab_lookups_plan_t *plan, json_t **ret_json,
                               sp_error_t *err)
{
    client_t *clients = calloc(plan->threads, sizeof(*clients));
    sp_load_tally_t *all = NULL;
    time_t started = time(NULL);
    size_t count = 0;
    uint64_t began_ns = sp_clock_ns();
    sp_status_t status = SP_NO_MEMORY;

    if (clients == NULL || sp_load_tally_create(false, &all) != SP_OK) {
        free(clients);
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = start_all(clients, plan, &count, err);
    for (size_t i = 0; i != count; ++i) {
        (void)pthread_join(clients[i].thread, NULL);
        sp_load_tally_merge(all, clients[i].tally);
        sp_load_tally_destroy(clients[i].tally);
    }
    if (status == SP_OK && make_json(plan, all, began_ns, started, ret_json) != SP_OK) {
        status = sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    sp_load_tally_destroy(all);
    free(clients);
    return status;
}
