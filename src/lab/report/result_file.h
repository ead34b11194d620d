/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_RESULT_FILE_H
#define SIGNPOST_LAB_REPORT_RESULT_FILE_H

/* Reads what `signpost lab run` wrote. A result that was read has the shape that the report counts
 * on: experiments with an id, set-ups with unique names, runs that name one of them, histograms in
 * order. Single figures may be missing. */

#include <jansson.h>
#include <signpost/base/error.h>

#define SP_LAB_RESULT_OCTETS_MAX ((size_t)1 << 30)
#define SP_LAB_RESULT_FORMAT 1

#define SP_LAB_EXPERIMENTS_MAX 64
#define SP_LAB_RUNS_MAX 20000
#define SP_LAB_BUCKETS_MAX 100000
#define SP_LAB_SECONDS_MAX 86400
#define SP_LAB_STEPS_MAX 200 /* offered rates; each is a point of a curve */

/* The message begins with the file's name; *ret_result is the caller's. */
sp_status_t sp_lab_result_read(const char *path, json_t **ret_result, sp_error_t *err);

/* The same from memory; `name` is for messages. */
sp_status_t sp_lab_result_read_text(sp_str_t text, const char *name, json_t **ret_result,
                                    sp_error_t *err);

/* Has a value the shape of a result? */
sp_status_t sp_lab_result_check(json_t *result, const char *name, sp_error_t *err);

#endif
