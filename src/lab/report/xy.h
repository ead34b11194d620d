/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_XY_H
#define SIGNPOST_LAB_REPORT_XY_H

/* Charts with two axes: one or more panels one above the other over a common horizontal axis, with
 * lines, stairs or markers, and a legend below. */

#include "lab/report/svg.h"

#define SP_LAB_PANELS_MAX 4
#define SP_LAB_SERIES_MAX SP_LAB_SETUPS_MAX

/* y NAN: nothing there, the line is interrupted. */
typedef struct sp_lab_point {
    double x, y;
} sp_lab_point_t;

typedef enum sp_lab_line {
    SP_LAB_LINE,   /* from point to point */
    SP_LAB_STAIRS, /* each point is the right end of a stair at its height */
    SP_LAB_NO_LINE /* markers alone */
} sp_lab_line_t;

typedef struct sp_lab_series {
    sp_lab_label_t label;
    size_t look, dash;
    sp_lab_line_t line;
    struct {
        const sp_lab_point_t *points;
        size_t count;
        const sp_lab_point_t *marks; /* where markers are */
        size_t mark_count;
    } in[SP_LAB_PANELS_MAX]; /* one for each panel */
} sp_lab_series_t;

typedef struct sp_lab_panel {
    const char *title; /* what the vertical axis shows */
    sp_lab_scale_t y;
    double height;
} sp_lab_panel_t;

typedef struct sp_lab_xy {
    const char *title, *desc, *x_title;
    sp_lab_scale_t x;
    sp_lab_panel_t panels[SP_LAB_PANELS_MAX];
    size_t panel_count;
    const sp_lab_series_t *series;
    size_t series_count;
    const char *diagonal; /* what the line y = x means; NULL: there is none */
} sp_lab_xy_t;

void sp_lab_xy_draw(const sp_lab_canvas_t *canvas, const sp_lab_xy_t *chart);

#endif
