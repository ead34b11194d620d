/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ACCESS_LINE_H
#define SIGNPOST_SERVE_ACCESS_LINE_H

/* One line of the access log, written into memory that the caller has. */

#include <time.h>

#include "http/report.h"
#include "serve/config.h"

#define SP_ACCESS_FIELD_MAX 4096  /* octets of one field; more are cut */
#define SP_ACCESS_STATUS_GONE 499 /* the client left before there was an answer */

/* When requests end, as their lines say it. The text is made once a second; all zeros at first. */
typedef struct sp_access_stamp {
    sp_access_format_t format;
    struct timespec now; /* CLOCK_REALTIME */
    char second[32];     /* without its fraction */
    size_t len;
} sp_access_stamp_t;

/* `format`, of the lines that follow, is not SP_ACCESS_OFF. */
void sp_access_stamp_set(sp_access_stamp_t *stamp, sp_access_format_t format,
                         const struct timespec *now);

/* Writes the line with its end to `memory`, in the format of the stamp. The return value is its
 * length; 0 when `size` is too small, then `memory` holds nothing of use. */
size_t sp_access_line_write(const sp_report_t *report, const sp_access_stamp_t *stamp, char *memory,
                            size_t size);

#endif
