/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/metric.h"

#include <math.h>
#include <signpost/base/str.h>
#include <stdio.h>
#include <string.h>

typedef struct row {
    const char *name, *path;
    sp_lab_metric_source_t source;
    sp_lab_unit_t unit;
    bool logarithmic;
    const char *title, *before, *after, *less, *more;
} row_t;

#define LATENCY(name, field, title, before, after)                                                 \
    {                                                                                              \
        "latency." name, "load.latency." field, SP_LAB_FROM_FIELD, SP_LAB_US, true, title, before, \
            after, "shorter", "longer"                                                             \
    }

static const row_t rows[] = {
    {"throughput_rps", "load.throughput_rps", SP_LAB_FROM_FIELD, SP_LAB_REQUESTS_S, false,
     "Throughput", "answered", "", "fewer", "more"},
    LATENCY("mean_ms", "mean_us", "Mean latency", "took", "on average"),
    LATENCY("p50_ms", "p50_us", "Median latency (p50)", "gave half of its answers within", ""),
    LATENCY("p90_ms", "p90_us", "p90 latency", "gave 90 % of its answers within", ""),
    LATENCY("p95_ms", "p95_us", "p95 latency", "gave 95 % of its answers within", ""),
    LATENCY("p99_ms", "p99_us", "p99 latency", "gave 99 % of its answers within", ""),
    LATENCY("p99_9_ms", "p99_9_us", "p99.9 latency", "gave 99.9 % of its answers within", ""),
    LATENCY("p99_99_ms", "p99_99_us", "p99.99 latency", "gave 99.99 % of its answers within", ""),
    LATENCY("max_ms", "max_us", "Slowest answer", "gave its slowest answer after", ""),
    {"slow_share", "", SP_LAB_FROM_HISTOGRAM, SP_LAB_SHARE, false, "Slow requests", "made",
     "of the requests wait", "fewer", "more"},
    {"errors_share", "", SP_LAB_FROM_REQUESTS, SP_LAB_SHARE, false, "Failed requests", "failed",
     "of the requests", "fewer", "more"},
    {"dns.queries_per_request", "dns.queries_per_request", SP_LAB_FROM_FIELD, SP_LAB_QUERIES, false,
     "DNS queries for one request", "sent", "for one request", "fewer", "more"},
    {"dns.upstream_per_request", "dns.upstream_per_request", SP_LAB_FROM_FIELD, SP_LAB_QUERIES,
     false, "Queries that reach the authority, for one request", "let", "reach the authority",
     "fewer", "more"},
    {"steps.best_answered_qps", "", SP_LAB_FROM_STEPS_BEST, SP_LAB_QUERIES_S, false,
     "Largest rate that was answered", "answered at most", "", "fewer", "more"},
    {"steps.knee_qps", "", SP_LAB_FROM_STEPS_KNEE, SP_LAB_QUERIES_S, false,
     "Largest rate of which 99 % was answered", "kept up with", "", "fewer", "more"},
    {"cpu.app_us_per_request", "", SP_LAB_FROM_APP_CPU, SP_LAB_US, false,
     "CPU time of the application for one request", "took", "of CPU time for one request", "less",
     "more"},
};

/* Of tools, whose name stands between: raw.TOOL.qps. */
static const row_t raw_rows[] = {
    {"qps", "", SP_LAB_FROM_FIELD, SP_LAB_QUERIES_S, false, "DNS rate", "answered", "", "fewer",
     "more"},
    {"mbit_s", "", SP_LAB_FROM_FIELD, SP_LAB_MBIT_S, false, "Bandwidth", "carried", "", "less",
     "more"},
    {"avg_ms", "", SP_LAB_FROM_FIELD, SP_LAB_MS, true, "Mean DNS latency", "answered a query in",
     "on average", "shorter", "longer"},
    {"max_ms", "", SP_LAB_FROM_FIELD, SP_LAB_MS, true, "Slowest DNS answer",
     "gave its slowest DNS answer after", "", "shorter", "longer"},
    {"p99_ms", "", SP_LAB_FROM_FIELD, SP_LAB_MS, true, "p99 of DNS latency",
     "gave 99 % of its DNS answers within", "", "shorter", "longer"},
    {"lost", "", SP_LAB_FROM_FIELD, SP_LAB_PLAIN, false, "Lost queries", "lost", "queries", "fewer",
     "more"},
};

