/* SPDX-License-Identifier: Apache-2.0 */

/* Second by second: what was answered, how fast, and what failed. */

#include <math.h>

#include "lab/report/story.h"
#include "lab/report/table.h"

#define POINTS_MAX 200
#define MARKS 8

typedef enum shown { ANSWERED, MEDIAN, P99, ERRORS, SHOWN } shown_t;

static const struct {
    const char *field, *title;
    sp_lab_unit_t unit;
} panels[SHOWN] = {
    [ANSWERED] = {"ok", "Answered as expected, requests/s", SP_LAB_REQUESTS_S},
    [MEDIAN] = {"p50_us", "Half of the answers within (p50)", SP_LAB_US},
    [P99] = {"p99_us", "99 % of the answers within (p99)", SP_LAB_US},
    [ERRORS] = {"errors", "Failed, requests/s", SP_LAB_ERRORS_S},
};

typedef struct making {
    const sp_lab_story_t *story;
    sp_lab_series_t *series;
    size_t count;
    double low[SHOWN], high[SHOWN], last_second;
    sp_lab_table_t table;
    sp_buf_t rows;
} making_t;

static bool is_rate(shown_t shown)
{
    return shown == ANSWERED || shown == ERRORS;
}

/* Of `width` seconds together: the mean of a rate, the largest of a latency. NAN: nothing there. */
static double value_of(json_t *seconds, size_t from, size_t width, shown_t shown)
{
    double sum = 0, largest = NAN;
    size_t count = 0;

    for (size_t i = from; i != from + width && i != json_array_size(seconds); ++i) {
        double value = sp_lab_number(json_array_get(seconds, i), panels[shown].field);

        if (!isnan(value)) {
            sum += value;
            largest = fmax(largest, value);
            ++count;
        }
    }
    if (count == 0 || (!is_rate(shown) && largest <= 0)) {
        return NAN;
    }
    return is_rate(shown) ? sum / (double)count : largest;
}

static void widen(making_t *making, shown_t shown, double value)
{
    making->low[shown] = fmin(making->low[shown], value);
    making->high[shown] = fmax(making->high[shown], value);
}

static bool add_panel(making_t *making, sp_lab_series_t *series, json_t *seconds, shown_t shown)
{
    size_t size = json_array_size(seconds), width = (size + POINTS_MAX - 1) / POINTS_MAX;
    size_t count = (size + width - 1) / width, every = (count + MARKS - 1) / MARKS;
    sp_lab_point_t *points = sp_arena_zalloc(making->story->arena, count + MARKS, sizeof(*points));
    sp_lab_point_t *marks = NULL;
    size_t mark_count = 0;

    if (points == NULL) {
        return false;
    }
    marks = points + count;
    for (size_t i = 0; i != count; ++i) {
        double value = value_of(seconds, i * width, width, shown);

        points[i] = (sp_lab_point_t){.x = (double)(i * width), .y = value};
        if (!isnan(value)) {
            widen(making, shown, value);
        }
        /* Each set-up elsewhere, so that they do not cover one another. */
        if (i % every == series->look % every && mark_count != MARKS) {
            marks[mark_count++] = points[i];
        }
    }
    making->last_second = fmax(making->last_second, (double)((count - 1) * width));
    series->in[shown].points = points;
    series->in[shown].count = count;
    series->in[shown].marks = marks;
    series->in[shown].mark_count = mark_count;
    return true;
}

/* Median and ends over the seconds. */
static sp_lab_label_t over_seconds(const sp_lab_series_t *series, shown_t shown)
{
    double values[POINTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i != series->in[shown].count; ++i) {
        if (!isnan(series->in[shown].points[i].y)) {
            values[count++] = series->in[shown].points[i].y;
        }
    }
    return sp_lab_spread_words(sp_lab_spread(values, count), panels[shown].unit);
}

static bool add_series(making_t *making, const sp_lab_entry_t *entry)
{
    json_t *run = sp_lab_typical_run(entry->experiment, sp_lab_setup_name(entry->setup));
    json_t *seconds = sp_lab_field(run, "load.series");
    sp_lab_series_t *series = &making->series[making->count];

    if (json_array_size(seconds) == 0) {
        return true;
    }
    *series = (sp_lab_series_t){.label = entry->label,
                                .look = entry->look,
                                .dash = making->story->view_count > 1 ? entry->view : entry->look,
                                .line = SP_LAB_LINE};
    ++making->count;
    for (shown_t i = ANSWERED; i != SHOWN; ++i) {
        if (!add_panel(making, series, seconds, i)) {
            return false;
        }
    }
    sp_lab_table_row(&making->table, entry->label.text);
    for (shown_t i = ANSWERED; i != SHOWN; ++i) {
        sp_lab_table_cell(&making->table, over_seconds(series, i).text);
    }
    return true;
}

static void set_panels(const making_t *making, sp_lab_xy_t *xy)
{
    for (shown_t i = ANSWERED; i != SHOWN; ++i) {
        xy->panels[i] =
            (sp_lab_panel_t){.title = panels[i].title,
                             .y = sp_lab_scale(is_rate(i) ? SP_LAB_LINEAR : SP_LAB_LOG,
                                               making->low[i], making->high[i], panels[i].unit),
                             .height = 110};
    }
    xy->panel_count = making->high[ERRORS] > 0 ? SHOWN : ERRORS;
}

static bool tell(making_t *making, const sp_lab_entry_t *first)
{
    const sp_lab_story_t *story = making->story;
    const char *blank = first->group.text[0] == '\0' ? "" : " \u00b7 ";
    sp_lab_label_t title = sp_lab_label("Second by second%s%s", blank, first->group.text);
    sp_lab_xy_t xy = {.title = title.text,
                      .desc = "Rate and latency over time; medians and ends are in the table.",
                      .x_title = "Seconds since the load began",
                      .series = making->series,
                      .series_count = making->count};
    sp_lab_chart_t chart = {.slug = sp_lab_story_part_slug(story, "seconds", first->setup),
                            .title = title.text,
                            .caption = "By the second in which a request was due. Each line is the "
                                       "repetition whose p99 is the median one.",
                            .aside = true,
                            .xy = &xy};

    xy.x = sp_lab_scale(SP_LAB_LINEAR, 0, fmax(making->last_second, 1), SP_LAB_PLAIN);
    set_panels(making, &xy);
    sp_lab_table_end(&making->table);
    chart.table = sp_buf_str(&making->rows);
    if (chart.slug == NULL || making->rows.status != SP_OK) {
        return false;
    }
    story->chart(story->arg, &chart);
    return true;
}

static bool draw(const sp_lab_story_t *story, const sp_lab_entry_t *const *entries, size_t count)
{
    static const char *const heads[] = {
        "Set-up",          "Answered in a second", "p50 of a second",
        "p99 of a second", "Failed in a second",   NULL};
    making_t making = {.story = story, .low = {INFINITY, INFINITY, INFINITY, INFINITY}};

    making.series = sp_arena_zalloc(story->arena, count + 1, sizeof(*making.series));
    if (making.series == NULL) {
        return false;
    }
    sp_lab_story_text(story, &making.rows);
    sp_lab_table_begin(&making.table, &making.rows, "Median of the seconds [lowest \u2026 highest]",
                       heads);
    for (size_t i = 0; i != count; ++i) {
        if (!add_series(&making, entries[i])) {
            return false;
        }
    }
    return making.count == 0 || tell(&making, entries[0]);
}

bool sp_lab_second_charts(const sp_lab_story_t *story)
{
    return sp_lab_story_groups(story, draw);
}
