/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_ONCE_H
#define SIGNPOST_LAB_ONCE_H

/* One run of one case, from an empty machine to an empty machine. */

#include "lab/scene.h"

/* Told before each of its steps. */
typedef void sp_lab_step_fn(void *arg, const char *step);

typedef struct sp_lab_once {
    sp_lab_session_t *session;
    const sp_lab_experiment_t *experiment;
    const sp_lab_case_t *one;
    json_t *setup; /* of the result: roles and calibrations are put there the first time */
    sp_lab_step_fn *on_step;
    void *arg;
} sp_lab_once_t;

/* Puts figures into `run`. SP_UNSUPPORTED: this machine can't; SP_IO and others: it went wrong.
 * *ret_foreign: processors that others used meanwhile. */
sp_status_t sp_lab_run_once(const sp_lab_once_t *once, json_t *run, double *ret_foreign,
                            sp_error_t *err);

#endif
