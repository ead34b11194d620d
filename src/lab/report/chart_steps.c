/* SPDX-License-Identifier: Apache-2.0 */

/* Offered against answered, step by step up to saturation. */

#include <math.h>

#include "lab/report/result_file.h"
#include "lab/report/story.h"
#include "lab/report/table.h"

typedef struct making {
    const sp_lab_story_t *story;
    sp_lab_series_t *series;
    size_t count;
    double largest;
    sp_lab_table_t table;
    sp_buf_t rows;
} making_t;

/* Of the repetitions, the field of the step at `index`: "offered_qps" may be less than was meant to
 * be offered, where the tool could not send as much. */
static sp_lab_spread_t at_step(const sp_lab_entry_t *entry, size_t index, const char *field)
{
    double values[SP_LAB_REPETITIONS_MAX];
    size_t count = 0, at = 0;
    json_t *run = NULL;

    while (count != SP_LAB_REPETITIONS_MAX &&
           (run = sp_lab_next_run(entry->experiment, sp_lab_setup_name(entry->setup), false,
                                  &at)) != NULL) {
        json_t *step = json_array_get(sp_lab_field(run, "steps"), index);
        double value = sp_lab_number(step, field);

        if (!isnan(value)) {
            values[count++] = value;
        }
    }
    return sp_lab_spread(values, count);
}

static void add_row(making_t *making, const sp_lab_entry_t *entry, double offered,
                    sp_lab_spread_t answered)
{
    sp_lab_table_row(&making->table, entry->label.text);
    sp_lab_table_cell(&making->table, sp_lab_quantity(offered, SP_LAB_QUERIES_S).text);
    sp_lab_table_cell(&making->table, sp_lab_spread_words(answered, SP_LAB_QUERIES_S).text);
    sp_lab_table_cell(&making->table,
                      sp_lab_quantity(answered.median / offered, SP_LAB_SHARE).text);
}

static bool add_series(making_t *making, const sp_lab_entry_t *entry)
{
    size_t at = 0, count = 0;
    json_t *run = sp_lab_next_run(entry->experiment, sp_lab_setup_name(entry->setup), false, &at);
    json_t *steps = sp_lab_field(run, "steps");
    sp_lab_series_t *series = &making->series[making->count];
    sp_lab_point_t *points =
        sp_arena_zalloc(making->story->arena, SP_LAB_STEPS_MAX, sizeof(*points));

    for (size_t i = 0; points != NULL && i != json_array_size(steps) && count != SP_LAB_STEPS_MAX;
         ++i) {
        double offered = at_step(entry, i, "offered_qps").median;
        sp_lab_spread_t answered = at_step(entry, i, "answered_qps");

        if (offered > 0 && answered.count != 0) {
            points[count++] = (sp_lab_point_t){.x = offered, .y = answered.median};
            making->largest = fmax(making->largest, fmax(offered, answered.median));
            add_row(making, entry, offered, answered);
        }
    }
    if (count != 0) {
        *series = (sp_lab_series_t){
            .label = entry->label,
            .look = entry->look,
            .dash = making->story->view_count > 1 ? entry->view : entry->look,
            .in = {{.points = points, .count = count, .marks = points, .mark_count = count}}};
        ++making->count;
    }
    return points != NULL;
}

static bool tell(making_t *making, const sp_lab_entry_t *first)
{
    const sp_lab_story_t *story = making->story;
    const char *blank = first->group.text[0] == '\0' ? "" : " \u00b7 ";
    sp_lab_label_t title = sp_lab_label("Offered against answered%s%s", blank, first->group.text);
    sp_lab_xy_t xy = {.title = title.text,
                      .desc = "Each server follows the diagonal until it is saturated; the values "
                              "are in the table.",
                      .x_title = "Queries offered, per second",
                      .panel_count = 1,
                      .series = making->series,
                      .series_count = making->count,
                      .diagonal = "everything is answered"};
    sp_lab_chart_t chart = {
        .slug = sp_lab_story_part_slug(story, "steps", first->setup),
        .title = title.text,
        .caption = "Where a line leaves the diagonal, the server no longer keeps up. Median of the "
                   "repetitions.",
        .xy = &xy};

    xy.x = sp_lab_scale(SP_LAB_LINEAR, 0, making->largest, SP_LAB_QUERIES_S);
    xy.panels[0] =
        (sp_lab_panel_t){.title = "Queries answered, per second", .y = xy.x, .height = 300};
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
    static const char *const heads[] = {"Set-up", "Offered", "Answered", "Share", NULL};
    making_t making = {.story = story};

    making.series = sp_arena_zalloc(story->arena, count + 1, sizeof(*making.series));
    if (making.series == NULL) {
        return false;
    }
    sp_lab_story_text(story, &making.rows);
    sp_lab_table_begin(&making.table, &making.rows, "", heads);
    for (size_t i = 0; i != count; ++i) {
        if (!add_series(&making, entries[i])) {
            return false;
        }
    }
    return making.count == 0 || tell(&making, entries[0]);
}

bool sp_lab_steps_charts(const sp_lab_story_t *story)
{
    return sp_lab_story_groups(story, draw);
}
