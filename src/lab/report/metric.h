/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_METRIC_H
#define SIGNPOST_LAB_REPORT_METRIC_H

/* What is compared: a figure that each run of a set-up yields, and how a sentence says it. */

#include "lab/report/field.h"
#include "lab/report/quantity.h"

#define SP_LAB_METRIC_NAME_MAX 64

typedef enum sp_lab_metric_source {
    SP_LAB_FROM_FIELD,      /* stands in the run as it is */
    SP_LAB_FROM_REQUESTS,   /* share of the requests that failed, in whatever way */
    SP_LAB_FROM_HISTOGRAM,  /* share of the requests that took longer than `over_ms` */
    SP_LAB_FROM_STEPS_BEST, /* steps: the largest rate that was answered */
    SP_LAB_FROM_STEPS_KNEE, /* steps: the largest rate of which 99 % were answered */
    SP_LAB_FROM_APP_CPU     /* CPU time of the application for one request */
} sp_lab_metric_source_t;

typedef struct sp_lab_metric {
    char name[SP_LAB_METRIC_NAME_MAX];
    char path[SP_LAB_METRIC_NAME_MAX + 8]; /* in the run */
    sp_lab_metric_source_t source;
    sp_lab_unit_t unit;
    double over_ms; /* SP_LAB_FROM_HISTOGRAM */
    char title[2 * SP_LAB_METRIC_NAME_MAX];
    /* "kube-dns" + before + "8,012 requests/s" + after; "2.1 times" + less or more */
    const char *before, *after, *less, *more;
    bool logarithmic; /* its values lie apart by magnitudes */
} sp_lab_metric_t;

/* By the name that experiments use: "throughput_rps", "latency.p99_ms", "raw.dnsperf.qps", …
 * `over_ms` is for "slow_share". False for a name that is unknown. */
bool sp_lab_metric_find(const char *name, double over_ms, sp_lab_metric_t *ret_metric);

/* "Throughput, requests/s": the title with the unit, where the figures do not carry it. */
sp_lab_words_t sp_lab_metric_head(const sp_lab_metric_t *metric);

/* NAN where the run does not have it. */
double sp_lab_metric_of_run(const sp_lab_metric_t *metric, json_t *run);

/* Requests whose latency lies over `over_ms`, and all that have one; false where the run has no
 * histogram. Buckets count by their lower edge. */
bool sp_lab_slow_requests(json_t *run, double over_ms, double *ret_slow, double *ret_all);

#endif
