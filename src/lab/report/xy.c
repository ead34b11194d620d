/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/xy.h"

#include <math.h>

#define LEFT 66.0
#define LEFT_NARROW 62.0
#define RIGHT 22.0
#define PANEL_HEAD 32.0
#define PANEL_GAP 12.0 /* below each panel but the last */
#define AXIS_FOOT 45.0 /* ticks and title of the horizontal axis */

typedef struct frame {
    const sp_lab_canvas_t *canvas;
    const sp_lab_xy_t *chart;
    sp_lab_scale_t x, y;
} frame_t;

/* Half of the room that a label takes, with some air. */
static double half_width(const char *label)
{
    size_t characters = 0;

    for (; *label != '\0'; ++label) {
        characters += ((unsigned char)*label & 0xC0) != 0x80 ? 1 : 0;
    }
    return 3.4 * (double)characters + 3;
}

/* Labels that would run into the one before are left out. */
static void put_axis_x(const frame_t *frame, double bottom)
{
    sp_lab_tick_t ticks[SP_LAB_TICKS_MAX];
    size_t count = sp_lab_scale_ticks(&frame->x, frame->canvas->narrow ? 4 : 8, ticks);
    double taken = 0;

    for (size_t i = 0; i != count; ++i) {
        double half = half_width(ticks[i].label.text);
        double x = fmin(sp_lab_scale_at(&frame->x, ticks[i].value),
                        sp_lab_svg_width(frame->canvas) - half);

        if (x - half >= taken) {
            sp_lab_svg_text(frame->canvas, x, bottom + 19, 'm', "dim",
                            sp_str_from(ticks[i].label.text));
            taken = x + half;
        }
    }
    sp_lab_svg_text(frame->canvas, (frame->x.start + frame->x.end) / 2, bottom + 37, 'm', "",
                    sp_str_from(frame->chart->x_title));
}

static void put_grid(const frame_t *frame)
{
    sp_lab_tick_t ticks[SP_LAB_TICKS_MAX];
    const sp_lab_scale_t *x = &frame->x, *y = &frame->y;
    double height = fabs(y->end - y->start);
    size_t count = sp_lab_scale_ticks(y, height > 180 ? 10 : 4, ticks);

    for (size_t i = 0; i != count; ++i) {
        double at = sp_lab_scale_at(y, ticks[i].value);

        sp_lab_svg_line(frame->canvas, (const double[]){x->start, at, x->end, at}, "grid");
        sp_lab_svg_text(frame->canvas, x->start - 8, at + 4, 'e', "dim",
                        sp_str_from(ticks[i].label.text));
    }
    count = sp_lab_scale_ticks(x, frame->canvas->narrow ? 4 : 8, ticks);
    for (size_t i = 0; i != count; ++i) {
        double at = sp_lab_scale_at(x, ticks[i].value);

        sp_lab_svg_line(frame->canvas, (const double[]){at, y->end, at, y->start}, "grid");
    }
    sp_lab_svg_line(frame->canvas, (const double[]){x->start, y->start, x->end, y->start}, "axis");
}

static void put_diagonal(const frame_t *frame)
{
    double low = fmax(frame->x.low, frame->y.low), high = fmin(frame->x.high, frame->y.high);
    double to_x = sp_lab_scale_at(&frame->x, high), to_y = sp_lab_scale_at(&frame->y, high);

    sp_lab_svg_line(frame->canvas,
                    (const double[]){sp_lab_scale_at(&frame->x, low),
                                     sp_lab_scale_at(&frame->y, low), to_x, to_y},
                    "hint");
}

static void put_stairs(const frame_t *frame, const sp_lab_point_t *points, size_t count)
{
    sp_buf_t *out = frame->canvas->out;

    for (size_t i = 0; i != count; ++i) {
        double y = sp_lab_scale_at(&frame->y, points[i].y);

        if (i == 0) {
            sp_buf_printf(out, "M%.1f,%.1f", frame->x.start, y);
        } else {
            sp_buf_printf(out, "V%.1f", y);
        }
        sp_buf_printf(out, "H%.1f", sp_lab_scale_at(&frame->x, points[i].x));
    }
}

static void put_polyline(const frame_t *frame, const sp_lab_point_t *points, size_t count)
{
    bool pen_up = true;

    for (size_t i = 0; i != count; ++i) {
        if (isnan(points[i].y)) {
            pen_up = true;
            continue;
        }
        sp_buf_printf(frame->canvas->out, "%c%.1f,%.1f", pen_up ? 'M' : 'L',
                      sp_lab_scale_at(&frame->x, points[i].x),
                      sp_lab_scale_at(&frame->y, points[i].y));
        pen_up = false;
    }
}

