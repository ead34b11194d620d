/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_RESULT_H
#define SIGNPOST_LAB_RESULT_H

/* The result of an invocation as JSON: what was asked, on which machine, what ran, what came out.
 * Read by src/lab/report. */

#include <jansson.h>
#include <time.h>

#include "lab/experiment.h"

/* RFC 3339, UTC, into `text`, which it returns. */
#define SP_LAB_TIME_MAX 32
const char *sp_lab_time(time_t when, char text[SP_LAB_TIME_MAX]);

/* An object without experiments; `machine` is taken over. NULL when memory is out. */
json_t *sp_lab_result_begin(time_t now, json_t *machine);

/* One experiment with its set-ups, each load apart, without runs. */
json_t *sp_lab_result_experiment(const sp_lab_experiment_t *experiment, bool quick);

/* The set-up of that name in such an experiment; borrowed. */
json_t *sp_lab_result_setup(const json_t *experiment, const char *name);

/* The load as its file has it. */
json_t *sp_lab_result_load(const sp_lab_load_t *load);

/* Into the folder that is open as `folder`, in one step: readers see the old file or the new one.
 */
sp_status_t sp_lab_result_write(const json_t *result, int folder, const char *name,
                                sp_error_t *err);

#endif
