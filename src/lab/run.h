/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_RUN_H
#define SIGNPOST_LAB_RUN_H

/* Runs experiments: set-ups and repetitions interleaved, each run built up from nothing and taken
 * down again; disturbed runs are repeated. */

#include "lab/scene.h"

/* Opens the folder where result.json goes; asked once no other run can be under way. */
typedef sp_status_t sp_lab_folder_fn(void *arg, int *ret_folder, sp_error_t *err);

typedef struct sp_lab_invocation {
    sp_lab_library_t *library;
    sp_lab_experiment_t *const *experiments;
    size_t count;
    bool quick, machine_wide;
    unsigned repeat; /* instead of the experiment's repetitions; 0: as it says */
    sp_lab_folder_fn *open_folder;
    void *arg; /* of open_folder */
    FILE *progress;
} sp_lab_invocation_t;

#define SP_LAB_RESULT_NAME "result.json"

typedef enum sp_lab_outcome {
    SP_LAB_DONE,       /* everything was measured, or said to be impossible here */
    SP_LAB_FAILED,     /* something could not be measured; the result says what */
    SP_LAB_INTERRUPTED /* what was measured until then is in the result */
} sp_lab_outcome_t;

/* In a capsule of its own; returns when everything is gone. Unless it returns SP_OK nothing was
 * measured, or it is lost; result.json is in the folder when it could be written. */
sp_status_t sp_lab_run(const sp_lab_invocation_t *invocation, sp_lab_outcome_t *ret_outcome,
                       sp_error_t *err);

/* Writes what is missing on this machine for these experiments, one line each, and returns how many
 * lines. Roles that have a stand-in which is there are not missing; they are named as well where
 * `stand_ins` is set. */
size_t sp_lab_missing(const sp_lab_invocation_t *invocation, bool stand_ins, FILE *out);

#endif
