/* SPDX-License-Identifier: Apache-2.0 */

/* The warden: sleeps until the caller has died or dismisses it. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "lab/capsule_state.h"

/* True when the caller has put things back itself; false when it has died. Meanwhile it may have
 * told who the conductor is. */
static bool is_dismissed(int caller, int *pidfd)
{
    for (;;) {
        pid_t pid = 0;
        ssize_t got = read(caller, &pid, sizeof(pid));

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got != (ssize_t)sizeof(pid)) {
            return false;
        }
        if (pid == 0) {
            return true;
        }
        *pidfd = sp_pidfd_open(pid);
    }
}

/* A terminal, or a pipe that someone reads to its end, is not to wait for the warden. */
static void leave_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd != 3 && null >= 0; ++fd) {
        (void)dup2(null, fd);
    }
}

static void end_conductor(int pidfd)
{
    sp_pidfd_kill(pidfd, SIGTERM);
    if (!sp_pidfd_wait(pidfd, SP_CAPSULE_GRACE_MS)) {
        sp_pidfd_kill(pidfd, SIGKILL);
        (void)sp_pidfd_wait(pidfd, -1);
    }
}

_Noreturn void sp_capsule_ward(sp_capsule_t *capsule)
{
    int pidfd = -1;

    (void)setsid();
    leave_streams();
    sp_fd_close(&capsule->pipes.caller[1]);
    sp_fd_close(&capsule->pipes.warden[0]);
    sp_fd_close(&capsule->pipes.go[0]);
    sp_fd_close(&capsule->pipes.go[1]);
    if (!is_dismissed(capsule->pipes.caller[0], &pidfd)) {
        if (pidfd >= 0) {
            end_conductor(pidfd);
        }
        sp_note_put_back(&capsule->note);
        sp_note_unlock(&capsule->note);
    }
    _exit(0);
}
