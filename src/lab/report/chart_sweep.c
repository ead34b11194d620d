/* SPDX-License-Identifier: Apache-2.0 */

/* One figure over a quantity that set-ups go through in steps, as loss: set-ups that name a series
 * and a step. */

#include <math.h>
#include <string.h>

#include "lab/report/story.h"
#include "lab/report/table.h"

static const char *const shown[] = {"latency.p50_ms", "latency.p99_ms", "latency.p99_9_ms"};
#define SHOWN (sizeof(shown) / sizeof(shown[0]))

typedef struct making {
    const sp_lab_story_t *story;
    sp_lab_metric_t metrics[SHOWN];
    sp_lab_series_t *series;
    sp_lab_point_t *points; /* `entries` of them for each panel of each series */
    size_t count, entries;
    double first, last, low[SHOWN], high[SHOWN];
    sp_lab_table_t table;
    sp_buf_t rows;
} making_t;

static bool is_of_sweep(const sp_lab_entry_t *entry)
{
    return sp_lab_text(entry->setup, "series", NULL) != NULL &&
           !isnan(sp_lab_number(entry->setup, "step"));
}

static sp_lab_label_t series_label(const sp_lab_story_t *story, const sp_lab_entry_t *entry)
{
    const char *view = story->views[entry->view].label, *load = sp_lab_setup_load(entry->setup);
    sp_lab_label_t stand_ins = sp_lab_setup_stand_ins(entry->setup);

    return sp_lab_label("%s%s%s%s%s%s%s%s", view, view[0] == '\0' ? "" : ": ",
                        sp_lab_text(entry->setup, "series", ""), load[0] == '\0' ? "" : ", ", load,
                        stand_ins.text[0] == '\0' ? "" : " (", stand_ins.text,
                        stand_ins.text[0] == '\0' ? "" : ")");
}

static sp_lab_series_t *series_of(making_t *making, const sp_lab_entry_t *entry)
{
    sp_lab_label_t label = series_label(making->story, entry);
    sp_lab_series_t *series = making->series;

    for (size_t i = 0; i != making->count; ++i) {
        if (strcmp(series[i].label.text, label.text) == 0) {
            return &series[i];
        }
    }
    series[making->count] = (sp_lab_series_t){
        .label = label, .look = making->count, .dash = making->count, .line = SP_LAB_LINE};
    return &series[making->count++];
}

/* In the order of steps. */
static void insert(sp_lab_point_t *points, size_t count, sp_lab_point_t point)
{
    while (count != 0 && points[count - 1].x > point.x) {
        points[count] = points[count - 1];
        --count;
    }
    points[count] = point;
}

static void add_point(making_t *making, sp_lab_series_t *series, size_t panel, sp_lab_point_t point)
{
    size_t index = (size_t)(series - making->series);
    sp_lab_point_t *points = making->points + (index * SHOWN + panel) * making->entries;

    if (!isnan(point.y)) {
        insert(points, series->in[panel].count, point);
        series->in[panel].points = series->in[panel].marks = points;
        series->in[panel].mark_count = ++series->in[panel].count;
        making->low[panel] = fmin(making->low[panel], point.y);
        making->high[panel] = fmax(making->high[panel], point.y);
    }
}

static void add_entry(making_t *making, const sp_lab_entry_t *entry)
{
    double step = sp_lab_number(entry->setup, "step");
    sp_lab_series_t *series = series_of(making, entry);

    sp_lab_table_row(&making->table, series->label.text);
    sp_lab_table_cell(&making->table, sp_lab_number_words(step).text);
    making->first = fmin(making->first, step);
    making->last = fmax(making->last, step);
    for (size_t i = 0; i != SHOWN; ++i) {
        sp_lab_spread_t spread = sp_lab_spread_of(
            entry->experiment, sp_lab_setup_name(entry->setup), &making->metrics[i]);

        sp_lab_table_cell(&making->table,
                          sp_lab_spread_words(spread, making->metrics[i].unit).text);
        add_point(making, series, i, (sp_lab_point_t){.x = step, .y = spread.median});
    }
}

static bool tell(making_t *making)
{
    const sp_lab_story_t *story = making->story;
    const char *step = sp_lab_text(sp_lab_story_experiment(story), "step_title", "Step");
    sp_lab_label_t title = sp_lab_label("Latency over: %s", step);
    sp_lab_xy_t xy = {.title = title.text,
                      .desc = "Latency percentiles step by step; the values are in the table.",
                      .x_title = step,
                      .panel_count = SHOWN,
                      .series = making->series,
                      .series_count = making->count};
    sp_lab_chart_t chart = {.slug = sp_lab_story_slug(story, "sweep", ""),
                            .title = title.text,
                            .caption = "Medians of the repetitions; the vertical axes are "
                                       "logarithmic.",
                            .xy = &xy};

    xy.x = sp_lab_scale(SP_LAB_LINEAR, making->first, making->last, SP_LAB_PLAIN);
    for (size_t i = 0; i != SHOWN; ++i) {
        xy.panels[i] = (sp_lab_panel_t){
            .title = making->metrics[i].title,
            .y = sp_lab_scale(SP_LAB_LOG, making->low[i], making->high[i], SP_LAB_US),
            .height = 130};
    }
    sp_lab_table_end(&making->table);
    chart.table = sp_buf_str(&making->rows);
    if (chart.slug == NULL || making->rows.status != SP_OK) {
        return false;
    }
    story->chart(story->arg, &chart);
    return true;
}

static size_t count_entries(const sp_lab_story_t *story)
{
    size_t count = 0;

    for (size_t i = 0; i != story->entry_count; ++i) {
        count += is_of_sweep(&story->entries[i]) ? 1 : 0;
    }
    return count;
}

bool sp_lab_sweep_charts(const sp_lab_story_t *story)
{
    making_t making = {.story = story, .first = INFINITY, .last = -INFINITY};
    const char *heads[SHOWN + 3] = {
        "Series", sp_lab_text(sp_lab_story_experiment(story), "step_title", "Step")};

    making.entries = count_entries(story);
    if (making.entries == 0) {
        return true;
    }
    making.series = sp_arena_zalloc(story->arena, making.entries, sizeof(*making.series));
    making.points = sp_arena_zalloc(story->arena, making.entries * making.entries * SHOWN,
                                    sizeof(*making.points));
    if (making.series == NULL || making.points == NULL) {
        return false;
    }
    for (size_t i = 0; i != SHOWN; ++i) {
        (void)sp_lab_metric_find(shown[i], NAN, &making.metrics[i]);
        heads[i + 2] = making.metrics[i].title;
        making.low[i] = INFINITY;
    }
    sp_lab_story_text(story, &making.rows);
    sp_lab_table_begin(&making.table, &making.rows, "", heads);
    for (size_t i = 0; i != story->entry_count; ++i) {
        if (is_of_sweep(&story->entries[i])) {
            add_entry(&making, &story->entries[i]);
        }
    }
    return tell(&making);
}
