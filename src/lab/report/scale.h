/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_SCALE_H
#define SIGNPOST_LAB_REPORT_SCALE_H

/* From values to places in a chart, and where its axis is marked. */

#include <stddef.h>

#include "lab/report/quantity.h"

typedef enum sp_lab_scale_kind {
    SP_LAB_LINEAR,
    SP_LAB_LOG,
    SP_LAB_TAIL /* shares q, at −log10(1 − q): each further nine takes the same room */
} sp_lab_scale_kind_t;

typedef struct sp_lab_scale {
    sp_lab_scale_kind_t kind;
    double low, high;  /* values at the ends */
    double start, end; /* their places; the start may lie beyond the end */
    sp_lab_unit_t unit;
} sp_lab_scale_t;

#define SP_LAB_TICKS_MAX 24

typedef struct sp_lab_tick {
    double value;
    sp_lab_words_t label;
} sp_lab_tick_t;

/* Ends at round values around low … high; `start` and `end` are still to be set. A linear scale
 * begins at 0 when `low` is not below it. */
sp_lab_scale_t sp_lab_scale(sp_lab_scale_kind_t kind, double low, double high, sp_lab_unit_t unit);

/* Values beyond the ends lie at the ends. */
double sp_lab_scale_at(const sp_lab_scale_t *scale, double value);

/* About `wanted` of them. */
size_t sp_lab_scale_ticks(const sp_lab_scale_t *scale, unsigned wanted,
                          sp_lab_tick_t ret_ticks[SP_LAB_TICKS_MAX]);

#endif
