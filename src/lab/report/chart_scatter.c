/* SPDX-License-Identifier: Apache-2.0 */

/* Two figures of each set-up against one another, where a comparison asks whether they go together.
 */

#include <math.h>

#include "lab/report/correlation.h"
#include "lab/report/story.h"
#include "lab/report/table.h"

typedef struct pair {
    sp_lab_metric_t x, y;
    sp_lab_correlation_t found;
} pair_t;

static void add_table(const pair_t *pair, sp_buf_t *rows)
{
    const char *const heads[] = {"Set-up", pair->x.title, pair->y.title, NULL};
    sp_lab_table_t table;

    sp_lab_table_begin(&table, rows, "", heads);
    for (size_t i = 0; i != pair->found.count; ++i) {
        sp_lab_table_row(&table, sp_lab_setup_label(pair->found.points[i].setup).text);
        sp_lab_table_cell(&table, sp_lab_spread_words(pair->found.points[i].x, pair->x.unit).text);
        sp_lab_table_cell(&table, sp_lab_spread_words(pair->found.points[i].y, pair->y.unit).text);
    }
    sp_lab_table_end(&table);
}

/* Each set-up is a series of one marker. */
static void make_series(const pair_t *pair, json_t *experiment, sp_lab_series_t *series,
                        sp_lab_point_t *points, size_t count)
{
    for (size_t i = 0; i != count; ++i) {
        json_t *setup = pair->found.points[i].setup;

        points[i] = (sp_lab_point_t){.x = pair->found.points[i].x.median,
                                     .y = pair->found.points[i].y.median};
        series[i] = (sp_lab_series_t){.label = sp_lab_setup_label(setup),
                                      .look = sp_lab_setup_look(experiment, setup),
                                      .line = SP_LAB_NO_LINE,
                                      .in = {{.marks = &points[i], .mark_count = 1}}};
    }
}

static sp_lab_scale_t scale_of(const sp_lab_point_t *points, size_t count, bool y,
                               const sp_lab_metric_t *metric)
{
    double high = 0, low = INFINITY;

    for (size_t i = 0; i != count; ++i) {
        high = fmax(high, y ? points[i].y : points[i].x);
        low = fmin(low, y ? points[i].y : points[i].x);
    }
    return metric->logarithmic ? sp_lab_scale(SP_LAB_LOG, low, high, metric->unit)
                               : sp_lab_scale(SP_LAB_LINEAR, 0, high, metric->unit);
}

static bool tell(const sp_lab_story_t *story, const pair_t *pair, json_t *experiment,
                 const char *of)
{
    size_t count = pair->found.count < SP_LAB_SERIES_MAX ? pair->found.count : SP_LAB_SERIES_MAX;
    sp_lab_series_t *series = sp_arena_zalloc(story->arena, count, sizeof(*series));
    sp_lab_point_t *points = sp_arena_zalloc(story->arena, count, sizeof(*points));
    sp_lab_words_t heads[2] = {sp_lab_metric_head(&pair->x), sp_lab_metric_head(&pair->y)};
    sp_lab_label_t r = sp_lab_label("%.2f", pair->found.r);
    sp_lab_label_t title = sp_lab_label("%s against %s (r = %s)%s%s", pair->y.title, pair->x.title,
                                        isnan(pair->found.r) ? "unknown" : r.text,
                                        of[0] == '\0' ? "" : " \u00b7 ", of);
    sp_lab_xy_t xy = {.title = title.text,
                      .desc = "One marker for each set-up; the values are in the table.",
                      .x_title = heads[0].text,
                      .panel_count = 1,
                      .series = series,
                      .series_count = count};
    sp_lab_chart_t chart = {
        .slug = sp_lab_story_slug(story, pair->y.name, pair->x.name),
        .title = title.text,
        .caption =
            "Each marker is a set-up, at the medians of its repetitions. Pearson's r says how "
            "far the two figures go together: 1 in step, 0 unrelated, \u22121 opposed.",
        .xy = &xy};
    sp_buf_t rows;

    if (series == NULL || points == NULL || chart.slug == NULL) {
        return false;
    }
    make_series(pair, experiment, series, points, count);
    xy.x = scale_of(points, count, false, &pair->x);
    xy.panels[0] = (sp_lab_panel_t){
        .title = heads[1].text, .y = scale_of(points, count, true, &pair->y), .height = 260};
    sp_lab_story_text(story, &rows);
    add_table(pair, &rows);
    chart.table = sp_buf_str(&rows);
    story->chart(story->arg, &chart);
    return rows.status == SP_OK;
}

static bool draw(const sp_lab_story_t *story, const sp_lab_view_t *view, json_t *comparison)
{
    pair_t *pair = sp_arena_zalloc(story->arena, 1, sizeof(*pair));

    if (pair == NULL) {
        return false;
    }
    if (!sp_lab_metric_find(sp_lab_text(comparison, "metric", ""), NAN, &pair->y) ||
        !sp_lab_metric_find(sp_lab_text(comparison, "with", ""), NAN, &pair->x)) {
        return true;
    }
    sp_lab_correlate(view->experiment, sp_lab_field(comparison, "setups"), &pair->x, &pair->y,
                     &pair->found);
    return pair->found.count == 0 || tell(story, pair, view->experiment, view->label);
}

bool sp_lab_scatter_charts(const sp_lab_story_t *story)
{
    for (size_t i = 0; i != story->view_count; ++i) {
        json_t *comparisons = sp_lab_field(story->views[i].experiment, "comparisons");

        for (size_t j = 0; j != json_array_size(comparisons); ++j) {
            json_t *comparison = json_array_get(comparisons, j);

            if (sp_lab_field(comparison, "with") != NULL &&
                !draw(story, &story->views[i], comparison)) {
                return false;
            }
        }
    }
    return true;
}
