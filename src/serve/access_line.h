/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ACCESS_LINE_H
#define SIGNPOST_SERVE_ACCESS_LINE_H

/* One line of the access log, written into memory that the caller has. */

#include <time.h>

#include "http/report.h"
#include "serve/config.h"

#define SP_ACCESS_FIELD_MAX 4096  /* octets of one field; more are cut */
#define SP_ACCESS_STATUS_GONE 499 /* the client left before there was an answer */

/* Writes the line with its end to `memory`; `now` is CLOCK_REALTIME when the request ended. The
 * return value is its length; 0 when `size` is too small, then `memory` holds nothing of use.
 * `format` is not SP_ACCESS_OFF. */
size_t sp_access_line_write(const sp_report_t *report, const struct timespec *now,
                            sp_access_format_t format, char *memory, size_t size);

#endif
