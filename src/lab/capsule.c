/* SPDX-License-Identifier: Apache-2.0 */

/* The caller's part: begin, pass signals on, put things back. */

#include "lab/capsule.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/capsule_state.h"
#include "lab/cgroup_folder.h"
#include "lab/clock.h"

/* The caller's view of a run. */
typedef struct watch {
    pid_t conductor, warden;
    int pidfd;
    int signals; /* signalfd */
    sigset_t old_mask;
    unsigned asked;   /* how often a stop was asked for */
    int64_t deadline; /* of the conductor, in ms; 0: none */
    bool was_late;
} watch_t;

void sp_fd_close(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

bool sp_pidfd_wait(int pidfd, int timeout_ms)
{
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    int64_t end = sp_clock_ms() + timeout_ms;

    for (;;) {
        int64_t left = end - sp_clock_ms();
        int got = poll(&entry, 1, timeout_ms < 0 ? -1 : (int)(left < 0 ? 0 : left));

        if (got > 0) {
            return true;
        }
        if (got == 0 || errno != EINTR) {
            return false;
        }
    }
}

int sp_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0U);
}

void sp_pidfd_kill(int pidfd, int signal)
{
    (void)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0U);
}

static sp_status_t fail_setup(const char *what, sp_error_t *err)
{
    return sp_fail(err, SP_UNSUPPORTED, 0, "the laboratory cannot be set up here: %s: %s", what,
                   strerror(errno));
}

static bool open_pipes(sp_capsule_pipes_t *pipes)
{
    return pipe2(pipes->caller, O_CLOEXEC) == 0 && pipe2(pipes->warden, O_CLOEXEC) == 0 &&
           pipe2(pipes->go, O_CLOEXEC) == 0;
}

static void close_pipes(sp_capsule_pipes_t *pipes)
{
    for (int i = 0; i != 2; ++i) {
        sp_fd_close(&pipes->caller[i]);
        sp_fd_close(&pipes->warden[i]);
        sp_fd_close(&pipes->go[i]);
    }
}

/* All of it is in the note before it is made. */
static sp_status_t make_group(sp_capsule_t *capsule, sp_error_t *err)
{
    char name[32];
    char line[64];
    sp_status_t status;

    (void)snprintf(line, sizeof(line), "process %ld", (long)getpid());
    status = sp_note_add(&capsule->note, line, err);
    (void)snprintf(name, sizeof(name), "signpost-lab.%ld", (long)getpid());
    (void)snprintf(line, sizeof(line), "group %s", name);
    if (status == SP_OK) {
        status = sp_note_add(&capsule->note, line, err);
    }
    if (status == SP_OK && sp_cgroup_cpu_is_off()) {
        status = sp_note_add(&capsule->note, "cpu-switched", err);
        if (status == SP_OK) {
            sp_cgroup_cpu_switch(true);
        }
    }
    return status == SP_OK ? sp_cgroup_create(name, &capsule->group, err) : status;
}

static bool watch_signals(watch_t *watch)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigaddset(&set, SIGQUIT);
    if (sigprocmask(SIG_BLOCK, &set, &watch->old_mask) != 0) {
        return false;
    }
    watch->signals = signalfd(-1, &set, SFD_CLOEXEC);
    return watch->signals >= 0;
}

/* The child is process 1 of a PID namespace; the caller's other children are not in it. */
static pid_t fork_in_namespace(void)
{
    int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    pid_t pid = -1;

    if (own >= 0 && unshare(CLONE_NEWPID) == 0) {
        pid = fork();
        if (pid != 0 && setns(own, CLONE_NEWPID) != 0 && pid > 0) {
            (void)kill(pid, SIGKILL);
            (void)waitpid(pid, NULL, 0);
            pid = -1;
        }
    }
    if (pid != 0) {
        sp_fd_close(&own);
    }
    return pid;
}

/* Before anything is made that it would have to put back. */
static sp_status_t post_warden(sp_capsule_t *capsule, watch_t *watch, sp_error_t *err)
{
    (void)fflush(NULL);
    if (!open_pipes(&capsule->pipes)) {
        return fail_setup("pipes", err);
    }
    if (!watch_signals(watch)) {
        return fail_setup("signals", err);
    }
    watch->warden = fork();
    if (watch->warden == 0) {
        sp_fd_close(&watch->signals);
        sp_capsule_ward(capsule);
    }
    sp_fd_close(&capsule->pipes.warden[1]);
    return watch->warden > 0 ? SP_OK : fail_setup("a process", err);
}

static bool tell_warden(const sp_capsule_t *capsule, pid_t pid)
{
    return write(capsule->pipes.caller[1], &pid, sizeof(pid)) == (ssize_t)sizeof(pid);
}

/* The conductor waits for `go`, so that it never does anything unwatched. The reading ends of what
 * is written to stay open here: if nobody else had them any more, writing would raise SIGPIPE. */
