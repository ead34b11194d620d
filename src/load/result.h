/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_RESULT_H
#define SIGNPOST_LOAD_RESULT_H

/* What a run found out, for people and for programs. */

#include <jansson.h>
#include <stdio.h>

#include "load/generator.h"

typedef struct sp_load_result {
    const sp_load_plan_t *plan;
    const sp_load_outcome_t *outcome;
    const char *connect; /* the server's address as it was given */
} sp_load_result_t;

/* Answers as expected a second, over the whole seconds in which requests became due: what came
 * later, while the rest was waited for, is no rate that the server can hold. A run of less than a
 * second counts from its beginning to its end. */
double sp_load_throughput(const sp_load_result_t *result);

/* Requests that did not get the answer they must get, for whatever reason. */
uint64_t sp_load_errors(const sp_load_tally_t *tally);

/* Why connections failed, were cut off, or answered something else than HTTP, and what may help;
 * NULL when none did, or the reason is unknown. Valid as long as the tally. */
const char *sp_load_result_reason(const sp_load_result_t *result);

/* A new object; NULL when memory is out. */
json_t *sp_load_result_json(const sp_load_result_t *result);

/* SP_OK, SP_NO_MEMORY, or SP_IO when a write is refused. */
sp_status_t sp_load_result_print_json(const sp_load_result_t *result, FILE *out);

/* A screenful at most. */
void sp_load_result_print_text(const sp_load_result_t *result, FILE *out);

/* Every request as a line, after a line of headings; fields are separated by tabs: when it was due,
 * sent and ended, in µs since the run's beginning (an empty `sent` is none), its kind as in the
 * JSON, and the answer's status (0: no answer). In no order. SP_OK or SP_IO. */
sp_status_t sp_load_samples_print(const sp_load_tally_t *tally, FILE *out);

/* The line that shows how far it is; `arg` of an sp_load_progress_fn. */
typedef struct sp_load_line {
    const sp_load_plan_t *plan;
    FILE *out;
    double last_s;  /* when it was shown last */
    bool same_line; /* a terminal: overwritten each time */
} sp_load_line_t;

sp_load_progress_fn sp_load_line_show;

/* After the last one: nothing of it stays on a terminal. */
void sp_load_line_end(const sp_load_line_t *line);

#endif
