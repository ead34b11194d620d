/* SPDX-License-Identifier: Apache-2.0 */

/* How long requests took, up to the slowest: one curve for each set-up. */

#include <math.h>

#include "lab/report/curve.h"
#include "lab/report/story.h"
#include "lab/report/table.h"

static const double marked[] = {0.5, 0.9, 0.99, 0.999};
#define MARKED (sizeof(marked) / sizeof(marked[0]))

typedef struct extent {
    double low, high, requests;
} extent_t;

static bool make_points(const sp_lab_story_t *story, const sp_lab_curve_t *curve,
                        sp_lab_series_t *series)
{
    sp_lab_point_t *points = sp_arena_zalloc(story->arena, curve->count + MARKED, sizeof(*points));
    sp_lab_point_t *marks = NULL;
    size_t mark_count = 0;

    if (points == NULL) {
        return false;
    }
    marks = points + curve->count;
    for (size_t i = 0; i != curve->count; ++i) {
        points[i] = (sp_lab_point_t){.x = curve->stairs[i].until / curve->requests,
                                     .y = curve->stairs[i].us};
    }
    for (size_t i = 0; i != MARKED; ++i) {
        if (curve->requests * (1 - marked[i]) >= 0.999) {
            marks[mark_count++] =
                (sp_lab_point_t){.x = marked[i], .y = sp_lab_curve_at(curve, marked[i])};
        }
    }
    series->in[0].points = points;
    series->in[0].count = curve->count;
    series->in[0].marks = marks;
    series->in[0].mark_count = mark_count;
    return true;
}

static void widen(extent_t *extent, const sp_lab_curve_t *curve)
{
    extent->low = fmin(extent->low, curve->stairs[0].us);
    extent->high = fmax(extent->high, curve->stairs[curve->count - 1].us);
    extent->requests = fmax(extent->requests, curve->requests);
}

static void add_row(sp_lab_table_t *table, const sp_lab_entry_t *entry, json_t *latency,
                    const sp_lab_curve_t *curve)
{
    sp_lab_table_row(table, entry->label.text);
    for (size_t i = 0; i != MARKED; ++i) {
        sp_lab_table_cell(table,
                          sp_lab_quantity(sp_lab_curve_at(curve, marked[i]), SP_LAB_US).text);
    }
    sp_lab_table_cell(table, sp_lab_quantity(sp_lab_number(latency, "max_us"), SP_LAB_US).text);
    sp_lab_table_cell(table, sp_lab_number_words(curve->requests).text);
}

static void describe(sp_buf_t *desc, const sp_lab_entry_t *entry, const sp_lab_curve_t *curve)
{
    sp_buf_printf(desc, "%s: half within %s, 99 %% within %s, 99.9 %% within %s. ",
                  entry->label.text, sp_lab_quantity(sp_lab_curve_at(curve, 0.5), SP_LAB_US).text,
                  sp_lab_quantity(sp_lab_curve_at(curve, 0.99), SP_LAB_US).text,
                  sp_lab_quantity(sp_lab_curve_at(curve, 0.999), SP_LAB_US).text);
}

typedef struct making {
    const sp_lab_story_t *story;
    sp_lab_series_t *series;
    size_t count;
    extent_t extent;
    sp_lab_table_t table;
    sp_buf_t rows, desc;
} making_t;

static bool add_series(making_t *making, const sp_lab_entry_t *entry)
{
    json_t *run = sp_lab_typical_run(entry->experiment, sp_lab_setup_name(entry->setup));
    json_t *latency = sp_lab_field(run, "load.latency");
    sp_lab_curve_t curve;
    sp_lab_series_t *series = &making->series[making->count];

    if (!sp_lab_curve_make(latency, &curve)) {
        return true;
    }
    *series = (sp_lab_series_t){.label = entry->label,
                                .look = entry->look,
                                .dash = making->story->view_count > 1 ? entry->view : entry->look,
                                .line = SP_LAB_STAIRS};
    ++making->count;
    widen(&making->extent, &curve);
    add_row(&making->table, entry, latency, &curve);
    describe(&making->desc, entry, &curve);
    return make_points(making->story, &curve, series);
}

static bool tell(making_t *making, const sp_lab_entry_t *first)
{
    const sp_lab_story_t *story = making->story;
    const char *blank = first->group.text[0] == '\0' ? "" : " \u00b7 ";
    sp_lab_label_t title = sp_lab_label("How long requests took%s%s", blank, first->group.text);
    sp_lab_xy_t xy = {.title = title.text,
                      .desc = sp_lab_story_text_end(&making->desc),
                      .x_title = "Share of the requests that were at least as fast",
                      .panel_count = 1,
                      .series = making->series,
                      .series_count = making->count};
    sp_lab_chart_t chart = {
        .slug = sp_lab_story_part_slug(story, "latency", first->setup),
        .title = title.text,
        .caption = "Read it upwards from a share: at 99 %, one request in a hundred took at least "
                   "as long as the curve shows. Each curve is the repetition whose p99 is the "
                   "median one. Both axes are logarithmic.",
        .xy = &xy};

    xy.x = sp_lab_scale(SP_LAB_TAIL, 0, 1 - 0.8 / making->extent.requests, SP_LAB_SHARE);
    xy.panels[0] = (sp_lab_panel_t){
        .title = "Time to the answer",
        .y = sp_lab_scale(SP_LAB_LOG, making->extent.low, making->extent.high, SP_LAB_US),
        .height = 300};
    sp_lab_table_end(&making->table);
    chart.table = sp_buf_str(&making->rows);
    if (chart.slug == NULL || xy.desc == NULL || making->rows.status != SP_OK) {
        return false;
    }
    story->chart(story->arg, &chart);
    return true;
}

static bool draw(const sp_lab_story_t *story, const sp_lab_entry_t *const *entries, size_t count)
{
    static const char *const heads[] = {"Set-up", "p50",     "p90",      "p99",
                                        "p99.9",  "Slowest", "Requests", NULL};
    making_t making = {.story = story, .extent = {.low = INFINITY}};

    making.series = sp_arena_zalloc(story->arena, count + 1, sizeof(*making.series));
    if (making.series == NULL) {
        return false;
    }
    sp_lab_story_text(story, &making.rows);
    sp_lab_story_text(story, &making.desc);
    sp_lab_table_begin(&making.table, &making.rows, "", heads);
    for (size_t i = 0; i != count; ++i) {
        if (!add_series(&making, entries[i])) {
            return false;
        }
    }
    return making.count == 0 || tell(&making, entries[0]);
}

bool sp_lab_percentile_charts(const sp_lab_story_t *story)
{
    return sp_lab_story_groups(story, draw);
}
