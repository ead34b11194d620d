/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/metric.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lab/report/setups.h"
#include "support/lab_result.h"

static double value(const char *name, json_t *run)
{
    sp_lab_metric_t metric;

    cr_assert(sp_lab_metric_find(name, NAN, &metric), "%s", name);
    return sp_lab_metric_of_run(&metric, run);
}

Test(report_metric, finds_its_value_in_the_run)
{
    json_t *run = json_pack("{s{sf,s{sf,sf},sf,s{si,si,si}},s{s{sf,sf}},s{sf},s{s{sf}}}", "load",
                            "throughput_rps", 8012.0, "latency", "p50_us", 300.0, "p99_9_us", 5e6,
                            "elapsed_s", 10.0, "requests", "due", 1000, "ok", 990, "answered", 995,
                            "raw", "dnsperf-dot", "qps", 29500.0, "avg_ms", 23.0, "dns",
                            "queries_per_request", 1.04, "cpu", "roles", "app", 0.5);

    cr_expect_eq(value("throughput_rps", run), 8012);
    cr_expect_eq(value("latency.p50_ms", run), 300);
    cr_expect_eq(value("latency.p99_9_ms", run), 5e6);
    cr_expect(isnan(value("latency.p99_ms", run)));
    cr_expect_eq(value("raw.dnsperf-dot.qps", run), 29500);
    cr_expect_eq(value("raw.dnsperf-dot.avg_ms", run), 23);
    cr_expect(isnan(value("raw.iperf3.mbit_s", run)));
    cr_expect_eq(value("dns.queries_per_request", run), 1.04);
    cr_expect_float_eq(value("errors_share", run), 0.01, 1e-12);
    cr_expect_float_eq(value("cpu.app_us_per_request", run), 0.5 * 10 * 1e6 / 995, 1e-6);
    cr_expect(isnan(value("slow_share", run)));
    cr_expect(isnan(value("steps.knee_qps", run)));
    json_decref(run);
}

Test(report_metric, reads_steps)
{
    json_t *run =
        json_pack("{s[{sf,sf},{sf,sf},{sf,sf},{sf,sf}]}", "steps", "offered_qps", 100.0,
                  "answered_qps", 100.0, "offered_qps", 200.0, "answered_qps", 198.0, "offered_qps",
                  300.0, "answered_qps", 250.0, "offered_qps", 400.0, "answered_qps", 240.0);

    cr_expect_eq(value("steps.best_answered_qps", run), 250);
    cr_expect_eq(value("steps.knee_qps", run), 200);
    json_decref(run);
}

Test(report_metric, counts_requests_over_a_limit)
{
    json_t *run = json_pack("{s{s{s[[iii],[iii],[iii]]}}}", "load", "latency", "histogram", 100,
                            110, 90, 4900000, 4950000, 4, 4900001, 5010000, 6);
    double slow = 0, all = 0;

    cr_assert(sp_lab_slow_requests(run, 4900, &slow, &all));
    cr_expect_eq(slow, 6);
    cr_expect_eq(all, 100);
    cr_expect_float_eq(value("slow_share", run), 0.06, 1e-12);
    json_decref(run);
}

Test(report_metric, knows_no_other_names)
{
    static const char *const names[] = {"",      "latency.p12_ms", "raw.qps", "raw.",
                                        "raw..", "raw.x.y",        "latency", "steps."};
    char longest[SP_LAB_METRIC_NAME_MAX + 8] = "raw.";
    sp_lab_metric_t metric;

    for (size_t i = 0; i != sizeof(names) / sizeof(names[0]); ++i) {
        cr_expect_not(sp_lab_metric_find(names[i], NAN, &metric), "%s", names[i]);
    }
    memset(longest + 4, 'x', SP_LAB_METRIC_NAME_MAX - 9);
    memcpy(longest + SP_LAB_METRIC_NAME_MAX - 5, ".qps", 5);
    cr_expect(sp_lab_metric_find(longest, NAN, &metric));
    cr_expect_str_eq(metric.path, longest);
    memset(longest + 4, 'x', SP_LAB_METRIC_NAME_MAX - 8);
    memcpy(longest + SP_LAB_METRIC_NAME_MAX - 4, ".qps", 5);
    cr_expect_not(sp_lab_metric_find(longest, NAN, &metric));
}

Test(report_metric, a_spread_is_median_and_ends)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    sp_lab_spread_t spread = sp_lab_spread(odd, 3);

    cr_expect_eq(spread.median, 2);
    cr_expect_eq(spread.min, 1);
    cr_expect_eq(spread.max, 3);
    cr_expect_eq(sp_lab_spread(even, 4).median, 2.5);
    cr_expect(isnan(sp_lab_spread(even, 0).median));
    cr_expect_eq(sp_lab_spread(even, 0).count, 0U);
}

Test(report_metric, a_label_is_cut_at_a_character)
{
    sp_lab_label_t label;
    char text[400];

    memset(text, 'x', sizeof(text));
    text[SP_LAB_LABEL_MAX - 1] = '\0';
    label = sp_lab_label("%s", text);
    cr_expect_str_eq(label.text, text);
    text[SP_LAB_LABEL_MAX - 1] = 'x';
    memcpy(text + SP_LAB_LABEL_MAX - 5, "\u20ac\u20ac", 7);
    label = sp_lab_label("%s", text);
    cr_expect_str_eq(label.text + SP_LAB_LABEL_MAX - 6, "x\u2026");
}

static size_t look_of(json_t *experiment, const char *name)
{
    return sp_lab_setup_look(experiment, sp_lab_setup_find(experiment, name));
}

Test(report_metric, a_server_looks_the_same_with_and_without_loss)
{
    static const char *const names[] = {"coredns", "nodelocal", "nodelocal-nocache", "coredns-loss",
                                        "nodelocal-nocache-loss"};
    json_t *setups = json_array(), *experiment = NULL;

    for (size_t i = 0; i != sizeof(names) / sizeof(names[0]); ++i) {
        json_t *setup = sp_sample_setup(names[i], names[i]);
        json_t *impairments = sp_lab_field(setup, "impairments");

        /* Calibrations differ: what counts is the text. */
        (void)json_array_append_new(impairments,
                                    json_pack("{ss,si}", "text", "delay", "calibration", (int)i));
        if (i >= 3) {
            (void)json_array_append_new(impairments, json_pack("{ss}", "text", "loss"));
        }
        (void)json_array_append_new(setups, setup);
    }
    experiment = sp_sample_experiment("E", setups, NULL, NULL, NULL);
    cr_expect_eq(look_of(experiment, "coredns"), 0U);
    cr_expect_eq(look_of(experiment, "nodelocal"), 1U);
    cr_expect_eq(look_of(experiment, "nodelocal-nocache"), 2U);
    cr_expect_eq(look_of(experiment, "coredns-loss"), 0U);
    cr_expect_eq(look_of(experiment, "nodelocal-nocache-loss"), 2U);
    cr_expect(sp_lab_is_everywhere(experiment, "delay"));
    cr_expect_not(sp_lab_is_everywhere(experiment, "loss"));
    json_decref(experiment);
}
