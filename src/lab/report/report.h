/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_REPORT_H
#define SIGNPOST_LAB_REPORT_REPORT_H

/* Results as a page for people, or as single charts. The page is one file that refers to nothing
 * outside and needs no scripts; the same results give the same octets. */

#include <jansson.h>
#include <signpost/base/error.h>
#include <stdio.h>

#include "lab/report/story.h"

/* A result that was read by sp_lab_result_read, or made in its shape. */
typedef struct sp_lab_report_result {
    const char *label; /* where it comes from, as a path */
    json_t *root;      /* left as it is */
} sp_lab_report_result_t;

/* One result, or up to SP_LAB_VIEWS_MAX side by side: experiments are matched by id, set-ups by
 * name. SP_IO when `out` refuses, SP_TOO_LONG with too many results or texts. */
sp_status_t sp_lab_report_write(const sp_lab_report_result_t *results, size_t count, FILE *out);

/* Each chart as a file DIRECTORY/NAME.svg; the directory exists. */
sp_status_t sp_lab_report_charts(const sp_lab_report_result_t *results, size_t count,
                                 const char *directory, sp_error_t *err);

#endif
