/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_PROGRESS_H
#define SIGNPOST_LAB_PROGRESS_H

/* How far it is, for somebody who waits: which set-up, which repetition, how much longer. */

#include <stdio.h>

#include "lab/experiment.h"
#include "lab/plan.h"

typedef struct sp_lab_progress {
    FILE *out;
    bool same_line; /* a terminal: each line replaces the last one */
    double later_s; /* what experiments after this one are expected to take */
    const sp_lab_experiment_t *experiment;
    const sp_lab_cases_t *cases;
    double *taken_s; /* of each case, all its runs so far */
    unsigned *runs;
    bool *dropped; /* cases that are not run any more */
} sp_lab_progress_t;

/* For one experiment. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_lab_progress_init(sp_lab_progress_t *progress, FILE *out,
                                 const sp_lab_experiment_t *experiment,
                                 const sp_lab_cases_t *cases);
void sp_lab_progress_clear(sp_lab_progress_t *progress);

/* Before a run, with the step that it is at ("starting", "measuring"). */
void sp_lab_progress_show(const sp_lab_progress_t *progress, const sp_lab_plan_t *plan,
                          const sp_lab_turn_t *turn, const char *step);

/* After a run. */
void sp_lab_progress_took(sp_lab_progress_t *progress, size_t index, double seconds);

/* It is not run any more. */
void sp_lab_progress_drop(sp_lab_progress_t *progress, size_t index);

/* Takes the line away that a terminal shows. */
void sp_lab_progress_end(const sp_lab_progress_t *progress);

/* Something that is to stay on the terminal. */
void sp_lab_progress_say(const sp_lab_progress_t *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* From now on, with the run that is under way counted whole: measured times where there are some,
 * and what the file lets expect, corrected by how long others have taken. */
double sp_lab_progress_left(const sp_lab_progress_t *progress, const sp_lab_plan_t *plan);

/* "2 h 5 min", "3 min 20 s", "45 s", into `text`, which it returns. */
#define SP_LAB_DURATION_MAX 32
const char *sp_lab_duration(double seconds, char text[SP_LAB_DURATION_MAX]);

#endif
