/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_STORY_H
#define SIGNPOST_LAB_REPORT_STORY_H

/* One experiment as the report tells it, in one result or in several side by side, and its charts
 * one after another. */

#include <signpost/base/arena.h>

#include "lab/report/bars.h"
#include "lab/report/xy.h"

#define SP_LAB_VIEWS_MAX 8 /* results side by side */
#define SP_LAB_TEXT_MAX ((size_t)256 * 1024)

/* The experiment in one of the results. */
typedef struct sp_lab_view {
    const char *label; /* of the result: "A", "B"; "" when there is only one */
    json_t *experiment;
} sp_lab_view_t;

/* A set-up in one of the results. */
typedef struct sp_lab_entry {
    json_t *experiment, *setup;
    size_t view;
    size_t look;
    sp_lab_label_t label; /* with that of the result, where there are several */
    sp_lab_label_t group; /* load and impairments, in words; the same for set-ups alike */
} sp_lab_entry_t;

/* A chart ready to be drawn, and what belongs beside it. */
typedef struct sp_lab_chart {
    const char *slug; /* a file name without its end: "E1-throughput-rps-closed" */
    const char *title;
    const char *caption;   /* how to read it */
    sp_str_t table;        /* the same values, as HTML */
    bool aside;            /* of interest to few: the page folds it up */
    const sp_lab_xy_t *xy; /* one of the two */
    const sp_lab_bars_t *bars;
} sp_lab_chart_t;

typedef void sp_lab_chart_fn(void *arg, const sp_lab_chart_t *chart);

typedef struct sp_lab_story {
    sp_arena_t *arena; /* for whatever is made while telling */
    const sp_lab_view_t *views;
    size_t view_count;
    sp_lab_entry_t *entries; /* those alike together; set-up by set-up, each in all its results */
    size_t entry_count;
    sp_lab_chart_fn *chart;
    void *arg;
    size_t *part; /* which of several charts of one kind is being made, from 1 */
} sp_lab_story_t;

/* False when memory is out. `views` is borrowed. */
bool sp_lab_story_init(sp_lab_story_t *story, sp_arena_t *arena, const sp_lab_view_t *views,
                       size_t view_count);

/* The first experiment: question and title are taken from it. */
json_t *sp_lab_story_experiment(const sp_lab_story_t *story);

/* Tells story->chart every chart of the experiment. False when memory is out. */
bool sp_lab_story_charts(const sp_lab_story_t *story);

void sp_lab_chart_draw(const sp_lab_chart_t *chart, const sp_lab_canvas_t *canvas);

/* Those that sp_lab_story_charts calls, in this order. */
bool sp_lab_sweep_charts(const sp_lab_story_t *story);
bool sp_lab_steps_charts(const sp_lab_story_t *story);
bool sp_lab_scatter_charts(const sp_lab_story_t *story);
bool sp_lab_bars_charts(const sp_lab_story_t *story);
bool sp_lab_percentile_charts(const sp_lab_story_t *story);
bool sp_lab_second_charts(const sp_lab_story_t *story);

/* Calls `draw` for each group of set-ups alike, in parts of at most SP_LAB_LOOKS set-ups. */
typedef bool sp_lab_group_fn(const sp_lab_story_t *story, const sp_lab_entry_t *const *entries,
                             size_t count);
bool sp_lab_story_groups(const sp_lab_story_t *story, sp_lab_group_fn *draw);

/* "E1-NAME-MORE", without what file names can't hold, `more` only where it is not ""; NULL when
 * memory is out. */
const char *sp_lab_story_slug(const sp_lab_story_t *story, const char *name, const char *more);

/* "E1-NAME-2-open": of the second chart of its kind, whose set-ups are under the load "open". */
const char *sp_lab_story_part_slug(const sp_lab_story_t *story, const char *name, json_t *setup);

/* A text of the arena that grows; its end is reached with sp_lab_story_text_end, which gives NULL
 * when memory is out. */
void sp_lab_story_text(const sp_lab_story_t *story, sp_buf_t *ret_text);
const char *sp_lab_story_text_end(sp_buf_t *text);

#endif
