/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_SETUPS_H
#define SIGNPOST_LAB_REPORT_SETUPS_H

/* The set-ups of an experiment in a result, and their runs. */

#include "lab/report/metric.h"

#define SP_LAB_LABEL_MAX 192
#define SP_LAB_REPETITIONS_MAX 200 /* of one set-up */
#define SP_LAB_SETUPS_MAX 200      /* of one experiment, each load counting */

/* By value, as sp_lab_words_t. */
typedef struct sp_lab_label {
    char text[SP_LAB_LABEL_MAX];
} sp_lab_label_t;

/* Median and ends of what the repetitions yielded; count 0: nothing was measured. */
typedef struct sp_lab_spread {
    double median, min, max;
    size_t count;
} sp_lab_spread_t;

size_t sp_lab_setup_count(json_t *experiment);
json_t *sp_lab_setup_at(json_t *experiment, size_t index);

/* By its unique name; NULL when there is none. */
json_t *sp_lab_setup_find(json_t *experiment, const char *name);

const char *sp_lab_setup_name(json_t *setup);

/* What readers call it, with each server that stands in for another one: "CoreDNS [Unbound in place
 * of CoreDNS]". */
sp_lab_label_t sp_lab_setup_label(json_t *setup);

/* Only who stands in for whom: "Unbound in place of CoreDNS"; "" when nobody does. */
sp_lab_label_t sp_lab_setup_stand_ins(json_t *setup);

/* The load that it is under, "" when the experiment has one only. */
const char *sp_lab_setup_load(json_t *setup);

/* "Open loop, 2,000 requests/s", "Closed loop, 256 connections"; else the load's name, or "". */
sp_lab_label_t sp_lab_setup_load_words(json_t *experiment, json_t *setup);

/* Do its connections wait for answers before they ask again? */
bool sp_lab_setup_is_closed_loop(json_t *experiment, json_t *setup);

/* Was it left out, and why? NULL when it was not. */
const char *sp_lab_setup_why_not(json_t *setup);

/* Is an impairment, by its text, part of every set-up that was possible? */
bool sp_lab_is_everywhere(json_t *experiment, const char *impairment);

/* Colour and marker of a set-up: the same server looks the same with and without loss, and under
 * every load. */
size_t sp_lab_setup_look(json_t *experiment, json_t *setup);

/* The runs of a set-up, one after another: begin with *at 0; NULL at the end. Discarded ones only
 * where asked for. */
json_t *sp_lab_next_run(json_t *experiment, const char *setup, bool discarded, size_t *at);

sp_lab_spread_t sp_lab_spread_of(json_t *experiment, const char *setup,
                                 const sp_lab_metric_t *metric);

/* The repetition whose p99 is the median one, which charts show; NULL when there is none. */
json_t *sp_lab_typical_run(json_t *experiment, const char *setup);

/* Sorts `values` and finds their median and ends. */
sp_lab_spread_t sp_lab_spread(double *values, size_t count);

/* "8,012 requests/s [6,600 … 8,040]"; without the ends where only one was measured. */
sp_lab_label_t sp_lab_spread_words(sp_lab_spread_t spread, sp_lab_unit_t unit);

/* Text cut to a label, at a whole character. */
sp_lab_label_t sp_lab_label(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
