/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/findings.h"

#include <criterion/criterion.h>
#include <string.h>

#include "lab/report/field.h"
#include "support/lab_result.h"

/* Two set-ups whose repetitions answered so many requests a second; a rate of 0 is none. */
static json_t *two(const double a[3], const double b[3], const char *expect)
{
    static const sp_sample_latency_t latency = {300, 0.5, 0, 100};
    json_t *runs = json_array();

    for (int i = 0; i != 3; ++i) {
        if (a[i] > 0) {
            (void)json_array_append_new(runs, sp_sample_run("a", i + 1, a[i], 0, latency));
        }
        if (b[i] > 0) {
            (void)json_array_append_new(runs, sp_sample_run("b", i + 1, b[i], 0, latency));
        }
    }
    return sp_sample_experiment(
        "E", json_pack("[o,o]", sp_sample_setup("a", "kube-dns"), sp_sample_setup("b", "CoreDNS")),
        runs,
        json_pack("[{ss,ss,ss,ss,ss}]", "metric", "throughput_rps", "of", "a", "to", "b", "expect",
                  expect, "claim", "a serves fewer than b"),
        NULL);
}

/* What the first verdict on the experiment says; the caller gives up both. */
static json_t *first_verdict(json_t *experiment, json_t **ret_verdicts)
{
    *ret_verdicts = sp_lab_verdicts(experiment);
    cr_assert_not_null(*ret_verdicts);
    cr_assert_geq(json_array_size(*ret_verdicts), 1U);
    return json_array_get(*ret_verdicts, 0);
}

static void expect_text(json_t *experiment, const char *text)
{
    json_t *verdicts = NULL, *verdict = first_verdict(experiment, &verdicts);

    cr_expect_str_eq(sp_lab_text(verdict, "text", ""), text, "%s",
                     sp_lab_text(verdict, "text", ""));
    json_decref(verdicts);
    json_decref(experiment);
}

/* 1: agrees, 0: disagrees, -1: open. */
static void expect_judgement(json_t *experiment, const char *field, int expected)
{
    json_t *verdicts = NULL, *verdict = first_verdict(experiment, &verdicts);
    json_t *judgement = sp_lab_field(verdict, field);

    cr_assert_not_null(judgement);
    cr_expect_eq(json_is_true(judgement)    ? 1
                 : json_is_false(judgement) ? 0
                                            : -1,
                 expected, "%s", sp_lab_text(verdict, "text", ""));
    json_decref(verdicts);
    json_decref(experiment);
}

static const double slow[3] = {8012, 6600, 8040}, fast[3] = {17010, 12500, 17050};

Test(report_findings, a_difference_says_how_large_and_how_sure_it_is)
{
    expect_text(two(slow, fast, "less"),
                "kube-dns answered 8,012 requests/s [6,600 \u2026 8,040]; CoreDNS answered 17,010 "
                "requests/s [12,500 \u2026 17,050]: fewer by a factor of 2.12, beyond the spread "
                "(even of the nearest repetitions, one has 1.55 times the other).");
}

Test(report_findings, a_difference_agrees_or_disagrees)
{
    expect_judgement(two(slow, fast, "less"), "agrees", 1);
    expect_judgement(two(slow, fast, "more"), "agrees", 0);
    expect_judgement(two(fast, slow, "more"), "agrees", 1);
    expect_judgement(two(fast, slow, "less"), "agrees", 0);
    expect_judgement(two(slow, fast, "same"), "agrees", 0);
    expect_judgement(two(slow, fast, "whatever"), "agrees", -1);
}

Test(report_findings, ranges_that_overlap_are_no_difference)
{
    static const double near[3] = {8100, 8040, 9000}, beyond[3] = {8100, 8041, 9000};

    expect_judgement(two(slow, near, "less"), "agrees", -1);
    expect_judgement(two(slow, near, "same"), "agrees", 1);
    expect_judgement(two(slow, beyond, "less"), "agrees", 1);
    expect_text(two(slow, near, "less"),
                "kube-dns answered 8,012 requests/s [6,600 \u2026 8,040]; CoreDNS answered 8,100 "
                "requests/s [8,040 \u2026 9,000]: the ranges overlap, so there is no difference "
                "beyond the spread.");
}

