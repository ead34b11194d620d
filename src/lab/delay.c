/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/delay.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/delay_line.h"
#include "lab/helper.h"
#include "lab/nfqueue.h"

#define NS_PER_US 1000U
#define NS_PER_S 1000000000U
#define NICE (-10) /* being late would be delay, too */

typedef struct delay {
    unsigned queue;
    int fd, signals;
    sp_delay_line_t line;
    uint64_t now_ns; /* when the packets that are being taken came */
    char *memory;
} delay_t;

static sp_status_t fail(const char *what, sp_error_t *err)
{
    return sp_fail(err, SP_IO, 0, "lab-delay: %s: %s", what, strerror(errno));
}

static void take(void *arg, uint32_t packet)
{
    delay_t *delay = arg;

    /* The kernel keeps no more packets than there is room for. */
    (void)sp_delay_line_push(&delay->line, packet, delay->now_ns);
}

/* Everything that has come in by now. */
static bool read_packets(delay_t *delay)
{
    for (;;) {
        ssize_t got = recv(delay->fd, delay->memory, SP_NFQUEUE_READ_MAX, MSG_DONTWAIT);

        if (got < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        delay->now_ns = sp_clock_ns();
        errno = sp_nfqueue_walk(delay->memory, (size_t)got, take, delay);
        if (errno != 0) {
            return false;
        }
    }
}

static bool let_go(delay_t *delay, uint64_t now_ns)
{
    uint32_t last;

    return !sp_delay_line_pop(&delay->line, now_ns, &last) ||
           sp_nfqueue_accept(delay->fd, delay->queue, last);
}

/* True while there is something to do. */
static bool wait_for_work(const delay_t *delay, bool *ret_packets)
{
    struct pollfd fds[2] = {{.fd = delay->fd, .events = POLLIN},
                            {.fd = delay->signals, .events = POLLIN}};
    uint64_t next_ns = sp_delay_line_next_ns(&delay->line);
    uint64_t now_ns = sp_clock_ns();
    uint64_t left_ns = next_ns < now_ns ? 0 : next_ns - now_ns;
    const struct timespec left = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                                  .tv_nsec = (long)(left_ns % NS_PER_S)};

    (void)ppoll(fds, 2, next_ns == UINT64_MAX ? NULL : &left, NULL);
    *ret_packets = fds[0].revents != 0;
    return fds[1].revents == 0;
}

static sp_status_t work(delay_t *delay, sp_error_t *err)
{
    bool packets = false;

    while (wait_for_work(delay, &packets)) {
        if ((packets && !read_packets(delay)) || !let_go(delay, sp_clock_ns())) {
            return fail("the packet queue", err);
        }
    }
    return read_packets(delay) && let_go(delay, UINT64_MAX) ? SP_OK : fail("the packet queue", err);
}

static sp_status_t start(delay_t *delay, const sp_delay_options_t *options, sp_error_t *err)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    delay->signals = sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? signalfd(-1, &set, SFD_CLOEXEC) : -1;
    if (delay->signals < 0 || prctl(PR_SET_TIMERSLACK, 1UL) != 0) {
        return fail("signals and timers", err);
    }
    delay->queue = options->queue;
    delay->memory = malloc(SP_NFQUEUE_READ_MAX);
    if (delay->memory == NULL ||
        !sp_delay_line_init(&delay->line, SP_DELAY_ROOM, options->delay_us * NS_PER_US,
                            options->jitter_us * NS_PER_US, options->seed)) {
        return sp_fail(err, SP_NO_MEMORY, 0, "lab-delay: out of memory");
    }
    return sp_nfqueue_open(options->queue, SP_DELAY_ROOM, &delay->fd, err);
}

sp_status_t sp_delay_run(const sp_delay_options_t *options, sp_error_t *err)
{
    delay_t delay = {.fd = -1, .signals = -1};
    sp_status_t status = start(&delay, options, err);

    if (status == SP_OK && (fputs(SP_HELPER_READY, stdout) == EOF || fflush(stdout) != 0)) {
        status = fail("standard output", err);
    }
    if (status == SP_OK) {
        status = work(&delay, err);
    }
    sp_delay_line_clear(&delay.line);
    free(delay.memory);
    if (delay.fd >= 0) {
        (void)close(delay.fd);
    }
    if (delay.signals >= 0) {
        (void)close(delay.signals);
    }
    return status;
}

sp_status_t sp_delay_spawn(const char *signpost, const sp_netns_t *netns,
                           const sp_delay_options_t *options, sp_process_t *ret_process,
                           sp_error_t *err)
{
    char numbers[4][24];
    const char *argv[] = {signpost,     "lab-delay", "--queue",     numbers[0],
                          "--delay-us", numbers[1],  "--jitter-us", numbers[2],
                          "--seed",     numbers[3],  NULL};
    sp_spawn_options_t spawn = {.argv = argv, .netns = netns, .nice = NICE};

    (void)snprintf(numbers[0], sizeof(numbers[0]), "%u", options->queue);
    (void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, options->delay_us);
    (void)snprintf(numbers[2], sizeof(numbers[2]), "%" PRIu64, options->jitter_us);
    (void)snprintf(numbers[3], sizeof(numbers[3]), "%" PRIu64, options->seed);
    return sp_helper_spawn(&spawn, ret_process, err);
}
