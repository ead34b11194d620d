/* SPDX-License-Identifier: Apache-2.0 */

/* Figures as tables: all of them, and what changed from one result to the next. */

#include <math.h>
#include <string.h>

#include "lab/report/page.h"
#include "lab/report/table.h"

#define COLUMNS (SP_LAB_COLUMNS_MAX - 2)

static const struct {
    const char *metric, *head;
} usual[] = {
    {"throughput_rps", "Answered, requests/s"},
    {"latency.p50_ms", "p50"},
    {"latency.p90_ms", "p90"},
    {"latency.p99_ms", "p99"},
    {"latency.p99_9_ms", "p99.9"},
    {"latency.max_ms", "Slowest"},
    {"errors_share", "Failed"},
    {"dns.queries_per_request", "DNS queries for a request"},
    {"cpu.app_us_per_request", "App's CPU for a request"},
};
#define USUAL (sizeof(usual) / sizeof(usual[0]))

typedef struct columns {
    sp_lab_metric_t metrics[COLUMNS];
    const char *heads[COLUMNS + 2]; /* of the set-up, of each metric, NULL */
    size_t count;
} columns_t;

static bool is_measured(const sp_lab_story_t *story, const sp_lab_metric_t *metric)
{
    for (size_t i = 0; i != story->entry_count; ++i) {
        const sp_lab_entry_t *entry = &story->entries[i];

        if (sp_lab_spread_of(entry->experiment, sp_lab_setup_name(entry->setup), metric).count !=
            0) {
            return true;
        }
    }
    return false;
}

static void add_column(const sp_lab_story_t *story, columns_t *columns, const char *name,
                       double over_ms, const char *head)
{
    sp_lab_metric_t *metric = &columns->metrics[columns->count];

    if (columns->count == COLUMNS || !sp_lab_metric_find(name, over_ms, metric)) {
        return;
    }
    for (size_t i = 0; i != columns->count; ++i) {
        if (strcmp(columns->metrics[i].name, name) == 0) {
            return;
        }
    }
    if (is_measured(story, metric)) {
        columns->heads[++columns->count] = head == NULL ? metric->title : head;
    }
}

static void choose_columns(const sp_lab_story_t *story, columns_t *columns)
{
    json_t *comparisons = sp_lab_field(sp_lab_story_experiment(story), "comparisons");
    json_t *charts = sp_lab_field(sp_lab_story_experiment(story), "charts");

    *columns = (columns_t){.heads = {"Set-up"}};
    for (size_t i = 0; i != USUAL; ++i) {
        add_column(story, columns, usual[i].metric, NAN, usual[i].head);
    }
    for (size_t i = 0; i != json_array_size(comparisons); ++i) {
        json_t *comparison = json_array_get(comparisons, i);

        add_column(story, columns, sp_lab_text(comparison, "metric", ""),
                   sp_lab_number(comparison, "over_ms"), NULL);
        add_column(story, columns, sp_lab_text(comparison, "with", ""), NAN, NULL);
    }
    for (size_t i = 0; i != json_array_size(charts); ++i) {
        const char *name = json_string_value(json_array_get(charts, i));

        add_column(story, columns, name == NULL ? "" : name, NAN, NULL);
    }
    columns->heads[columns->count + 1] = NULL;
}

static void put_row(sp_lab_table_t *table, const sp_lab_entry_t *entry, const columns_t *columns)
{
    const char *why = sp_lab_setup_why_not(entry->setup);

    sp_lab_table_row(table, entry->label.text);
    if (why != NULL) {
        sp_lab_table_note(table, why);
        return;
    }
    for (size_t i = 0; i != columns->count; ++i) {
        const sp_lab_metric_t *metric = &columns->metrics[i];
        sp_lab_spread_t spread =
            sp_lab_spread_of(entry->experiment, sp_lab_setup_name(entry->setup), metric);
        sp_lab_words_t range = sp_lab_quantity_range(spread.min, spread.max, metric->unit);

        sp_lab_table_cell_small(table, sp_lab_quantity_bare(spread.median, metric->unit).text,
                                spread.count < 2 || spread.min == spread.max ? "" : range.text);
    }
}

