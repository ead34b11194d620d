/* SPDX-License-Identifier: Apache-2.0 */

/* The ends of processes, awaited without a signal handler: by pidfd (pidfd_open(2)). */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/spawn.h"

/* Takes over the status of one that has ended. */
static bool reap(sp_process_t *process, bool block)
{
    pid_t got;

    do {
        got = waitpid(process->pid, &process->status, block ? 0 : WNOHANG);
    } while (got < 0 && errno == EINTR);
    if (got == 0) {
        return false;
    }
    if (got < 0) {
        process->status = 0; /* someone else has reaped it */
    }
    if (process->pidfd >= 0) {
        (void)close(process->pidfd);
    }
    process->pid = 0;
    process->pidfd = -1;
    return true;
}

bool sp_process_is_alive(const sp_process_t *process)
{
    siginfo_t info = {.si_pid = 0};

    return process->pid != 0 &&
           waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

static sp_wait_t wait_for_pidfd(const sp_process_t *process, int timeout_ms, int stop_fd)
{
    struct pollfd fds[2] = {{.fd = process->pidfd, .events = POLLIN},
                            {.fd = stop_fd, .events = POLLIN}};
    int64_t end = sp_clock_ms() + timeout_ms;

    for (;;) {
        int64_t left = timeout_ms < 0 ? -1 : end - sp_clock_ms();
        int got = poll(fds, 2, timeout_ms < 0 ? -1 : (int)(left < 0 ? 0 : left));

        if (got == 0 || (got < 0 && errno != EINTR)) {
            return SP_WAIT_TIMEOUT;
        }
        if (got > 0) {
            return fds[0].revents != 0 ? SP_WAIT_ENDED : SP_WAIT_STOP;
        }
    }
}

sp_wait_t sp_process_wait(sp_process_t *process, int timeout_ms, int stop_fd)
{
    if (process->pid == 0) {
        return SP_WAIT_ENDED;
    }
    if (process->pidfd >= 0) {
        sp_wait_t result = wait_for_pidfd(process, timeout_ms, stop_fd);

        if (result != SP_WAIT_ENDED) {
            return result;
        }
    }
    (void)reap(process, true);
    return SP_WAIT_ENDED;
}

/* By pidfd, so that nobody else is hit who has got the number since. */
static void send_signal(const sp_process_t *process, int signal)
{
    if (process->pidfd >= 0) {
        (void)syscall(SYS_pidfd_send_signal, process->pidfd, signal, NULL, 0U);
    } else {
        (void)kill(process->pid, signal);
    }
}

void sp_process_end(sp_process_t *process, int signal, int grace_ms)
{
    pid_t pid = process->pid;

    if (pid == 0) {
        return;
    }
    send_signal(process, signal);
    if (process->pidfd < 0 || sp_process_wait(process, grace_ms, -1) != SP_WAIT_ENDED) {
        (void)kill(-pid, SIGKILL);
        (void)sp_process_wait(process, -1, -1);
        return;
    }
    (void)kill(-pid, SIGKILL); /* what it has left in its group */
}

const char *sp_process_says(const sp_process_t *process, char *text, size_t size)
{
    if (process->pid != 0) {
        (void)snprintf(text, size, "is running");
    } else if (WIFSIGNALED(process->status)) {
        (void)snprintf(text, size, "was killed by signal %d", WTERMSIG(process->status));
    } else {
        (void)snprintf(text, size, "ended with %d", WEXITSTATUS(process->status));
    }
    return text;
}
