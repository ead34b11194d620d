/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_SVG_H
#define SIGNPOST_LAB_REPORT_SVG_H

/* Pieces of charts. Colours are CSS variables with a light and a dark value; each look also has a
 * marker and a dash pattern of its own, for readers who do not tell colours apart. Each chart is
 * drawn twice, for wide and for narrow screens: scaling one would make its text unreadable. */

#include <signpost/base/buf.h>

#include "lab/report/scale.h"
#include "lab/report/setups.h"

#define SP_LAB_LOOKS 8
#define SP_LAB_SVG_LINES_MAX 4 /* of one label */

typedef struct sp_lab_canvas {
    sp_buf_t *out;
    bool narrow;
    bool alone; /* a file of its own, with title and style, rather than part of the page */
} sp_lab_canvas_t;

/* The style of charts; on the page it stands once. */
extern const char sp_lab_svg_style[];

double sp_lab_svg_width(const sp_lab_canvas_t *canvas);

/* Height of the title that a chart carries when it is alone. */
double sp_lab_svg_title_height(const sp_lab_canvas_t *canvas, const char *title);

/* `desc` says in words what is to be seen. */
void sp_lab_svg_begin(const sp_lab_canvas_t *canvas, double height, const char *title,
                      const char *desc);
void sp_lab_svg_end(const sp_lab_canvas_t *canvas);

/* `anchor`: 's'tart, 'm'iddle or 'e'nd. `class` may be "". */
void sp_lab_svg_text(const sp_lab_canvas_t *canvas, double x, double y, char anchor,
                     const char *class, sp_str_t text);

void sp_lab_svg_line(const sp_lab_canvas_t *canvas, const double from_to[4], const char *class);

/* The marker of a look, with a hint that shows when it is pointed at ("" for none). */
void sp_lab_svg_marker(const sp_lab_canvas_t *canvas, double x, double y, size_t look,
                       const char *hint);

/* Breaks a label into lines that fit into `width`, the last one cut where need be. */
size_t sp_lab_svg_wrap(const char *text, double width,
                       sp_lab_label_t ret_lines[SP_LAB_SVG_LINES_MAX]);

typedef struct sp_lab_legend_entry {
    sp_lab_label_t label;
    size_t look, dash;
    bool line; /* else a marker alone */
} sp_lab_legend_entry_t;

double sp_lab_svg_legend_height(const sp_lab_canvas_t *canvas, const sp_lab_legend_entry_t *entries,
                                size_t count);
void sp_lab_svg_legend(const sp_lab_canvas_t *canvas, double y,
                       const sp_lab_legend_entry_t *entries, size_t count);

#endif