void sp_lab_page_results(sp_buf_t *out, const sp_lab_story_t *story)
{
    columns_t columns;
    sp_lab_table_t table;
    const char *group = "";

    choose_columns(story, &columns);
    if (columns.count == 0) {
        return;
    }
    sp_lab_put(out, "<h3>In figures</h3>\n");
    sp_lab_table_begin(&table, out,
                       "Median of the repetitions; below it the lowest and the highest.",
                       columns.heads);
    for (size_t i = 0; i != story->entry_count; ++i) {
        const sp_lab_entry_t *entry = &story->entries[i];

        if (strcmp(group, entry->group.text) != 0) {
            group = entry->group.text;
            sp_lab_table_group(&table, group);
        }
        put_row(&table, entry, &columns);
    }
    sp_lab_table_end(&table);
}

/* "12 % more", "the same within the spread". */
static sp_lab_label_t change_words(const sp_lab_metric_t *metric, sp_lab_spread_t from,
                                   sp_lab_spread_t to)
{
    double change = to.median / from.median - 1;
    sp_lab_label_t size = sp_lab_label("%s %s", sp_lab_quantity(fabs(change), SP_LAB_SHARE).text,
                                       change < 0 ? metric->less : metric->more);

    if (from.count == 0 || to.count == 0 || !isfinite(change)) {
        return sp_lab_label("%s", "");
    }
    if (from.count < 2 || to.count < 2) {
        return sp_lab_label("%s; spread unknown", size.text);
    }
    if (from.max < to.min || to.max < from.min) {
        return size;
    }
    return sp_lab_label("within the spread");
}

/* The entries from `first` on that show the same set-up in different results. */
static size_t same_setup(const sp_lab_story_t *story, size_t first)
{
    size_t count = 1;

    while (first + count != story->entry_count &&
           strcmp(sp_lab_setup_name(story->entries[first].setup),
                  sp_lab_setup_name(story->entries[first + count].setup)) == 0) {
        ++count;
    }
    return count;
}

static void put_changes(sp_lab_table_t *table, const sp_lab_story_t *story, size_t at, size_t count,
                        const sp_lab_metric_t *metric)
{
    const sp_lab_entry_t *entries = &story->entries[at];
    sp_lab_spread_t first =
        sp_lab_spread_of(entries[0].experiment, sp_lab_setup_name(entries[0].setup), metric);

    for (size_t i = 1; i != count; ++i) {
        sp_lab_label_t head =
            sp_lab_label("%s, %s to %s", metric->title, story->views[entries[0].view].label,
                         story->views[entries[i].view].label);
        sp_lab_spread_t other =
            sp_lab_spread_of(entries[i].experiment, sp_lab_setup_name(entries[i].setup), metric);

        if (first.count != 0 && other.count != 0 && (first.max > 0 || other.max > 0)) {
            sp_lab_table_row(table, story->view_count == 2 ? metric->title : head.text);
            sp_lab_table_cell(table, sp_lab_spread_words(first, metric->unit).text);
            sp_lab_table_cell(table, sp_lab_spread_words(other, metric->unit).text);
            sp_lab_table_cell(table, change_words(metric, first, other).text);
        }
    }
}

void sp_lab_page_changes(sp_buf_t *out, const sp_lab_story_t *story)
{
    static const char *const shown[] = {"throughput_rps", "latency.p50_ms", "latency.p99_ms",
                                        "errors_share"};
    static const char *const heads[] = {"", "First", "Other", "Change", NULL};
    sp_lab_table_t table;

    if (story->view_count < 2) {
        return;
    }
    sp_lab_put(out, "<h3>From result to result</h3>\n");
    sp_lab_table_begin(&table, out,
                       "A change counts only where the ranges of the repetitions do not overlap.",
                       heads);
    for (size_t i = 0; i != story->entry_count; i += same_setup(story, i)) {
        size_t count = same_setup(story, i);
        sp_lab_label_t head = sp_lab_setup_label(story->entries[i].setup);

        if (story->entries[i].group.text[0] != '\0') {
            head = sp_lab_label("%s \u00b7 %s", head.text, story->entries[i].group.text);
        }
        if (count < 2) {
            continue;
        }
        sp_lab_table_group(&table, head.text);
        for (size_t j = 0; j != sizeof(shown) / sizeof(shown[0]); ++j) {
            sp_lab_metric_t metric;

            (void)sp_lab_metric_find(shown[j], NAN, &metric);
            if (j == 0 && !sp_lab_setup_is_closed_loop(story->entries[i].experiment,
                                                       story->entries[i].setup)) {
                continue; /* the rate is the one that was offered */
            }
            put_changes(&table, story, i, count, &metric);
        }
    }
    sp_lab_table_end(&table);
}
