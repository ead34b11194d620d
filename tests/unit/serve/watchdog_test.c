/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/watchdog.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int manager = -1; /* hears what the watchdog says */
static int barrier[2];   /* a worker that is held up reads from it */
static sp_worker_t *worker;
static sp_access_log_t *access_log;
static sp_snapshot_t *snapshot;
static sp_log_t messages = {.level = SP_LOG_ERROR};
static sp_counters_t counters;
static int done_fd = -1;

static void listen_as_manager(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];
    int len = snprintf(name, sizeof(name), "@signpost-watchdog-%ld", (long)getpid());

    memcpy(address.sun_path + 1, name + 1, (size_t)len - 1);
    manager = socket(AF_UNIX, SOCK_DGRAM, 0);
    cr_assert_eq(bind(manager, (const struct sockaddr *)&address,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len)),
                 0);
    cr_assert_eq(setenv("NOTIFY_SOCKET", name, 1), 0);
}

static void start_worker(void)
{
    const char *resolvers[] = {"127.0.0.1:9"};
    sp_config_flags_t flags = {.resolvers = resolvers, .resolver_count = 1};
    sp_worker_options_t options = {.counters = &counters, .log = &messages};

    done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    cr_assert_eq(sp_snapshot_load(&flags, &messages, NULL, &snapshot), SP_OK);
    cr_assert_eq(sp_access_log_create(STDOUT_FILENO, 1, &access_log), SP_OK);
    options.access = sp_access_log_buffer(access_log, 0);
    options.done_fd = done_fd;
    cr_assert_eq(sp_worker_create(&options, snapshot, &worker, NULL), SP_OK);
    cr_assert_eq(sp_worker_start(worker, NULL), SP_OK);
}

static void on_signal(int number)
{
    char octet = 0;
    ssize_t len = read(barrier[0], &octet, 1);

    (void)number;
    (void)len;
}

static void create(void)
{
    struct sigaction hold = {.sa_handler = on_signal};

    cr_assert_eq(pipe(barrier), 0);
    cr_assert_eq(sigaction(SIGUSR2, &hold, NULL), 0);
    listen_as_manager();
    start_worker();
}

static void destroy(void)
{
    sp_worker_abort(worker);
    sp_worker_destroy(worker);
    sp_access_log_destroy(access_log);
    sp_snapshot_release(snapshot);
    (void)close(done_fd);
    (void)close(manager);
    (void)close(barrier[0]);
    (void)close(barrier[1]);
}

/* The thread that is not the first. */
static long find_worker_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    long found = 0;

    cr_assert_not_null(tasks);
    for (const struct dirent *entry = NULL; (entry = readdir(tasks)) != NULL;) {
        long id = strtol(entry->d_name, NULL, 10);

        if (id != 0 && id != (long)getpid()) {
            found = id;
        }
    }
    (void)closedir(tasks);
    cr_assert_neq(found, 0);
    return found;
}

static bool was_told(int wait_ms)
{
    char text[64] = "";
    struct pollfd fd = {.fd = manager, .events = POLLIN};

    if (poll(&fd, 1, wait_ms) != 1) {
        return false;
    }
    cr_assert_eq(recv(manager, text, sizeof(text) - 1, 0), 10);
    cr_assert_str_eq(text, "WATCHDOG=1");
    return true;
}

static void wait_for_worker(uint64_t question)
{
    struct pollfd nothing = {.fd = -1};

    for (int i = 0; i != 1000 && !sp_worker_has_answered(worker, question); ++i) {
        (void)poll(&nothing, 1, 5);
    }
    cr_assert(sp_worker_has_answered(worker, question));
}

TestSuite(watchdog, .init = create, .fini = destroy);

Test(watchdog, tells_as_long_as_the_loops_turn)
{
    sp_watchdog_t watchdog = {.interval_ms = 10};

    for (uint64_t now_ms = 100; now_ms != 150; now_ms += 10) {
        sp_watchdog_look(&watchdog, &worker, 1, now_ms);
        cr_expect(was_told(0));
        sp_watchdog_look(&watchdog, &worker, 1, now_ms + 9);
        cr_expect_not(was_told(0), "before it is time");
        wait_for_worker(watchdog.round);
    }
}

Test(watchdog, is_silent_while_one_does_not)
{
    sp_watchdog_t watchdog = {.interval_ms = 10};

    cr_assert_eq(syscall(SYS_tgkill, getpid(), find_worker_thread(), SIGUSR2), 0);
    sp_watchdog_look(&watchdog, &worker, 1, 100);
    cr_expect(was_told(0), "nothing has been asked yet");
    for (uint64_t now_ms = 110; now_ms != 200; now_ms += 10) {
        sp_watchdog_look(&watchdog, &worker, 1, now_ms);
    }
    cr_expect_not(was_told(20));
    cr_assert_eq(write(barrier[1], "x", 1), 1);
    wait_for_worker(watchdog.round);
    sp_watchdog_look(&watchdog, &worker, 1, 300);
    cr_expect(was_told(0));
}

Test(watchdog, goes_by_the_environment)
{
    char pid[32];

    cr_assert_eq(unsetenv("WATCHDOG_USEC"), 0);
    cr_expect_eq(sp_watchdog_from_environment().interval_ms, 0);
    cr_assert_eq(setenv("WATCHDOG_USEC", "4000000", 1), 0);
    cr_assert_eq(unsetenv("WATCHDOG_PID"), 0);
    cr_expect_eq(sp_watchdog_from_environment().interval_ms, 1001);
    cr_assert_eq(setenv("WATCHDOG_PID", "1", 1), 0);
    cr_expect_eq(sp_watchdog_from_environment().interval_ms, 0);
    (void)snprintf(pid, sizeof(pid), "%ld", (long)getpid());
    cr_assert_eq(setenv("WATCHDOG_PID", pid, 1), 0);
    cr_expect_eq(sp_watchdog_from_environment().interval_ms, 1001);
    cr_assert_eq(setenv("WATCHDOG_USEC", "soon", 1), 0);
    cr_expect_eq(sp_watchdog_from_environment().interval_ms, 0);
}

Test(watchdog, shortens_no_pause_that_is_short)
{
    sp_watchdog_t watchdog = {.interval_ms = 100, .next_ms = 1000};

    cr_expect_eq(sp_watchdog_pause(&watchdog, 950, 20), 20);
    cr_expect_eq(sp_watchdog_pause(&watchdog, 950, 5000), 50);
    cr_expect_eq(sp_watchdog_pause(&watchdog, 1001, 5000), 0);
    cr_expect_eq(sp_watchdog_pause(&(sp_watchdog_t){0}, 950, 5000), 5000);
}