Test(report_findings, the_same_bears_what_does_not_matter)
{
    static const double one[3] = {1000, 1000, 1000}, close[3] = {1099, 1099, 1099},
                        off[3] = {1112, 1112, 1112};

    expect_judgement(two(one, close, "same"), "agrees", 1);
    expect_judgement(two(one, off, "same"), "agrees", 0);
    expect_text(two(one, close, "same"),
                "kube-dns answered 1,000 requests/s [each time]; CoreDNS answered 1,099 requests/s "
                "[each time]: 9.01 % fewer, beyond the spread (even the nearest repetitions lie "
                "9.90 % apart).");
}

Test(report_findings, one_repetition_tells_no_spread)
{
    static const double once[3] = {8012, 0, 0};

    expect_judgement(two(once, fast, "less"), "agrees", -1);
    expect_text(two(once, fast, "less"),
                "kube-dns answered 8,012 requests/s; CoreDNS answered 17,010 requests/s [12,500 "
                "\u2026 17,050]: fewer by a factor of 2.12, but without repetitions nothing is "
                "known of the spread.");
}

Test(report_findings, says_what_was_not_measured_and_why)
{
    static const double never[3] = {0, 0, 0};
    json_t *experiment = two(never, fast, "less");

    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "setups"), 0), "possible",
                              json_string("dnsmasq is not installed"));
    expect_judgement(json_deep_copy(experiment), "unmeasured", 0);
    expect_text(experiment, "kube-dns against CoreDNS: kube-dns was not measured: dnsmasq is not "
                            "installed.");
    expect_judgement(two(never, fast, "less"), "agrees", -1);
}

/* With a bound and a ratio besides the comparison: what "a" has in all three. */
static json_t *with_assertions(json_t *experiment)
{
    (void)json_object_set_new(experiment, "assertions",
                              json_pack("[{ss,ss,ss,sf}, {ss,ss,ss,ss,sf}]", "kind", "at_least",
                                        "setup", "a", "metric", "throughput_rps", "value", 1.0,
                                        "kind", "ratio_at_least", "of", "b", "to", "a", "metric",
                                        "throughput_rps", "value", 1.0));
    return experiment;
}

static void expect_unmeasured(json_t *experiment, bool expected)
{
    json_t *verdicts = sp_lab_verdicts(experiment);

    cr_assert_eq(json_array_size(verdicts), 3);
    for (size_t i = 0; i != 3; ++i) {
        json_t *verdict = json_array_get(verdicts, i);
        const char *text = sp_lab_text(verdict, "text", "");

        cr_expect_eq(sp_lab_flag(verdict, "unmeasured"), expected, "%s", text);
        cr_expect_eq(strstr(text, "was not measured.") != NULL, expected, "%s", text);
    }
    json_decref(verdicts);
    json_decref(experiment);
}

/* As after an interruption. */
Test(report_findings, marks_what_there_is_nothing_to_go_by)
{
    static const double never[3] = {0, 0, 0};

    expect_unmeasured(with_assertions(two(never, fast, "less")), true);
    expect_unmeasured(with_assertions(two(slow, fast, "less")), false);
}

Test(report_findings, discarded_runs_do_not_count)
{
    json_t *experiment = two(slow, fast, "less");

    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "runs"), 0), "discarded",
                              json_string("others used 0.4 processors"));
    expect_text(experiment,
                "kube-dns answered 7,320 requests/s [6,600 \u2026 8,040]; CoreDNS answered 17,010 "
                "requests/s [12,500 \u2026 17,050]: fewer by a factor of 2.32, beyond the spread "
                "(even of the nearest repetitions, one has 1.55 times the other).");
}