static sp_status_t begin(sp_capsule_t *capsule, watch_t *watch, sp_error_t *err)
{
    watch->conductor = fork_in_namespace();
    if (watch->conductor == 0) {
        sp_fd_close(&watch->signals);
        sp_capsule_conduct(capsule);
    }
    if (watch->conductor < 0) {
        return fail_setup("a PID namespace", err);
    }
    watch->pidfd = sp_pidfd_open(watch->conductor);
    if (watch->pidfd < 0) {
        return fail_setup("pidfd_open (Linux 5.3 or newer is needed)", err);
    }
    sp_fd_close(&capsule->pipes.warden[0]);
    return tell_warden(capsule, watch->conductor) && write(capsule->pipes.go[1], "", 1) == 1
               ? SP_OK
               : fail_setup("a pipe", err);
}

static void take_signal(watch_t *watch)
{
    struct signalfd_siginfo info;

    if (read(watch->signals, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return;
    }
    if (++watch->asked == 1) {
        sp_pidfd_kill(watch->pidfd, SIGTERM);
        watch->deadline = sp_clock_ms() + SP_CAPSULE_GRACE_MS;
    } else {
        sp_pidfd_kill(watch->pidfd, SIGKILL);
    }
}

static void await_end(watch_t *watch)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = watch->pidfd, .events = POLLIN},
                                {.fd = watch->signals, .events = POLLIN}};
        int64_t left = watch->deadline == 0 ? -1 : watch->deadline - sp_clock_ms();
        int got = poll(fds, 2, watch->deadline == 0 ? -1 : (int)(left < 0 ? 0 : left));

        if (got > 0 && fds[0].revents != 0) {
            return;
        }
        if (got > 0) {
            take_signal(watch);
        } else if (got == 0) {
            sp_pidfd_kill(watch->pidfd, SIGKILL);
            watch->deadline = 0;
            watch->was_late = true;
        }
    }
}

static sp_status_t judge_end(const sp_capsule_t *capsule, const watch_t *watch, int status,
                             int *ret_result, sp_error_t *err)
{
    if (capsule->report->failed) {
        return sp_fail(err, capsule->report->error.status, 0, "%s", capsule->report->error.message);
    }
    if (WIFEXITED(status)) {
        *ret_result = WEXITSTATUS(status);
        return SP_OK;
    }
    if (watch->was_late || watch->asked > 1) {
        return sp_fail(err, SP_IO, 0,
                       "the laboratory was killed because it did not stop in time; "
                       "nothing of it is left");
    }
    return sp_fail(err, SP_IO, 0, "the laboratory was killed by signal %d; nothing of it is left",
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* Ends whoever is there, in the order in which nothing gets lost: only when all is put back may the
 * warden go. */
static int finish(sp_capsule_t *capsule, watch_t *watch)
{
    int status = 0;

    sp_fd_close(&capsule->pipes.go[1]);
    if (watch->conductor > 0) {
        while (waitpid(watch->conductor, &status, 0) < 0 && errno == EINTR) {
        }
    }
    sp_cgroup_forget(capsule->group);
    sp_note_put_back(&capsule->note);
    if (watch->warden > 0) {
        (void)tell_warden(capsule, 0);
        while (waitpid(watch->warden, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close_pipes(&capsule->pipes);
    sp_note_unlock(&capsule->note);
    sp_fd_close(&watch->pidfd);
    if (watch->signals >= 0) {
        sp_fd_close(&watch->signals);
        (void)sigprocmask(SIG_SETMASK, &watch->old_mask, NULL);
    }
    return status;
}

static sp_status_t run_locked(sp_capsule_t *capsule, int *ret_result, sp_error_t *err)
{
    watch_t watch = {.pidfd = -1, .signals = -1};
    sp_status_t status = post_warden(capsule, &watch, err);
    int ended;

    if (status == SP_OK) {
        status = make_group(capsule, err);
    }
    if (status == SP_OK) {
        status = begin(capsule, &watch, err);
    }
    if (status == SP_OK) {
        await_end(&watch);
    }
    ended = finish(capsule, &watch);
    return status == SP_OK ? judge_end(capsule, &watch, ended, ret_result, err) : status;
}

sp_status_t sp_capsule_run(sp_capsule_prepare_t *prepare, sp_capsule_work_t *work, void *arg,
                           int *ret_result, sp_error_t *err)
{
    sp_capsule_t capsule = {.work = work,
                            .arg = arg,
                            .pipes = {{-1, -1}, {-1, -1}, {-1, -1}},
                            .stop_fd = -1,
                            .outer_netns = -1,
                            .own_netns = -1};
    void *memory;
    sp_status_t status;

    if (geteuid() != 0) {
        return sp_fail(err, SP_UNSUPPORTED, 0,
                       "the laboratory makes network namespaces and needs root: use sudo");
    }
    memory = mmap(NULL, sizeof(*capsule.report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                  -1, 0);
    if (memory == MAP_FAILED) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    capsule.report = memory;
    status = sp_note_lock(&capsule.note, err);
    if (status == SP_OK && prepare != NULL) {
        status = prepare(arg, err);
        if (status != SP_OK) {
            sp_note_unlock(&capsule.note);
        }
    }
    if (status == SP_OK) {
        status = run_locked(&capsule, ret_result, err);
    }
    (void)munmap(memory, sizeof(*capsule.report));
    return status;
}
