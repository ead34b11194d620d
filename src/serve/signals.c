/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

sp_status_t sp_signals_open(int *ret_fd, sp_error_t *err)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;
    int fd = -1;

    if (sigemptyset(&set) != 0 || sigaddset(&set, SIGTERM) != 0 || sigaddset(&set, SIGINT) != 0 ||
        sigaddset(&set, SIGHUP) != 0 || sigaddset(&set, SIGUSR1) != 0 ||
        sigaction(SIGPIPE, &ignore, NULL) != 0 || pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) {
        return sp_fail(err, SP_IO, 0, "cannot set up signals: %s", strerror(errno));
    }
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd == -1) {
        return sp_fail(err, SP_IO, 0, "cannot set up signals: %s", strerror(errno));
    }
    *ret_fd = fd;
    return SP_OK;
}

sp_signal_t sp_signals_read(int fd)
{
    struct signalfd_siginfo info = {0};

    if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return SP_SIGNAL_NONE;
    }
    switch (info.ssi_signo) {
    case SIGHUP:
        return SP_SIGNAL_RELOAD;
    case SIGUSR1:
        return SP_SIGNAL_REOPEN;
    default:
        return SP_SIGNAL_STOP;
    }
}