Test(report_findings, a_stand_in_is_named)
{
    json_t *experiment = two(slow, fast, "less");
    json_t *roles = sp_lab_field(json_array_get(sp_lab_field(experiment, "setups"), 1), "roles");
    json_t *verdicts = NULL, *verdict = NULL;

    for (int i = 0; i != 2; ++i) {
        (void)json_array_append_new(
            roles, json_pack("{ss,ss}", "title", "Unbound", "stand_in_for", "CoreDNS"));
    }
    verdict = first_verdict(experiment, &verdicts);
    cr_expect_not_null(strstr(sp_lab_text(verdict, "text", ""),
                              "; CoreDNS [Unbound in place of CoreDNS] answered"));
    json_decref(verdicts);
    json_decref(experiment);
}

Test(report_findings, an_unknown_metric_is_said)
{
    json_t *experiment = two(slow, fast, "less");

    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "comparisons"), 0), "metric",
                              json_string("latency.p12_ms"));
    expect_text(experiment, "a against b, latency.p12_ms: the metric is unknown.");
}

Test(report_findings, names_of_set_ups_hold_for_every_load)
{
    json_t *result = sp_sample_result(1);
    json_t *e1 = json_array_get(sp_lab_field(result, "experiments"), 0);
    json_t *verdicts = sp_lab_verdicts(e1);

    /* The first is asked of the closed loop, the second of none: it holds for both. The third is
     * about throughput, which only the closed loop tells. */
    cr_assert_eq(json_array_size(verdicts), 4U + 8U);
    cr_expect_str_eq(sp_lab_text(json_array_get(verdicts, 0), "of", ""), "kube-dns/closed");
    cr_expect_str_eq(sp_lab_text(json_array_get(verdicts, 1), "of", ""), "coredns-loss/open");
    cr_expect_str_eq(sp_lab_text(json_array_get(verdicts, 2), "to", ""), "nodelocal-loss/closed");
    cr_expect_str_eq(sp_lab_text(json_array_get(verdicts, 3), "to", ""), "coredns/closed");
    cr_expect_eq(strncmp(sp_lab_text(json_array_get(verdicts, 1), "text", ""),
                         "Open loop, 2,000 requests/s: CoreDNS with loss", 46),
                 0);
    json_decref(verdicts);
    json_decref(result);
}

Test(report_findings, quick_runs_may_leave_set_ups_out)
{
    json_t *experiment = two(slow, fast, "less"), *verdicts = NULL;

    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "comparisons"), 0), "of",
                              json_string("c"));
    verdicts = sp_lab_verdicts(experiment);
    cr_expect_eq(json_array_size(verdicts), 1U);
    json_decref(verdicts);
    (void)json_object_set_new(experiment, "quick", json_true());
    verdicts = sp_lab_verdicts(experiment);
    cr_expect_eq(json_array_size(verdicts), 0U);
    json_decref(verdicts);
    json_decref(experiment);
}

static json_t *correlated(const double x[4], const char *expect)
{
    static const sp_sample_latency_t latency = {300, 0.5, 0, 100};
    json_t *setups = json_array(), *runs = json_array();
    char name[2] = "a";

    for (int i = 0; i != 4; ++i, ++name[0]) {
        json_t *run = sp_sample_run(name, 1, 1000.0 * (i + 1), 0, latency);

        (void)json_array_append_new(setups, sp_sample_setup(name, name));
        (void)json_object_set_new(run, "raw", json_pack("{s{sf}}", "iperf3", "mbit_s", x[i]));
        (void)json_array_append_new(runs, run);
    }
    return sp_sample_experiment("E", setups, runs,
                                json_pack("[{ss,ss,ss,ss}]", "metric", "throughput_rps", "with",
                                          "raw.iperf3.mbit_s", "expect", expect, "claim", "c"),
                                NULL);
}

