/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_LOG_H
#define SIGNPOST_SERVE_LOG_H

/* The operational log: one event, one line, on standard error. */

#include <stdatomic.h>

#include "serve/config.h"

#define SP_LOG_LINE_MAX 1024 /* octets; longer lines are cut */

typedef struct sp_log {
    _Atomic(sp_log_level_t) level; /* what is less urgent is left out */
} sp_log_t;

/* "signpost: text" for errors, "signpost: warning: text" and so on for the others. Octets outside
 * printable ASCII show as \xNN, so that nothing from outside can forge a line. Safe from any
 * thread. */
void sp_log_write(const sp_log_t *log, sp_log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error about a place in a file, which the text begins with: no prefix. */
void sp_log_write_place(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
