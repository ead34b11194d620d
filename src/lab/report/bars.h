/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_BARS_H
#define SIGNPOST_LAB_REPORT_BARS_H

/* One figure of many set-ups: bars from 0, or dots on a logarithmic axis where the values lie apart
 * by magnitudes; whiskers from the smallest repetition to the largest. */

#include "lab/report/svg.h"

typedef struct sp_lab_bar {
    sp_lab_label_t group; /* shown where it changes; "" for none */
    sp_lab_label_t label;
    sp_lab_spread_t spread; /* count 0: "not measured" */
    size_t look;
} sp_lab_bar_t;

typedef struct sp_lab_bars {
    const char *title, *desc;
    sp_lab_unit_t unit;
    bool logarithmic;
    const sp_lab_bar_t *bars;
    size_t count;
} sp_lab_bars_t;

void sp_lab_bars_draw(const sp_lab_canvas_t *canvas, const sp_lab_bars_t *chart);

#endif