Test(report_findings, figures_that_go_together)
{
    static const double up[4] = {10, 20, 30, 40}, down[4] = {40, 30, 20, 10},
                        loose[4] = {10, 40, 20, 30}, none[4] = {20, 40, 10, 30},
                        still[4] = {5, 5, 5, 5}, nearly[4] = {10, 30, 20, 50},
                        surely[4] = {10, 20, 30, 50}; /* r = 0.83, 0.98; from 0.95 on */

    expect_judgement(correlated(up, "positive"), "agrees", 1);
    expect_judgement(correlated(down, "positive"), "agrees", 0);
    expect_judgement(correlated(down, "negative"), "agrees", 1);
    expect_judgement(correlated(loose, "positive"), "agrees", -1);
    expect_judgement(correlated(none, "none"), "agrees", 1);
    expect_judgement(correlated(up, "none"), "agrees", 0);
    expect_judgement(correlated(still, "positive"), "agrees", -1);
    expect_judgement(correlated(nearly, "positive"), "agrees", -1);
    expect_judgement(correlated(surely, "positive"), "agrees", 1);
    expect_text(correlated(up, "positive"),
                "Throughput against Bandwidth (iperf3) over 4 set-ups: Pearson's r is 1.00 (1: in "
                "step, 0: unrelated, \u22121: opposed); what has more of the one has more of the "
                "other.");
}

/* `slow` of `all` requests waited 5 s. */
static json_t *stalled(int slow_count, int all, json_t *assertion)
{
    json_t *run = json_pack("{ss,si,sb,s{s{s[[iii],[iii]]}}}", "setup", "a", "repetition", 1,
                            "discarded", 0, "load", "latency", "histogram", 300, 310,
                            all - slow_count, 5000000, 5010000, slow_count);

    return sp_sample_experiment("E", json_pack("[o]", sp_sample_setup("a", "UDP")),
                                json_pack("[o]", run), NULL, json_pack("[o]", assertion));
}

static json_t *first_try(void)
{
    return json_pack("{ss,ss,si,ss,si}", "kind", "slow_share", "setup", "a", "over_ms", 4900,
                     "theory", "first_try_lost", "loss_percent", 2);
}

Test(report_findings, theory_holds_within_three_deviations)
{
    /* 24,000 × 0.0396 = 950.4; a deviation is 30.2: three of them are 90.6. */
    expect_judgement(stalled(950, 24000, first_try()), "holds", 1);
    expect_judgement(stalled(1041, 24000, first_try()), "holds", 1);
    expect_judgement(stalled(1042, 24000, first_try()), "holds", 0);
    expect_judgement(stalled(860, 24000, first_try()), "holds", 1);
    expect_judgement(stalled(859, 24000, first_try()), "holds", 0);
    expect_text(
        stalled(980, 24000, first_try()),
        "With 2 % loss in each direction a first try is lost with 1 \u2212 (1 \u2212 "
        "0.02)\u00b2 = 3.96 %. UDP: 980 of 24,000 requests (4.08 %) waited longer than 4.90 "
        "s, 1.0 standard deviations (of 0.13 % each) above.");
}

Test(report_findings, theory_of_both_tries_and_of_a_given_share)
{
    /* 0.0396² × 100,000 = 156.8 ± 3 × 12.5. */
    json_t *both = json_pack("{ss,ss,si,si}", "kind", "both_tries_lost", "setup", "a",
                             "loss_percent", 2, "over_ms", 4900);

    expect_judgement(stalled(194, 100000, json_incref(both)), "holds", 1);
    expect_judgement(stalled(195, 100000, both), "holds", 0);
    expect_judgement(
        stalled(10, 1000,
                json_pack("{ss,ss,sf}", "kind", "slow_share", "setup", "a", "expected", 0.01)),
        "holds", 1);
    expect_judgement(
        stalled(20, 1000,
                json_pack("{ss,ss,sf}", "kind", "slow_share", "setup", "a", "expected", 0.01)),
        "holds", 0);
}

