/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_LOG_H
#define SIGNPOST_SERVE_LOG_H

/* The operational log: one event, one line, on standard error. As text: "signpost: text" for
 * errors, "signpost: warning: text" and so on for the others. As JSON: an object with `time`
 * (RFC 3339, ms), `level` and `message`. Octets outside printable ASCII show as \xNN, so that
 * nothing from outside can forge a line. */

#include <stdatomic.h>

#include "serve/config.h"
#include "serve/log_fold.h"

#define SP_LOG_LINE_MAX 1024 /* octets; longer lines are cut */

typedef struct sp_log {
    _Atomic(sp_log_level_t) level; /* what is less urgent is left out */
    _Atomic(sp_log_format_t) format;
    sp_log_fold_t *fold; /* NULL: every event is written */
} sp_log_t;

/* Safe from any thread. */
void sp_log_write(const sp_log_t *log, sp_log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error about a place in a file, which the text begins with: no prefix, never folded. */
void sp_log_write_place(const sp_log_t *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Tells of events that were folded and whose time is over; `all`: of the others as well. Now and
 * then, and at the end. */
void sp_log_tell_folded(const sp_log_t *log, bool all);

/* One line as it is written, with its end; `time` is used for JSON. Returns its length. */
size_t sp_log_line_write(sp_log_format_t format, sp_log_level_t level, const char *text,
                         const struct timespec *time, char line[SP_LOG_LINE_MAX]);

#endif
