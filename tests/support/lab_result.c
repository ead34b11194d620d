/* SPDX-License-Identifier: Apache-2.0 */
#include "support/lab_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 32 /* buckets for each doubling */
#define STALL_US 5e6
#define SECONDS 12

/* Lower edge of the bucket that holds `us`. */
static double edge_below(double us)
{
    double power = pow(2, floor(log2(us)));

    return power * (1 + floor((us / power - 1) * PARTS) / PARTS);
}

static double edge_above(double from)
{
    return from + pow(2, floor(log2(from))) / PARTS;
}

/* Inverse of the logistic function: near enough to that of the normal distribution. */
static double deviation(double q)
{
    return log(q / (1 - q)) * 0.5513;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

static void make_samples(sp_sample_latency_t about, double *samples)
{
    double n = (double)about.requests;
    size_t twice = (size_t)(about.stalled * about.stalled * n + 0.5);
    size_t once = (size_t)(about.stalled * n + 0.5);

    for (size_t i = 0; i != about.requests; ++i) {
        /* 7919 is prime: stalls are spread over all durations. */
        size_t mixed = i * 7919 % about.requests;

        samples[i] = about.median_us * exp(about.sigma * deviation(((double)i + 0.5) / n));
        samples[i] += mixed < twice ? 2 * STALL_US : mixed < once ? STALL_US : 0;
    }
    qsort(samples, about.requests, sizeof(*samples), by_size);
}

static json_t *make_histogram(const double *samples, size_t count)
{
    json_t *buckets = json_array();

    for (size_t i = 0; i != count;) {
        double from = edge_below(samples[i]), to = edge_above(from);
        size_t in = 0;

        while (i != count && samples[i] < to) {
            ++i;
            ++in;
        }
        (void)json_array_append_new(buckets, json_pack("[f,f,I]", from, to, (json_int_t)in));
    }
    return buckets;
}

static double percentile(const double *samples, size_t count, double q)
{
    size_t rank = (size_t)ceil(q * (double)count - 1e-6);
    double value = edge_below(samples[rank == 0 ? 0 : rank - 1]);

    return value < samples[0] ? samples[0] : value;
}

static double mean(const double *samples, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i != count; ++i) {
        sum += samples[i];
    }
    return sum / (double)count;
}

json_t *sp_sample_latency(sp_sample_latency_t about)
{
    size_t n = about.requests;
    double *samples = malloc((n + 1) * sizeof(*samples));
    json_t *latency = NULL;

    if (samples == NULL || n == 0) {
        abort();
    }
    make_samples(about, samples);
    latency =
        json_pack("{sI,sf,sf,sf,sf,sf,sf,sf,sf,sf,so}", "count", (json_int_t)n, "min_us",
                  samples[0], "mean_us", mean(samples, n), "p50_us", percentile(samples, n, 0.5),
                  "p90_us", percentile(samples, n, 0.9), "p95_us", percentile(samples, n, 0.95),
                  "p99_us", percentile(samples, n, 0.99), "p99_9_us", percentile(samples, n, 0.999),
                  "p99_99_us", percentile(samples, n, 0.9999), "max_us", samples[n - 1],
                  "histogram", make_histogram(samples, n));
    free(samples);
    return latency;
}

static json_t *make_series(double rps, sp_sample_latency_t about)
{
    json_t *series = json_array();

    for (int i = 0; i != SECONDS; ++i) {
        double wobble = 1 + 0.12 * sin(i * 1.7 + about.median_us);

        (void)json_array_append_new(
            series,
            json_pack("{si,sf,sf,si,sf,sf,sf}", "second", i, "due", rps, "ok", rps * wobble,
                      "errors", about.stalled > 0 ? i % 4 : 0, "p50_us", about.median_us * wobble,
                      "p99_us", (about.stalled > 0.01 ? STALL_US : about.median_us * 8) * wobble,
                      "max_us", about.median_us * 40));
    }
    return series;
}

static json_t *make_plan(double rate)
{
    return rate > 0 ? json_pack("{ss,ss,sf,si}", "loop", "open", "arrivals", "poisson", "rate",
                                rate, "connections", 4000)
                    : json_pack("{ss,sn,sn,si}", "loop", "closed", "arrivals", "rate",
                                "connections", 256);
}

json_t *sp_sample_run(const char *setup, int repetition, double throughput_rps, double rate,
                      sp_sample_latency_t latency)
{
    json_int_t due = (json_int_t)latency.requests;
    json_int_t failed = (json_int_t)(latency.stalled * latency.stalled * (double)due + 0.5);
    json_t *load =
        json_pack("{so,sf,s{sI,sI,sI},sf,so,so}", "plan", make_plan(rate), "elapsed_s",
                  (double)SECONDS, "requests", "due", due, "answered", due, "ok", due - failed,
                  "throughput_rps", throughput_rps, "latency", sp_sample_latency(latency), "series",
                  make_series(throughput_rps, latency));

    return json_pack("{ss,si,si,sn,so,s{s{sf},sf,sf},s{sf},s{si},s{si,si},s{si}}", "setup", setup,
                     "repetition", repetition, "order", repetition, "discarded", "load", load,
                     "cpu", "roles", "app", 0.4, "foreign_cores", 0.03 * repetition, "steal_cores",
                     0.01, "dns", "queries_per_request", 1.0 + latency.stalled, "tcp",
                     "retransmitted_segments", 3 * repetition, "conntrack", "drop", 0,
                     "insert_failed", 0, "dropped_by_rules", "wire udp",
                     (int)(latency.stalled * (double)due));
}

json_t *sp_sample_setup(const char *name, const char *title)
{
    return json_pack("{ss,ss,ss,sb,sn,s[],s[]}", "name", name, "title", title, "says",
                     "One sentence about what this set-up is.", "possible", 1, "load_name", "roles",
                     "impairments");
}

static json_t *or_empty(json_t *array)
{
    return array == NULL ? json_array() : array;
}

json_t *sp_sample_experiment(const char *id, json_t *setups, json_t *runs, json_t *comparisons,
                             json_t *assertions)
{
    return json_pack("{ss,ss,ss,sb,si,si,so,so,so,so}", "id", id, "title", "A made-up experiment",
                     "question", "What comes out?", "quick", 0, "names", 10000, "ttl_s", 300,
                     "comparisons", or_empty(comparisons), "assertions", or_empty(assertions),
                     "setups", or_empty(setups), "runs", or_empty(runs));
}