Test(report_findings, theory_is_about_lookups_where_it_says_so)
{
    json_t *assertion = first_try(), *experiment = NULL;

    (void)json_object_set_new(assertion, "per", json_string("lookups"));
    experiment = stalled(950, 27000, assertion);
    expect_judgement(json_incref(experiment), "holds", 0);
    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "runs"), 0), "dns",
                              json_pack("{si}", "lookups", 24000));
    expect_judgement(experiment, "holds", 1);
}

static json_t *bound(const char *kind, double value)
{
    return json_pack("{ss,ss,ss,sf}", "kind", kind, "setup", "a", "metric", "slow_share", "value",
                     value);
}

Test(report_findings, bounds_hold_when_they_are_met_exactly)
{
    expect_judgement(stalled(10, 1000, bound("at_least", 0.01)), "holds", 1);
    expect_judgement(stalled(10, 1000, bound("at_least", 0.0101)), "holds", 0);
    expect_judgement(stalled(10, 1000, bound("at_most", 0.01)), "holds", 1);
    expect_judgement(stalled(10, 1000, bound("at_most", 0.0099)), "holds", 0);
    expect_text(stalled(10, 1000, bound("at_most", 0)),
                "UDP: Requests over 4.90 s must be at most 0 %; it is 1 %.");
}

Test(report_findings, times_of_bounds_are_in_milliseconds)
{
    json_t *experiment = two(slow, fast, "less");

    (void)json_object_set_new(experiment, "comparisons", json_array());
    (void)json_object_set_new(experiment, "assertions",
                              json_pack("[{ss,ss,ss,sf}]", "kind", "at_least", "setup", "a",
                                        "metric", "latency.p50_ms", "value", 0.2));
    expect_judgement(experiment, "holds", 1);
}

Test(report_findings, ratios_of_two_set_ups)
{
    static const struct {
        const char *kind;
        double value;
        int holds;
    } cases[] = {{"ratio_at_least", 2.1, 1},
                 {"ratio_at_least", 2.2, 0},
                 {"ratio_at_most", 2.2, 1},
                 {"ratio_at_most", 2.1, 0}};

    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        json_t *experiment = two(slow, fast, "less");

        (void)json_object_set_new(experiment, "comparisons", json_array());
        (void)json_object_set_new(experiment, "assertions",
                                  json_pack("[{ss,ss,ss,ss,sf}]", "kind", cases[i].kind, "metric",
                                            "throughput_rps", "of", "b", "to", "a", "value",
                                            cases[i].value));
        expect_judgement(experiment, "holds", cases[i].holds);
    }
}

Test(report_findings, what_can_not_be_judged_is_left_open)
{
    expect_judgement(stalled(0, 0, first_try()), "holds", -1);
    expect_judgement(stalled(1, 10, json_pack("{ss,ss}", "kind", "slow_share", "setup", "b")),
                     "holds", -1);
    expect_text(stalled(1, 10, json_pack("{ss,ss}", "kind", "sorcery", "setup", "a")),
                "a: the assertion is of no known kind.");
    expect_judgement(
        stalled(1, 10,
                json_pack("{ss,ss,ss}", "kind", "at_least", "setup", "a", "metric", "slow_share")),
        "holds", -1);
}

Test(report_findings, long_names_are_cut_at_a_character)
{
    char name[2000];
    json_t *experiment = two(slow, fast, "less"), *verdicts = NULL;

    for (size_t i = 0; i + 2 < sizeof(name); i += 2) {
        memcpy(name + i, "\u00e4", 3);
    }
    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "setups"), 0), "title",
                              json_string(name));
    (void)json_object_set_new(json_array_get(sp_lab_field(experiment, "setups"), 1), "possible",
                              json_string(name));
    verdicts = sp_lab_verdicts(experiment);
    cr_expect_not_null(verdicts);
    json_decref(verdicts);
    json_decref(experiment);
}
