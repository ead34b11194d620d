/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/setups.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_lab_label_t sp_lab_label(const char *format, ...)
{
    sp_lab_label_t label;
    va_list args;
    int len = 0;
    size_t end = sizeof(label.text) - 4; /* of a text that is cut: room for an ellipsis */

    va_start(args, format);
    len = vsnprintf(label.text, sizeof(label.text), format, args);
    va_end(args);
    if (len >= (int)sizeof(label.text)) {
        while (end != 0 && ((unsigned char)label.text[end] & 0xC0) == 0x80) {
            --end;
        }
        memcpy(label.text + end, "\u2026", sizeof("\u2026"));
    }
    return label;
}

size_t sp_lab_setup_count(json_t *experiment)
{
    return json_array_size(sp_lab_field(experiment, "setups"));
}

json_t *sp_lab_setup_at(json_t *experiment, size_t index)
{
    return json_array_get(sp_lab_field(experiment, "setups"), index);
}

json_t *sp_lab_setup_find(json_t *experiment, const char *name)
{
    for (size_t i = 0; i != sp_lab_setup_count(experiment); ++i) {
        json_t *setup = sp_lab_setup_at(experiment, i);

        if (strcmp(sp_lab_setup_name(setup), name) == 0) {
            return setup;
        }
    }
    return NULL;
}

const char *sp_lab_setup_name(json_t *setup)
{
    return sp_lab_text(setup, "name", "");
}

/* The servers whose place `title` takes, "" at the first role of the set-up that is not the first
 * to name it. */
static sp_lab_label_t places_of(json_t *roles, size_t index)
{
    const char *title = sp_lab_text(json_array_get(roles, index), "title", "another server");
    sp_lab_label_t places = {.text = ""};

    for (size_t i = 0; i != json_array_size(roles); ++i) {
        json_t *role = json_array_get(roles, i);
        const char *missing = sp_lab_text(role, "stand_in_for", NULL);

        if (missing == NULL || strcmp(title, sp_lab_text(role, "title", "another server")) != 0) {
            continue;
        }
        if (i < index) {
            return (sp_lab_label_t){.text = ""};
        }
        if (strstr(places.text, missing) == NULL) {
            places =
                sp_lab_label("%s%s%s", places.text, places.text[0] == '\0' ? "" : " and ", missing);
        }
    }
    return places;
}

sp_lab_label_t sp_lab_setup_stand_ins(json_t *setup)
{
    json_t *roles = sp_lab_field(setup, "roles");
    sp_lab_label_t all = {.text = ""};

    for (size_t i = 0; i != json_array_size(roles); ++i) {
        json_t *role = json_array_get(roles, i);
        sp_lab_label_t places = {.text = ""};

        if (sp_lab_text(role, "stand_in_for", NULL) != NULL) {
            places = places_of(roles, i);
        }
        if (places.text[0] != '\0') {
            all = sp_lab_label("%s%s%s in place of %s", all.text, all.text[0] == '\0' ? "" : ", ",
                               sp_lab_text(role, "title", "another server"), places.text);
        }
    }
    return all;
}

sp_lab_label_t sp_lab_setup_label(json_t *setup)
{
    const char *title = sp_lab_text(setup, "title", sp_lab_setup_name(setup));
    sp_lab_label_t stand_ins = sp_lab_setup_stand_ins(setup);

    return stand_ins.text[0] == '\0' ? sp_lab_label("%s", title)
                                     : sp_lab_label("%s [%s]", title, stand_ins.text);
}

const char *sp_lab_setup_load(json_t *setup)
{
    return sp_lab_text(setup, "load_name", "");
}

/* How the load of a set-up was: as its runs tell, or those of another one under the same load. */
static json_t *load_of(json_t *experiment, json_t *setup)
{
    for (size_t i = 0; i <= sp_lab_setup_count(experiment); ++i) {
        json_t *other = i == 0 ? setup : sp_lab_setup_at(experiment, i - 1);
        size_t at = 0;
        json_t *run = sp_lab_next_run(experiment, sp_lab_setup_name(other), true, &at);
        json_t *plan = sp_lab_field(run, "load.plan");

        if (plan != NULL && strcmp(sp_lab_setup_load(setup), sp_lab_setup_load(other)) == 0) {
            return plan;
        }
    }
    return sp_lab_field(setup, "load");
}

