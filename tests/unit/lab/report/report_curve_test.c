/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/curve.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report/field.h"
#include "lab/report/story.h"
#include "support/lab_result.h"

static const struct {
    double q;
    const char *field;
} reported[] = {{0.5, "p50_us"},  {0.9, "p90_us"},     {0.95, "p95_us"},
                {0.99, "p99_us"}, {0.999, "p99_9_us"}, {0.9999, "p99_99_us"}};

static const sp_sample_latency_t shapes[] = {
    {300, 0.7, 0, 24000}, {300, 0.7, 0.0396, 24000}, {300, 1.9, 0.1, 100000},
    {5e5, 0.01, 0, 1000}, {80, 2.5, 0.5, 777},       {400, 0.7, 0.01, 100},
    {400, 0.7, 0.01, 2},  {400, 0.7, 0, 1},          {400, 0.7, 0.2775, 30000},
};

Test(report_curve, shows_what_is_reported)
{
    for (size_t i = 0; i != sizeof(shapes) / sizeof(shapes[0]); ++i) {
        json_t *latency = sp_sample_latency(shapes[i]);
        sp_lab_curve_t curve;

        cr_assert(sp_lab_curve_make(latency, &curve));
        cr_expect_eq(curve.requests, (double)shapes[i].requests);
        for (size_t j = 0; j != sizeof(reported) / sizeof(reported[0]); ++j) {
            double expected = sp_lab_number(latency, reported[j].field);

            cr_expect_eq(sp_lab_curve_at(&curve, reported[j].q), expected,
                         "shape %zu, %s: %f, not %f", i, reported[j].field,
                         sp_lab_curve_at(&curve, reported[j].q), expected);
        }
        json_decref(latency);
    }
}

Test(report_curve, is_never_longer_than_its_room)
{
    for (size_t i = 0; i != sizeof(shapes) / sizeof(shapes[0]); ++i) {
        json_t *latency = sp_sample_latency(shapes[i]);
        sp_lab_curve_t curve;

        cr_assert(sp_lab_curve_make(latency, &curve));
        cr_expect_leq(curve.count, (size_t)SP_LAB_CURVE_STEPS_MAX);
        cr_expect_eq(curve.stairs[curve.count - 1].until, curve.requests);
        for (size_t j = 1; j != curve.count; ++j) {
            cr_expect_gt(curve.stairs[j].until, curve.stairs[j - 1].until);
            cr_expect_geq(curve.stairs[j].us, curve.stairs[j - 1].us);
        }
        json_decref(latency);
    }
}

Test(report_curve, rises_at_the_left_edge)
{
    /* 98 of 100 requests take 1 ms, two take 5 s: p98 is 1 ms, p99 is 5 s. */
    json_t *latency =
        json_pack("{s[[iii],[iii]]}", "histogram", 1000, 1010, 98, 5000000, 5010000, 2);
    sp_lab_curve_t curve;

    cr_assert(sp_lab_curve_make(latency, &curve));
    cr_expect_eq(sp_lab_curve_at(&curve, 0.98), 1000);
    cr_expect_eq(sp_lab_curve_at(&curve, 0.981), 5000000);
    cr_expect_eq(sp_lab_curve_at(&curve, 0.99), 5000000);
    cr_expect_eq(sp_lab_curve_at(&curve, 1), 5000000);
    cr_expect_eq(sp_lab_curve_at(&curve, 0), 1000);
    json_decref(latency);
}

Test(report_curve, needs_a_histogram)
{
    json_t *latency = json_pack("{s[[iii]]}", "histogram", 1000, 1010, 0);
    sp_lab_curve_t curve;

    cr_expect_not(sp_lab_curve_make(latency, &curve));
    cr_expect_not(sp_lab_curve_make(NULL, &curve));
    cr_expect(isnan(sp_lab_curve_at(&curve, 0.5)));
    json_decref(latency);
}

/* The place of the curve at `x`, read off the path as a browser would draw it: it goes up, then
 * right. */
static double y_at(const char *path, double x)
{
    char *at = NULL;
    double at_x = 0, y = 0;

    path = strstr(path, "d=\"M");
    cr_assert_not_null(path);
    at_x = strtod(path + 4, &at);
    y = strtod(at + 1, &at);
    while (*at != '"') {
        char command = *at;
        double value = strtod(at + 1, &at);

        cr_assert(command == 'V' || command == 'H');
        if (command == 'V') {
            y = value;
        } else if (at_x <= x && x <= value) {
            return y;
        } else {
            at_x = value;
        }
    }
    return y;
}

typedef struct seen {
    sp_arena_t *arena;
    const char *field;
    double q, expected;
    int charts;
} seen_t;

static void check_drawing(void *arg, const sp_lab_chart_t *chart)
{
    seen_t *seen = arg;
    sp_buf_t out;
    sp_lab_canvas_t canvas = {.out = &out};
    sp_lab_scale_t x, y;
    double place = 0;

    if (strncmp(chart->title, "How long", 8) != 0) {
        return;
    }
    ++seen->charts;
    x = chart->xy->x;
    y = chart->xy->panels[0].y;
    /* The frame of a wide chart with one panel of 300 pixels. */
    x.start = 66;
    x.end = sp_lab_svg_width(&canvas) - 22;
    y.start = 332;
    y.end = 32;
    sp_buf_init(&out, seen->arena, SP_LAB_TEXT_MAX);
    sp_lab_chart_draw(chart, &canvas);
    sp_buf_append_char(&out, '\0');
    cr_assert_eq(out.status, SP_OK);
    /* Half a pixel left of the share: where it stands exactly, the curve may rise. */
    place = y_at(strstr(out.ptr, "<path class=\"l"), sp_lab_scale_at(&x, seen->q) - 0.06);
    cr_expect_float_eq(place, sp_lab_scale_at(&y, seen->expected), 0.06, "%s: drawn at %f, not %f",
                       seen->field, place, sp_lab_scale_at(&y, seen->expected));
}

Test(report_curve, is_drawn_where_it_is)
{
    sp_sample_latency_t stalling = {300, 0.7, 0.0396, 24000};
    json_t *experiment = sp_sample_experiment(
        "E", json_pack("[o]", sp_sample_setup("a", "A")),
        json_pack("[o]", sp_sample_run("a", 1, 2000, 2000, stalling)), NULL, NULL);
    json_t *latency =
        sp_lab_field(json_array_get(sp_lab_field(experiment, "runs"), 0), "load.latency");
    sp_lab_view_t view = {.label = "", .experiment = experiment};

    for (size_t i = 0; i != 5; ++i) {
        sp_arena_t arena;
        sp_lab_story_t story;
        seen_t seen = {.arena = &arena,
                       .field = reported[i].field,
                       .q = reported[i].q,
                       .expected = sp_lab_number(latency, reported[i].field)};

        sp_arena_init(&arena, NULL, 0, 65536);
        cr_assert(sp_lab_story_init(&story, &arena, &view, 1));
        story.chart = check_drawing;
        story.arg = &seen;
        cr_expect(sp_lab_story_charts(&story));
        cr_expect_eq(seen.charts, 1);
        sp_arena_clear(&arena);
    }
    json_decref(experiment);
}
