/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_PLAN_H
#define SIGNPOST_LAB_PLAN_H

/* In which order cases are run: interleaved, so that what changes slowly on the machine hits all of
 * them alike, and which runs are repeated, because something else used the processors meanwhile. */

#include <signpost/base/error.h>

/* Processors that others may use, in the mean over a run, before it counts as disturbed. */
#define SP_LAB_FOREIGN_MAX 0.2

/* How often a disturbed run is repeated at most; the last attempt counts, disturbed or not. */
#define SP_LAB_ATTEMPTS 3

/* Disturbed runs of a whole experiment that are repeated at most, as a share of its runs: on a
 * machine that is never quiet, the experiment still ends, and a quick one stays quick. */
#define SP_LAB_REPEATED_SHARE 0.5
#define SP_LAB_REPEATED_SHARE_QUICK 0.05

typedef struct sp_lab_turn {
    size_t index;        /* of the case */
    unsigned repetition; /* from 1 */
    unsigned attempt;    /* from 1 */
    unsigned order;      /* from 1: the n-th run of the experiment */
} sp_lab_turn_t;

typedef struct sp_lab_plan {
    size_t cases;
    unsigned repetitions;
    size_t at;      /* turns taken, repeated ones left out */
    unsigned order; /* runs so far */
    unsigned repeated, repeated_max;
    sp_lab_turn_t current;
    bool again; /* the current turn is to be taken once more */
} sp_lab_plan_t;

void sp_lab_plan_init(sp_lab_plan_t *plan, size_t cases, unsigned repetitions,
                      double repeated_share);

/* False when all is done. Each repetition begins with the next case, so that none always follows
 * the same one. */
bool sp_lab_plan_next(sp_lab_plan_t *plan, sp_lab_turn_t *ret_turn);

/* To be told after each run. True when the run is to be thrown away, for it will be repeated. */
bool sp_lab_plan_disturbed(sp_lab_plan_t *plan, double foreign_cores);

/* Turns that are still to be taken of a case, the current one not counted. */
unsigned sp_lab_plan_left(const sp_lab_plan_t *plan, size_t index);

#endif