static const row_t *find_row(const row_t *table, size_t count, const char *name)
{
    for (size_t i = 0; i != count; ++i) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static void fill(sp_lab_metric_t *metric, const row_t *row, const char *name)
{
    *metric = (sp_lab_metric_t){.source = row->source,
                                .unit = row->unit,
                                .before = row->before,
                                .after = row->after,
                                .less = row->less,
                                .more = row->more,
                                .logarithmic = row->logarithmic};
    (void)snprintf(metric->name, sizeof(metric->name), "%s", name);
    (void)snprintf(metric->path, sizeof(metric->path), "%s", row->path);
    (void)snprintf(metric->title, sizeof(metric->title), "%s", row->title);
}

static bool find_raw(const char *name, sp_lab_metric_t *ret_metric)
{
    const char *field = strrchr(name, '.');
    const row_t *row = field == NULL ? NULL : find_row(raw_rows, SP_COUNT(raw_rows), field + 1);

    if (row == NULL || strncmp(name, "raw.", 4) != 0 || field == name + 3) {
        return false;
    }
    fill(ret_metric, row, name);
    (void)snprintf(ret_metric->path, sizeof(ret_metric->path), "%s", name);
    (void)snprintf(ret_metric->title, sizeof(ret_metric->title), "%s (%.*s)", row->title,
                   (int)(field - name) - 4, name + 4);
    return true;
}

bool sp_lab_metric_find(const char *name, double over_ms, sp_lab_metric_t *ret_metric)
{
    const row_t *row = find_row(rows, SP_COUNT(rows), name);

    if (strlen(name) >= SP_LAB_METRIC_NAME_MAX) {
        return false;
    }
    if (row == NULL) {
        return find_raw(name, ret_metric);
    }
    fill(ret_metric, row, name);
    if (row->source == SP_LAB_FROM_HISTOGRAM) {
        ret_metric->over_ms = isnan(over_ms) ? 4900 : over_ms;
        (void)snprintf(ret_metric->title, sizeof(ret_metric->title), "Requests over %s",
                       sp_lab_quantity(ret_metric->over_ms, SP_LAB_MS).text);
    }
    return true;
}

sp_lab_words_t sp_lab_metric_head(const sp_lab_metric_t *metric)
{
    const char *unit = sp_lab_unit_name(metric->unit);
    sp_lab_words_t head;

    (void)snprintf(head.text, sizeof(head.text), "%.50s%s%s", metric->title,
                   unit[0] == '\0' ? "" : ", ", unit);
    return head;
}

bool sp_lab_slow_requests(json_t *run, double over_ms, double *ret_slow, double *ret_all)
{
    json_t *buckets = sp_lab_field(run, "load.latency.histogram");
    double slow = 0, all = 0;

    for (size_t i = 0; i != json_array_size(buckets); ++i) {
        json_t *bucket = json_array_get(buckets, i);
        double count = sp_lab_value(json_array_get(bucket, 2), 0);

        all += count;
        slow += sp_lab_value(json_array_get(bucket, 0), 0) > over_ms * 1000 ? count : 0;
    }
    *ret_slow = slow;
    *ret_all = all;
    return all > 0;
}

/* Requests that came to nothing, as a share of those that were due. */
static double errors_share(json_t *run)
{
    double due = sp_lab_number(run, "load.requests.due");
    double ok = sp_lab_number(run, "load.requests.ok");

    return due > 0 ? (due - ok) / due : (double)NAN;
}

static double step_rate(json_t *run, bool knee)
{
    json_t *steps = sp_lab_field(run, "steps");
    double best = NAN;

    for (size_t i = 0; i != json_array_size(steps); ++i) {
        json_t *step = json_array_get(steps, i);
        double offered = sp_lab_number(step, "offered_qps");
        double answered = sp_lab_number(step, "answered_qps");
        double rate = knee ? offered : answered;

        if (!(knee && answered < 0.99 * offered) && !(rate <= best)) {
            best = rate;
        }
    }
    return best;
}

static double app_cpu_us(json_t *run)
{
    double cores = sp_lab_number(run, "cpu.roles.app");
    double seconds = sp_lab_number(run, "load.elapsed_s");
    double answered = sp_lab_number(run, "load.requests.answered");

    return answered > 0 ? cores * seconds * 1e6 / answered : (double)NAN;
}

double sp_lab_metric_of_run(const sp_lab_metric_t *metric, json_t *run)
{
    double slow = 0, all = 0;

    switch (metric->source) {
    case SP_LAB_FROM_FIELD:
        return sp_lab_number(run, metric->path);
    case SP_LAB_FROM_REQUESTS:
        return errors_share(run);
    case SP_LAB_FROM_HISTOGRAM:
        return sp_lab_slow_requests(run, metric->over_ms, &slow, &all) ? slow / all : (double)NAN;
    case SP_LAB_FROM_STEPS_BEST:
        return step_rate(run, false);
    case SP_LAB_FROM_STEPS_KNEE:
        return step_rate(run, true);
    case SP_LAB_FROM_APP_CPU:
        return app_cpu_us(run);
    }
    return (double)NAN;
}