static void put_lines(const frame_t *frame, const sp_lab_series_t *series, size_t panel)
{
    sp_buf_t *out = frame->canvas->out;

    if (series->line == SP_LAB_NO_LINE || series->in[panel].count == 0) {
        return;
    }
    sp_buf_printf(out, "<path class=\"l c%zu d%zu\" d=\"", series->look % SP_LAB_LOOKS,
                  series->dash % SP_LAB_LOOKS);
    if (series->line == SP_LAB_STAIRS) {
        put_stairs(frame, series->in[panel].points, series->in[panel].count);
    } else {
        put_polyline(frame, series->in[panel].points, series->in[panel].count);
    }
    sp_buf_append(out, SP_STR("\"/>\n"));
}

static void put_marks(const frame_t *frame, const sp_lab_series_t *series, size_t panel)
{
    for (size_t i = 0; i != series->in[panel].mark_count; ++i) {
        sp_lab_point_t point = series->in[panel].marks[i];
        sp_lab_label_t hint;

        if (isnan(point.y)) {
            continue;
        }
        hint = sp_lab_label("%s: %s at %s", series->label.text,
                            sp_lab_quantity(point.y, frame->y.unit).text,
                            sp_lab_quantity(point.x, frame->x.unit).text);
        sp_lab_svg_marker(frame->canvas, sp_lab_scale_at(&frame->x, point.x),
                          sp_lab_scale_at(&frame->y, point.y), series->look, hint.text);
    }
}

static void put_panel(frame_t *frame, size_t index, double top)
{
    const sp_lab_xy_t *chart = frame->chart;
    const sp_lab_panel_t *panel = &chart->panels[index];

    frame->y = panel->y;
    frame->y.start = top + PANEL_HEAD + panel->height;
    frame->y.end = top + PANEL_HEAD;
    sp_lab_svg_text(frame->canvas, 12, top + 16, 's', "head", sp_str_from(panel->title));
    put_grid(frame);
    if (chart->diagonal != NULL) {
        put_diagonal(frame);
    }
    for (size_t i = 0; i != chart->series_count; ++i) {
        put_lines(frame, &chart->series[i], index);
    }
    for (size_t i = 0; i != chart->series_count; ++i) {
        put_marks(frame, &chart->series[i], index);
    }
}

/* More series than there can be set-ups are not drawn by anyone. */
static size_t make_legend(const sp_lab_xy_t *chart, sp_lab_legend_entry_t *entries)
{
    size_t count =
        chart->series_count < SP_LAB_SERIES_MAX ? chart->series_count : SP_LAB_SERIES_MAX;

    for (size_t i = 0; i != count; ++i) {
        entries[i] = (sp_lab_legend_entry_t){.label = chart->series[i].label,
                                             .look = chart->series[i].look,
                                             .dash = chart->series[i].dash,
                                             .line = chart->series[i].line != SP_LAB_NO_LINE};
    }
    return count;
}

void sp_lab_xy_draw(const sp_lab_canvas_t *canvas, const sp_lab_xy_t *chart)
{
    sp_lab_legend_entry_t entries[SP_LAB_SERIES_MAX];
    size_t entry_count = make_legend(chart, entries);
    frame_t frame = {.canvas = canvas, .chart = chart, .x = chart->x};
    double top = sp_lab_svg_title_height(canvas, chart->title), height = top;
    double diagonal = chart->diagonal != NULL ? 20 : 0;
    double gaps = PANEL_GAP * (double)(chart->panel_count - 1);

    for (size_t i = 0; i != chart->panel_count; ++i) {
        height += PANEL_HEAD + chart->panels[i].height;
    }
    height += gaps + AXIS_FOOT + diagonal + sp_lab_svg_legend_height(canvas, entries, entry_count);
    frame.x.start = canvas->narrow ? LEFT_NARROW : LEFT;
    frame.x.end = sp_lab_svg_width(canvas) - RIGHT;
    sp_lab_svg_begin(canvas, height, chart->title, chart->desc);
    for (size_t i = 0; i != chart->panel_count; ++i) {
        put_panel(&frame, i, top);
        top += PANEL_HEAD + chart->panels[i].height;
        top += i + 1 == chart->panel_count ? 0 : PANEL_GAP;
    }
    put_axis_x(&frame, top);
    top += AXIS_FOOT;
    if (chart->diagonal != NULL) {
        sp_lab_svg_line(canvas, (const double[]){12, top + 12, 46, top + 12}, "hint");
        sp_lab_svg_text(canvas, 54, top + 16, 's', "dim", sp_str_from(chart->diagonal));
    }
    sp_lab_svg_legend(canvas, top + diagonal, entries, entry_count);
    sp_lab_svg_end(canvas);
}
