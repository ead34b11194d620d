/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPUS_MAX 64
#define EXIT_NOT_STARTED 127

/* What the child was doing when it failed; it goes through a pipe that a successful exec closes. */
typedef struct failure {
    const char *doing; /* a literal: the same address in both processes */
    int error;
} failure_t;

typedef struct start {
    const sp_spawn_options_t *options;
    char program[PATH_MAX];
    char **environment;
    int streams[3];
    int report; /* the pipe's writing end */
} start_t;

static size_t list_length(const char *const *list)
{
    size_t count = 0;

    while (list != NULL && list[count] != NULL) {
        ++count;
    }
    return count;
}

static bool is_same_name(const char *a, const char *b)
{
    size_t len = strcspn(b, "=");

    return strncmp(a, b, len) == 0 && a[len] == '=';
}

static bool is_replaced(const char *entry, const char *const *more)
{
    for (size_t i = 0; more != NULL && more[i] != NULL; ++i) {
        if (is_same_name(entry, more[i])) {
            return true;
        }
    }
    return false;
}

/* The caller's environment with `more` in place of what has the same names. Borrows all texts. */
static char **make_environment(const char *const *more)
{
    size_t old_count = 0;
    size_t count = 0;
    char **list;

    while (environ[old_count] != NULL) {
        ++old_count;
    }
    list = calloc(old_count + list_length(more) + 1, sizeof(*list));
    for (size_t i = 0; list != NULL && i != old_count; ++i) {
        if (!is_replaced(environ[i], more)) {
            list[count++] = environ[i];
        }
    }
    for (size_t i = 0; list != NULL && i != list_length(more); ++i) {
        memcpy(&list[count++], &more[i], sizeof(more[i])); /* exec modifies none of them */
    }
    return list;
}

static _Noreturn void give_up(const start_t *start, const char *doing)
{
    failure_t failure = {.doing = doing, .error = errno};
    ssize_t done = write(start->report, &failure, sizeof(failure));

    (void)done;
    _exit(EXIT_NOT_STARTED);
}

static bool bind_files(const sp_spawn_options_t *options)
{
    if (options->bind_count == 0) {
        return true;
    }
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return false;
    }
    for (size_t i = 0; i != options->bind_count; ++i) {
        if (mount(options->binds[i].source, options->binds[i].target, NULL, MS_BIND, NULL) != 0) {
            return false;
        }
    }
    return true;
}

static bool set_cpus(uint64_t cpus)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (size_t i = 0; i != CPUS_MAX; ++i) {
        if ((cpus >> i & 1U) != 0) {
            CPU_SET(i, &set);
        }
    }
    return cpus == 0 || sched_setaffinity(0, sizeof(set), &set) == 0;
}

static bool set_nice(int more)
{
    errno = 0;
    return more == 0 || nice(more) != -1 || errno == 0;
}

/* Signals that a conductor blocks or ignores are the program's own again. */
static bool reset_signals(void)
{
    sigset_t none;

    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGCHLD, SIG_DFL);
    return sigemptyset(&none) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

/* Only what is needed between fork and exec. */
static _Noreturn void run_child(const start_t *start)
{
    const sp_spawn_options_t *options = start->options;
    char **argv;

    if (setpgid(0, 0) != 0) {
        give_up(start, "making a process group");
    }
    if (options->cgroup != NULL && sp_cgroup_enter(options->cgroup, 0, NULL) != SP_OK) {
        give_up(start, "entering the control group");
    }
    if (options->netns != NULL && setns(options->netns->fd, CLONE_NEWNET) != 0) {
        give_up(start, "entering the network namespace");
    }
    if (!bind_files(options)) {
        give_up(start, "putting files in the place of others");
    }
    if (options->folder != NULL && chdir(options->folder) != 0) {
        give_up(start, "entering the working folder");
    }
    if (!set_cpus(options->cpus) || !set_nice(options->nice)) {
        give_up(start, "choosing processors and priority");
    }
    for (int i = 0; i != 3; ++i) {
        if (dup2(start->streams[i], i) < 0) {
            give_up(start, "connecting standard input, output and error");
        }
    }
    if (!reset_signals() ||
        syscall(SYS_close_range, 3U, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */) != 0) {
        give_up(start, "closing what is not for it");
    }
    memcpy(&argv, &options->argv, sizeof(argv)); /* exec modifies nothing */
    (void)execve(start->program, argv, start->environment);
    give_up(start, "starting the program");
}