bool sp_lab_setup_is_closed_loop(json_t *experiment, json_t *setup)
{
    return strcmp(sp_lab_text(load_of(experiment, setup), "loop", ""), "closed") == 0;
}

sp_lab_label_t sp_lab_setup_load_words(json_t *experiment, json_t *setup)
{
    json_t *load = load_of(experiment, setup);
    double rate = sp_lab_number(load, "rate");
    double connections = sp_lab_number(load, "connections");

    double lookups = sp_lab_number(setup, "lookups.concurrency");

    if (lookups > 0) {
        return sp_lab_label("%s lookups at a time", sp_lab_number_words(lookups).text);
    }
    if (strcmp(sp_lab_text(load, "loop", ""), "closed") == 0 && connections > 0) {
        return sp_lab_label("Closed loop, %s connections", sp_lab_number_words(connections).text);
    }
    if (rate > 0) {
        return sp_lab_label("Open loop, %s", sp_lab_quantity(rate, SP_LAB_REQUESTS_S).text);
    }
    return sp_lab_label("%s", sp_lab_setup_load(setup));
}

const char *sp_lab_setup_why_not(json_t *setup)
{
    json_t *possible = sp_lab_field(setup, "possible");

    if (json_is_string(possible)) {
        return json_string_value(possible);
    }
    return json_is_false(possible) ? "not possible here" : NULL;
}

static bool is_discarded(json_t *run)
{
    json_t *discarded = sp_lab_field(run, "discarded");

    return json_is_string(discarded) || json_is_true(discarded);
}

json_t *sp_lab_next_run(json_t *experiment, const char *setup, bool discarded, size_t *at)
{
    json_t *runs = sp_lab_field(experiment, "runs");

    while (*at < json_array_size(runs)) {
        json_t *run = json_array_get(runs, (*at)++);

        if (strcmp(sp_lab_text(run, "setup", ""), setup) == 0 &&
            (discarded || !is_discarded(run))) {
            return run;
        }
    }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

sp_lab_spread_t sp_lab_spread(double *values, size_t count)
{
    if (count == 0) {
        return (sp_lab_spread_t){.median = NAN, .min = NAN, .max = NAN};
    }
    qsort(values, count, sizeof(*values), by_size);
    return (sp_lab_spread_t){.median = (values[(count - 1) / 2] + values[count / 2]) / 2,
                             .min = values[0],
                             .max = values[count - 1],
                             .count = count};
}

sp_lab_spread_t sp_lab_spread_of(json_t *experiment, const char *setup,
                                 const sp_lab_metric_t *metric)
{
    double values[SP_LAB_REPETITIONS_MAX];
    size_t count = 0, at = 0;
    json_t *run = NULL;

    while (count != SP_LAB_REPETITIONS_MAX &&
           (run = sp_lab_next_run(experiment, setup, false, &at)) != NULL) {
        double value = sp_lab_metric_of_run(metric, run);

        if (!isnan(value)) {
            values[count++] = value;
        }
    }
    return sp_lab_spread(values, count);
}

json_t *sp_lab_typical_run(json_t *experiment, const char *setup)
{
    sp_lab_metric_t p99;
    sp_lab_spread_t spread;
    size_t at = 0;
    json_t *run = NULL, *best = NULL;
    double best_distance = INFINITY;

    (void)sp_lab_metric_find("latency.p99_ms", NAN, &p99);
    spread = sp_lab_spread_of(experiment, setup, &p99);
    while ((run = sp_lab_next_run(experiment, setup, false, &at)) != NULL) {
        double distance = fabs(sp_lab_metric_of_run(&p99, run) - spread.median);

        if (best == NULL || distance < best_distance) {
            best = run;
            best_distance = isnan(distance) ? INFINITY : distance;
        }
    }
    return best;
}

sp_lab_label_t sp_lab_spread_words(sp_lab_spread_t spread, sp_lab_unit_t unit)
{
    if (spread.count == 0) {
        return sp_lab_label("not measured");
    }
    if (spread.count == 1) {
        return sp_lab_label("%s", sp_lab_quantity(spread.median, unit).text);
    }
    if (strcmp(sp_lab_quantity(spread.min, unit).text, sp_lab_quantity(spread.max, unit).text) ==
        0) {
        return sp_lab_label("%s [each time]", sp_lab_quantity(spread.median, unit).text);
    }
    return sp_lab_label("%s [%s]", sp_lab_quantity(spread.median, unit).text,
                        sp_lab_quantity_range(spread.min, spread.max, unit).text);
}
