/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_SIGNALS_H
#define SIGNPOST_SERVE_SIGNALS_H

/* Signals as events on a file descriptor: no code of ours ever runs inside a signal handler. */

#include <signpost/base/error.h>

typedef enum sp_signal {
    SP_SIGNAL_NONE,
    SP_SIGNAL_STOP,   /* SIGTERM, SIGINT */
    SP_SIGNAL_RELOAD, /* SIGHUP */
    SP_SIGNAL_REOPEN  /* SIGUSR1 */
} sp_signal_t;

/* Blocks the signals in this thread and in those it starts, and ignores SIGPIPE. To be called
 * before any thread is started. *ret_fd becomes readable when a signal has arrived. */
sp_status_t sp_signals_open(int *ret_fd, sp_error_t *err);

/* The next signal that has arrived; does not wait. */
sp_signal_t sp_signals_read(int fd);

#endif