/* A descriptor above 2, so that connecting one stream does not close another. */
static int move_up(int fd)
{
    int up = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int error = errno;

    if (fd >= 0) {
        (void)close(fd);
    }
    errno = error;
    return up;
}

static int open_output(int fd, const char *path)
{
    if (fd != 0) {
        return fcntl(fd, F_DUPFD_CLOEXEC, 3);
    }
    return move_up(open(path == NULL ? "/dev/null" : path,
                        O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
                        S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
}

static sp_status_t open_streams(start_t *start, sp_error_t *err)
{
    const sp_spawn_options_t *options = start->options;
    const char *input = options->input == NULL ? "/dev/null" : options->input;

    start->streams[0] = move_up(open(input, O_RDONLY | O_CLOEXEC));
    if (start->streams[0] < 0) {
        return sp_fail(err, SP_IO, 0, "%s: %s", input, strerror(errno));
    }
    start->streams[1] = open_output(options->output_fd, options->output);
    if (start->streams[1] < 0) {
        return sp_fail(err, SP_IO, 0, "%s: %s", options->output ? options->output : "output",
                       strerror(errno));
    }
    start->streams[2] = open_output(options->errors_fd, options->errors);
    if (start->streams[2] < 0) {
        return sp_fail(err, SP_IO, 0, "%s: %s", options->errors ? options->errors : "error output",
                       strerror(errno));
    }
    return SP_OK;
}

static void clear_start(start_t *start)
{
    for (int i = 0; i != 3; ++i) {
        if (start->streams[i] >= 0) {
            (void)close(start->streams[i]);
        }
    }
    free(start->environment);
}

/* Waits for exec or for the reason why there was none. */
static sp_status_t await_start(const start_t *start, int report, pid_t pid, sp_error_t *err)
{
    failure_t failure;
    ssize_t got;

    do {
        got = read(report, &failure, sizeof(failure));
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(failure)) {
        sp_process_t dead = {.pid = pid, .pidfd = -1};

        (void)sp_process_wait(&dead, -1, -1);
        return sp_fail(err, SP_IO, 0, "%s: %s: %s", start->program, failure.doing,
                       strerror(failure.error));
    }
    return SP_OK;
}

static sp_status_t fork_and_exec(start_t *start, sp_process_t *ret_process, sp_error_t *err)
{
    int report[2];
    sp_status_t status;
    pid_t pid;

    if (pipe2(report, O_CLOEXEC) != 0) {
        return sp_fail(err, SP_IO, 0, "a pipe: %s", strerror(errno));
    }
    start->report = report[1];
    pid = fork();
    if (pid == 0) {
        run_child(start);
    }
    status = pid < 0 ? sp_fail(err, SP_IO, 0, "a process: %s", strerror(errno)) : SP_OK;
    (void)close(report[1]);
    if (status == SP_OK) {
        status = await_start(start, report[0], pid, err);
    }
    (void)close(report[0]);
    if (status == SP_OK) {
        *ret_process =
            (sp_process_t){.pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0U), .status = 0};
    }
    return status;
}

sp_status_t sp_spawn(const sp_spawn_options_t *options, sp_process_t *ret_process, sp_error_t *err)
{
    start_t start = {.options = options, .streams = {-1, -1, -1}};
    sp_status_t status =
        sp_program_find(options->argv[0], NULL, start.program, sizeof(start.program));

    if (status != SP_OK) {
        return sp_fail(err, SP_NOT_FOUND, 0, "there is no program '%s' on this machine",
                       options->argv[0]);
    }
    start.environment = make_environment(options->environment);
    status = start.environment == NULL ? sp_fail(err, SP_NO_MEMORY, 0, "out of memory")
                                       : open_streams(&start, err);
    if (status == SP_OK) {
        status = fork_and_exec(&start, ret_process, err);
    }
    clear_start(&start);
    return status;
}
