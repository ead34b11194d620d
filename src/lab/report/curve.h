/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_CURVE_H
#define SIGNPOST_LAB_REPORT_CURVE_H

/* Latency over the share of requests that were at least as fast: what a percentile chart draws.
 *
 * A histogram gives a staircase. It rises where a bucket *begins* (its left edge on the axis of
 * shares), for the value at a share q is the smallest one that is not exceeded by q of all
 * requests. Rising at the right edge, or sloping, would show a p99 of milliseconds where it is
 * seconds. Stairs too fine to be seen are merged upwards, never the ones that hold a percentile
 * that is reported: at those the curve is exact. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define SP_LAB_CURVE_STEPS_MAX 200

typedef struct sp_lab_stair {
    double until; /* it holds the requests from the stair before up to this rank */
    double us;
} sp_lab_stair_t;

typedef struct sp_lab_curve {
    sp_lab_stair_t stairs[SP_LAB_CURVE_STEPS_MAX];
    size_t count;
    double requests;
} sp_lab_curve_t;

/* From an object as "load.latency" of a run; false where it holds no histogram. */
bool sp_lab_curve_make(json_t *latency, sp_lab_curve_t *ret_curve);

/* What the curve shows at the share `q`, in µs. */
double sp_lab_curve_at(const sp_lab_curve_t *curve, double q);

#endif
