/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/bars.h"

#include <math.h>
#include <string.h>

#include "lab/report/markup.h"

#define LEFT 12.0
#define VALUE_ROOM 76.0 /* right of the longest bar */
#define LINE 16.0
#define BAR 14.0
#define GROUP_HEAD 26.0
#define FOOT 28.0

static bool begins_group(const sp_lab_bars_t *chart, size_t index)
{
    const char *group = chart->bars[index].group.text;

    return group[0] != '\0' &&
           (index == 0 || strcmp(group, chart->bars[index - 1].group.text) != 0);
}

static size_t label_lines(const sp_lab_canvas_t *canvas, const sp_lab_bar_t *bar,
                          sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX])
{
    return sp_lab_svg_wrap(bar->label.text, sp_lab_svg_width(canvas) - 2 * LEFT, lines);
}

static size_t group_lines(const sp_lab_canvas_t *canvas, const sp_lab_bar_t *bar,
                          sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX])
{
    return sp_lab_svg_wrap(bar->group.text, (sp_lab_svg_width(canvas) - 2 * LEFT) * 0.94, lines);
}

static double row_height(const sp_lab_canvas_t *canvas, const sp_lab_bars_t *chart, size_t index)
{
    sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];
    double height = LINE * (double)label_lines(canvas, &chart->bars[index], lines) + BAR + 12;

    if (begins_group(chart, index)) {
        height +=
            GROUP_HEAD - LINE + LINE * (double)group_lines(canvas, &chart->bars[index], lines);
    }
    return height;
}

static sp_lab_scale_t scale_of(const sp_lab_canvas_t *canvas, const sp_lab_bars_t *chart)
{
    double low = INFINITY, high = 0;
    sp_lab_scale_t scale;

    for (size_t i = 0; i != chart->count; ++i) {
        const sp_lab_spread_t *spread = &chart->bars[i].spread;

        if (spread->count != 0) {
            high = fmax(high, spread->max);
            low = spread->min > 0 ? fmin(low, spread->min) : low;
        }
    }
    scale = sp_lab_scale(chart->logarithmic ? SP_LAB_LOG : SP_LAB_LINEAR,
                         chart->logarithmic ? low : 0, high, chart->unit);
    scale.start = LEFT;
    scale.end = sp_lab_svg_width(canvas) - VALUE_ROOM - 14;
    return scale;
}

static void put_whisker(const sp_lab_canvas_t *canvas, const sp_lab_scale_t *x,
                        const sp_lab_spread_t *spread, double middle)
{
    double from = sp_lab_scale_at(x, spread->min), to = sp_lab_scale_at(x, spread->max);

    if (spread->count < 2) {
        return;
    }
    sp_lab_svg_line(canvas, (const double[]){from, middle, to, middle}, "whisker");
    sp_lab_svg_line(canvas, (const double[]){from, middle - 4, from, middle + 4}, "whisker");
    sp_lab_svg_line(canvas, (const double[]){to, middle - 4, to, middle + 4}, "whisker");
}

static void put_value(const sp_lab_canvas_t *canvas, const sp_lab_bars_t *chart,
                      const sp_lab_scale_t *x, const sp_lab_bar_t *bar, double y)
{
    double to = sp_lab_scale_at(x, bar->spread.median), middle = y + BAR / 2;
    sp_lab_label_t hint =
        sp_lab_label("%s: %s", bar->label.text, sp_lab_spread_words(bar->spread, chart->unit).text);

    if (chart->logarithmic) {
        sp_lab_svg_line(canvas, (const double[]){x->start, middle, x->end, middle}, "grid");
        put_whisker(canvas, x, &bar->spread, middle);
        sp_lab_svg_marker(canvas, to, middle, bar->look, hint.text);
    } else {
        sp_buf_printf(canvas->out,
                      "<rect class=\"bar c%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.0f\" rx=\"2\"><title>",
                      bar->look % SP_LAB_LOOKS, x->start, y, fmax(to - x->start, 0.5), BAR);
        sp_lab_append_text(canvas->out, sp_str_from(hint.text));
        sp_buf_append(canvas->out, SP_STR("</title></rect>\n"));
        put_whisker(canvas, x, &bar->spread, middle);
    }
    sp_lab_svg_text(canvas, sp_lab_svg_width(canvas) - LEFT, middle + 4, 'e', "head",
                    sp_str_from(sp_lab_quantity_bare(bar->spread.median, chart->unit).text));
}

static void put_row(const sp_lab_canvas_t *canvas, const sp_lab_bars_t *chart,
                    const sp_lab_scale_t *x, size_t index, double y)
{
    const sp_lab_bar_t *bar = &chart->bars[index];
    sp_lab_label_t lines[SP_LAB_SVG_LINES_MAX];
    size_t count = 0;

    if (begins_group(chart, index)) {
        count = group_lines(canvas, bar, lines);
        for (size_t i = 0; i != count; ++i) {
            sp_lab_svg_text(canvas, LEFT, y + 16 + LINE * (double)i, 's', "head",
                            sp_str_from(lines[i].text));
        }
        y += GROUP_HEAD - LINE + LINE * (double)count;
    }
    count = label_lines(canvas, bar, lines);
    for (size_t i = 0; i != count; ++i) {
        sp_lab_svg_text(canvas, LEFT, y + 12 + LINE * (double)i, 's', "",
                        sp_str_from(lines[i].text));
    }
    y += LINE * (double)count + 2;
    if (bar->spread.count == 0) {
        sp_lab_svg_text(canvas, LEFT, y + 11, 's', "dim", SP_STR("not measured"));
    } else {
        put_value(canvas, chart, x, bar, y);
    }
}

static void put_axis(const sp_lab_canvas_t *canvas, const sp_lab_scale_t *x, double top,
                     double bottom)
{
    sp_lab_tick_t ticks[SP_LAB_TICKS_MAX];
    size_t count = sp_lab_scale_ticks(x, canvas->narrow ? 3 : 6, ticks);

    for (size_t i = 0; i != count; ++i) {
        double at = sp_lab_scale_at(x, ticks[i].value);

        sp_lab_svg_line(canvas, (const double[]){at, top, at, bottom}, "grid");
        sp_lab_svg_text(canvas, at, bottom + 16, at < x->start + LEFT ? 's' : 'm', "dim",
                        sp_str_from(ticks[i].label.text));
    }
}

void sp_lab_bars_draw(const sp_lab_canvas_t *canvas, const sp_lab_bars_t *chart)
{
    double top = sp_lab_svg_title_height(canvas, chart->title) + 4, bottom = top;
    sp_lab_scale_t x = scale_of(canvas, chart);

    for (size_t i = 0; i != chart->count; ++i) {
        bottom += row_height(canvas, chart, i);
    }
    sp_lab_svg_begin(canvas, bottom + FOOT, chart->title, chart->desc);
    put_axis(canvas, &x, top, bottom);
    for (size_t i = 0; i != chart->count; ++i) {
        put_row(canvas, chart, &x, i, top);
        top += row_height(canvas, chart, i);
    }
    sp_lab_svg_end(canvas);
}
