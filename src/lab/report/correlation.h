/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_CORRELATION_H
#define SIGNPOST_LAB_REPORT_CORRELATION_H

/* Do two figures go together over the set-ups of an experiment? */

#include "lab/report/setups.h"

typedef struct sp_lab_correlation {
    struct {
        json_t *setup;
        sp_lab_spread_t x, y;
    } points[SP_LAB_SETUPS_MAX];
    size_t count;
    double r;     /* Pearson's, of the medians; NAN with fewer than three set-ups or no variance */
    bool certain; /* by chance r would be as far from 0 in one of twenty cases at most */
} sp_lab_correlation_t;

/* Below this the one figure says nothing about the other. */
#define SP_LAB_UNTIED 0.3

/* Over the set-ups that the array `names` lists (all when it is NULL or no array) and that have
 * both figures. */
void sp_lab_correlate(json_t *experiment, json_t *names, const sp_lab_metric_t *x,
                      const sp_lab_metric_t *y, sp_lab_correlation_t *ret_correlation);

#endif
