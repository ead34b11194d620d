/* SPDX-License-Identifier: Apache-2.0 */
#include "load/probe.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)
#define WAIT_MAX_MS 10000
#define FILES_BESIDES 64            /* standard streams, files, one epoll a thread, … */
#define FILES_PER_THREAD 4          /* epoll, timer */
#define ADDRESS_TEXT_MAX 64         /* [v6%zone]:port */
#define SOCKETS_PER_CONNECTION 2ULL /* one that is left behind until the server closes it */

sp_status_t sp_load_probe_files(const sp_load_plan_t *plan, sp_error_t *err)
{
    struct rlimit limit = {0};
    rlim_t wanted = (rlim_t)(SOCKETS_PER_CONNECTION * plan->connections) + FILES_BESIDES +
                    (rlim_t)FILES_PER_THREAD * plan->threads;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return sp_fail(err, SP_IO, 0, "the limit of open files can't be read: %s", strerror(errno));
    }
    if (limit.rlim_cur >= wanted) {
        return SP_OK;
    }
    limit.rlim_cur = wanted;
    if (limit.rlim_max < wanted || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return sp_fail(err, SP_IO, 0,
                       "%u connections need %llu open files and the limit is %llu: ask for fewer "
                       "connections, or raise it with ulimit -n",
                       plan->connections, (unsigned long long)wanted,
                       (unsigned long long)limit.rlim_max);
    }
    return SP_OK;
}

static void print_address(const sp_load_plan_t *plan, char text[ADDRESS_TEXT_MAX])
{
    char host[48];
    char port[8];

    if (getnameinfo((const struct sockaddr *)&plan->address, plan->address_len, host, sizeof(host),
                    port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        (void)snprintf(text, ADDRESS_TEXT_MAX, "the server");
    } else if (plan->address.ss_family == AF_INET6) {
        (void)snprintf(text, ADDRESS_TEXT_MAX, "[%s]:%s", host, port);
    } else {
        (void)snprintf(text, ADDRESS_TEXT_MAX, "%s:%s", host, port);
    }
}

/* errno of the attempt; 0: connected. */
static int wait_connected(int fd, int wait_ms)
{
    struct pollfd wanted = {.fd = fd, .events = POLLOUT};
    int fault = 0;
    socklen_t len = sizeof(fault);
    int ready = 0;

    do {
        ready = poll(&wanted, 1, wait_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) {
        return ready == 0 ? ETIMEDOUT : errno;
    }
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &len) == 0 ? fault : errno;
}

static int try_to_connect(const sp_load_plan_t *plan)
{
    uint64_t wait_ms = plan->timeout_ns / NS_PER_MS;
    int fd = socket(plan->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int fault = 0;

    if (fd < 0) {
        return errno;
    }
    if (connect(fd, (const struct sockaddr *)&plan->address, plan->address_len) != 0) {
        fault = errno;
    }
    if (fault == EINPROGRESS) {
        fault = wait_connected(fd, wait_ms < WAIT_MAX_MS ? (int)wait_ms : WAIT_MAX_MS);
    }
    (void)close(fd);
    return fault;
}

sp_status_t sp_load_probe_server(const sp_load_plan_t *plan, sp_error_t *err)
{
    char address[ADDRESS_TEXT_MAX];
    int fault = try_to_connect(plan);

    if (fault == 0) {
        return SP_OK;
    }
    print_address(plan, address);
    return sp_fail(err, SP_IO, 0, "can't connect to %s: %s; is the server running there?", address,
                   strerror(fault));
}
