/* SPDX-License-Identifier: Apache-2.0 */

/* One bar for each set-up: of throughput, and of whatever the experiment compares. */

#include <math.h>
#include <string.h>

#include "lab/report/story.h"
#include "lab/report/table.h"

#define METRICS_MAX 32

typedef struct list {
    sp_lab_metric_t metrics[METRICS_MAX];
    size_t count;
} list_t;

static void add_metric(list_t *list, const char *name, double over_ms)
{
    sp_lab_metric_t metric;

    if (list->count == METRICS_MAX || !sp_lab_metric_find(name, over_ms, &metric)) {
        return;
    }
    for (size_t i = 0; i != list->count; ++i) {
        if (strcmp(list->metrics[i].name, name) == 0) {
            return;
        }
    }
    list->metrics[list->count++] = metric;
}

/* In an open loop every set-up that keeps up serves the rate that is offered: no chart of that. */
static bool has_closed_loop(const sp_lab_story_t *story)
{
    for (size_t i = 0; i != story->entry_count; ++i) {
        if (sp_lab_setup_is_closed_loop(story->entries[i].experiment, story->entries[i].setup)) {
            return true;
        }
    }
    return false;
}

static void choose_metrics(const sp_lab_story_t *story, list_t *list)
{
    json_t *experiment = sp_lab_story_experiment(story);
    json_t *named = sp_lab_field(experiment, "charts");
    json_t *comparisons = sp_lab_field(experiment, "comparisons");

    for (size_t i = 0; i != json_array_size(named); ++i) {
        const char *name = json_string_value(json_array_get(named, i));

        add_metric(list, name == NULL ? "" : name, NAN);
    }
    if (list->count != 0) {
        return;
    }
    if (has_closed_loop(story)) {
        add_metric(list, "throughput_rps", NAN);
    }
    for (size_t i = 0; i != json_array_size(comparisons); ++i) {
        json_t *comparison = json_array_get(comparisons, i);

        add_metric(list, sp_lab_text(comparison, "metric", ""),
                   sp_lab_number(comparison, "over_ms"));
    }
    add_metric(list, "latency.p99_ms", NAN);
}

/* Throughput is shown where the loop is closed, and everywhere when it never is. */
static bool is_wanted(const sp_lab_entry_t *entry, const sp_lab_metric_t *metric, bool closed_only)
{
    return !closed_only || strcmp(metric->name, "throughput_rps") != 0 ||
           sp_lab_setup_is_closed_loop(entry->experiment, entry->setup);
}

static void add_row(sp_lab_table_t *table, const sp_lab_bar_t *bar, sp_lab_unit_t unit)
{
    sp_lab_table_row(table, bar->label.text);
    if (bar->spread.count == 0) {
        sp_lab_table_note(table, "not measured");
        return;
    }
    sp_lab_table_cell(table, sp_lab_quantity(bar->spread.median, unit).text);
    sp_lab_table_cell(table, sp_lab_quantity(bar->spread.min, unit).text);
    sp_lab_table_cell(table, sp_lab_quantity(bar->spread.max, unit).text);
    sp_lab_table_cell(table, sp_lab_number_words((double)bar->spread.count).text);
}

static sp_str_t make_table(const sp_lab_story_t *story, const sp_lab_bars_t *bars)
{
    static const char *const heads[] = {"Set-up",  "Median",      "Lowest repetition",
                                        "Highest", "Repetitions", NULL};
    sp_buf_t rows;
    sp_lab_table_t table;

    sp_lab_story_text(story, &rows);
    sp_lab_table_begin(&table, &rows, "", heads);
    for (size_t i = 0; i != bars->count; ++i) {
        const char *group = bars->bars[i].group.text;

        if (group[0] != '\0' && (i == 0 || strcmp(group, bars->bars[i - 1].group.text) != 0)) {
            sp_lab_table_group(&table, group);
        }
        add_row(&table, &bars->bars[i], bars->unit);
    }
    sp_lab_table_end(&table);
    return rows.status == SP_OK ? sp_buf_str(&rows) : (sp_str_t){.ptr = NULL};
}

static const char *describe(const sp_lab_story_t *story, const sp_lab_bars_t *bars)
{
    sp_buf_t desc;

    sp_lab_story_text(story, &desc);
    for (size_t i = 0; i != bars->count; ++i) {
        sp_buf_printf(&desc, "%s: %s. ", bars->bars[i].label.text,
                      sp_lab_spread_words(bars->bars[i].spread, bars->unit).text);
    }
    return sp_lab_story_text_end(&desc);
}

static bool tell(const sp_lab_story_t *story, const sp_lab_metric_t *metric, sp_lab_bars_t bars)
{
    sp_lab_words_t title = sp_lab_metric_head(metric);
    sp_lab_chart_t chart = {
        .title = title.text,
        .caption =
            metric->logarithmic
                ? "Median of the repetitions, on a logarithmic axis; the line spans from "
                  "the lowest repetition to the highest."
                : "Median of the repetitions; the line spans from the lowest to the highest.",
        .slug = sp_lab_story_slug(story, metric->name, ""),
        .bars = &bars};

    bars.title = title.text;
    bars.desc = describe(story, &bars);
    chart.table = make_table(story, &bars);
    if (chart.slug == NULL || bars.desc == NULL || chart.table.ptr == NULL) {
        return false;
    }
    story->chart(story->arg, &chart);
    return true;
}

static void collect(const sp_lab_story_t *story, const sp_lab_metric_t *metric, sp_lab_bar_t *bars,
                    size_t *ret_count)
{
    bool closed_only = has_closed_loop(story);
    size_t count = 0;

    for (size_t i = 0; i != story->entry_count; ++i) {
        const sp_lab_entry_t *entry = &story->entries[i];

        if (is_wanted(entry, metric, closed_only)) {
            bars[count++] =
                (sp_lab_bar_t){.group = entry->group,
                               .label = entry->label,
                               .spread = sp_lab_spread_of(entry->experiment,
                                                          sp_lab_setup_name(entry->setup), metric),
                               .look = entry->look};
        }
    }
    *ret_count = count;
}

static bool draw_metric(const sp_lab_story_t *story, const sp_lab_metric_t *metric)
{
    sp_lab_bar_t *all = sp_arena_zalloc(story->arena, story->entry_count + 1, sizeof(*all));
    sp_lab_bars_t bars = {.unit = metric->unit, .logarithmic = metric->logarithmic, .bars = all};
    bool measured = false;

    if (all == NULL) {
        return false;
    }
    collect(story, metric, all, &bars.count);
    for (size_t i = 0; i != bars.count; ++i) {
        measured = measured || all[i].spread.count != 0;
    }
    return !measured || tell(story, metric, bars);
}

bool sp_lab_bars_charts(const sp_lab_story_t *story)
{
    list_t list = {.count = 0};

    choose_metrics(story, &list);
    for (size_t i = 0; i != list.count; ++i) {
        if (!draw_metric(story, &list.metrics[i])) {
            return false;
        }
    }
    return true;
}
