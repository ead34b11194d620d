/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/report/findings.h"
#include "lab/report/verdict.h"

#define TEXT_MAX ((size_t)8 * SP_LAB_LABEL_MAX)

/* Beyond this a lost second try shows as well: two tries of 5 s, less the rounding of buckets. */
#define BOTH_TRIES_MS 9900
#define FIRST_TRY_MS 4900

typedef struct judged {
    char text[TEXT_MAX];
    double expected, measured, sigma, distance;
    int holds;       /* -1: nothing was measured */
    bool unmeasured; /* that is why */
} judged_t;

static const judged_t unjudged = {
    .expected = NAN, .measured = NAN, .sigma = NAN, .distance = NAN, .holds = -1};

static bool append(json_t *assertion, const char *setup, const judged_t *judged, json_t *verdicts)
{
    const char *claim = sp_lab_text(assertion, "claim", NULL);
    json_t *verdict = json_pack(
        "{ss,ss,ss,ss,so,so,so,so,so,sb,so}", "kind", "assertion", "assertion",
        sp_lab_text(assertion, "kind", ""), "setup", setup, "text", judged->text, "claim",
        claim == NULL ? json_null() : json_string(claim), "expected",
        sp_lab_json_number(judged->expected), "measured", sp_lab_json_number(judged->measured),
        "sigma", sp_lab_json_number(judged->sigma), "distance",
        sp_lab_json_number(judged->distance), "unmeasured", judged->unmeasured ? 1 : 0, "holds",
        judged->holds < 0 ? json_null() : json_boolean(judged->holds != 0));

    return verdict != NULL && json_array_append_new(verdicts, verdict) == 0;
}

static bool wants_both_tries(json_t *assertion)
{
    return strcmp(sp_lab_text(assertion, "kind", ""), "both_tries_lost") == 0 ||
           strcmp(sp_lab_text(assertion, "theory", ""), "both_tries_lost") == 0;
}

/* The share that theory gives, and why, as the beginning of a sentence. A packet must arrive in
 * both directions. */
static double expected_share(json_t *assertion, sp_lab_label_t *ret_why)
{
    double percent = sp_lab_number(assertion, "loss_percent"), p = percent / 100;
    double lost = 1 - (1 - p) * (1 - p);

    if (isnan(percent)) {
        double expected = sp_lab_number(assertion, "expected");

        *ret_why = sp_lab_label("Theory gives %s", sp_lab_quantity(expected, SP_LAB_SHARE).text);
        return expected;
    }
    if (wants_both_tries(assertion)) {
        *ret_why = sp_lab_label("With %s %% loss in each direction both of two tries are lost with "
                                "(1 \u2212 (1 \u2212 %g)\u00b2)\u00b2 = %s",
                                sp_lab_number_words(percent).text, p,
                                sp_lab_quantity(lost * lost, SP_LAB_SHARE).text);
        return lost * lost;
    }
    *ret_why = sp_lab_label("With %s %% loss in each direction a first try is lost with "
                            "1 \u2212 (1 \u2212 %g)\u00b2 = %s",
                            sp_lab_number_words(percent).text, p,
                            sp_lab_quantity(lost, SP_LAB_SHARE).text);
    return lost;
}

/* Slow requests and all of them (or all lookups), over the repetitions. */
static void pool(json_t *experiment, json_t *assertion, const char *setup, double over_ms,
                 double ret_slow_all[2])
{
    bool per_lookup = strcmp(sp_lab_text(assertion, "per", ""), "lookups") == 0;
    size_t at = 0;
    json_t *run = NULL;

    ret_slow_all[0] = ret_slow_all[1] = 0;
    while ((run = sp_lab_next_run(experiment, setup, false, &at)) != NULL) {
        double lookups = sp_lab_number(run, "dns.lookups");
        double slow = 0, all = 0;

        if (sp_lab_slow_requests(run, over_ms, &slow, &all)) {
            ret_slow_all[0] += slow;
            ret_slow_all[1] += per_lookup && lookups > 0 ? lookups : all;
        }
    }
}

static void judge_share(json_t *experiment, json_t *assertion, json_t *setup, judged_t *judged)
{
    double over_ms = sp_lab_number(assertion, "over_ms"), pooled[2];
    const char *what =
        strcmp(sp_lab_text(assertion, "per", ""), "lookups") == 0 ? "lookups" : "requests";
    sp_lab_label_t why, label = sp_lab_setup_label(setup);

    judged->expected = expected_share(assertion, &why);
    if (isnan(over_ms)) {
        over_ms = wants_both_tries(assertion) ? BOTH_TRIES_MS : FIRST_TRY_MS;
    }
    pool(experiment, assertion, sp_lab_setup_name(setup), over_ms, pooled);
    judged->measured = pooled[0] / pooled[1];
    judged->sigma = sqrt(judged->expected * (1 - judged->expected) / pooled[1]);
    judged->distance = (judged->measured - judged->expected) / judged->sigma;
    if (pooled[1] <= 0 || isnan(judged->distance)) {
        judged->unmeasured = true;
        (void)snprintf(judged->text, sizeof(judged->text), "%s. %s: nothing was measured.",
                       why.text, label.text);
        return;
    }
    judged->holds = fabs(judged->distance) <= SP_LAB_SIGMAS ? 1 : 0;
    (void)snprintf(judged->text, sizeof(judged->text),
                   "%s. %s: %s of %s %s (%s) waited longer than %s, %.1f standard deviations "
                   "(of %s each) %s.",
                   why.text, label.text, sp_lab_number_words(pooled[0]).text,
                   sp_lab_number_words(pooled[1]).text, what,
                   sp_lab_quantity(judged->measured, SP_LAB_SHARE).text,
                   sp_lab_quantity(over_ms, SP_LAB_MS).text, fabs(judged->distance),
                   sp_lab_quantity(judged->sigma, SP_LAB_SHARE).text,
                   judged->distance < 0 ? "below" : "above");
}

/* Values in experiments are in the unit that the metric's name ends in; ours may be in µs. */
static double in_own_unit(const sp_lab_metric_t *metric, double value)
{
    size_t len = strlen(metric->name);
    bool ms = len > 3 && strcmp(metric->name + len - 3, "_ms") == 0;

    return ms && metric->unit == SP_LAB_US ? value * 1000 : value;
}

static bool find_metric(json_t *assertion, sp_lab_metric_t *ret_metric)
{
    return sp_lab_metric_find(sp_lab_text(assertion, "metric", ""),
                              sp_lab_number(assertion, "over_ms"), ret_metric);
}

static void judge_bound(json_t *experiment, json_t *assertion, json_t *setup, judged_t *judged)
{
    bool at_least = strcmp(sp_lab_text(assertion, "kind", ""), "at_least") == 0;
    sp_lab_label_t label = sp_lab_setup_label(setup);
    sp_lab_metric_t metric;
    sp_lab_spread_t spread;

    if (!find_metric(assertion, &metric)) {
        (void)snprintf(judged->text, sizeof(judged->text), "%s: the metric is unknown.",
                       label.text);
        return;
    }
    judged->expected = in_own_unit(&metric, sp_lab_number(assertion, "value"));
    spread = sp_lab_spread_of(experiment, sp_lab_setup_name(setup), &metric);
    judged->measured = spread.median;
    if (spread.count == 0) {
        judged->unmeasured = true;
        (void)snprintf(judged->text, sizeof(judged->text), "%s: %s was not measured.", label.text,
                       metric.title);
        return;
    }
    if (!isnan(judged->expected)) {
        judged->holds =
            (at_least ? spread.median >= judged->expected : spread.median <= judged->expected) ? 1
                                                                                               : 0;
    }
    (void)snprintf(judged->text, sizeof(judged->text), "%s: %s must be %s %s; it is %s.",
                   label.text, metric.title, at_least ? "at least" : "at most",
                   sp_lab_quantity(judged->expected, metric.unit).text,
                   sp_lab_spread_words(spread, metric.unit).text);
}

static void judge_ratio(json_t *experiment, json_t *assertion, json_t *of, judged_t *judged)
{
    bool at_least = strcmp(sp_lab_text(assertion, "kind", ""), "ratio_at_least") == 0;
    json_t *to = sp_lab_meant(experiment, sp_lab_text(assertion, "to", ""), sp_lab_setup_load(of));
    sp_lab_metric_t metric;
    sp_lab_spread_t spreads[2];

    if (to == NULL || !find_metric(assertion, &metric)) {
        (void)snprintf(judged->text, sizeof(judged->text), "%s: there is nothing to compare with.",
                       sp_lab_setup_label(of).text);
        return;
    }
    spreads[0] = sp_lab_spread_of(experiment, sp_lab_setup_name(of), &metric);
    spreads[1] = sp_lab_spread_of(experiment, sp_lab_setup_name(to), &metric);
    judged->expected = sp_lab_number(assertion, "value");
    if (spreads[0].count == 0 || spreads[1].count == 0) {
        judged->unmeasured = true;
        (void)snprintf(judged->text, sizeof(judged->text), "%s of %s against %s was not measured.",
                       metric.title, sp_lab_setup_label(of).text, sp_lab_setup_label(to).text);
        return;
    }
    judged->measured = spreads[0].median / spreads[1].median;
    if (!isnan(judged->measured) && !isnan(judged->expected)) {
        judged->holds =
            (at_least ? judged->measured >= judged->expected : judged->measured <= judged->expected)
                ? 1
                : 0;
    }
    (void)snprintf(judged->text, sizeof(judged->text),
                   "%s of %s must be %s %s times that of %s; it is %s times (%s against %s).",
                   metric.title, sp_lab_setup_label(of).text, at_least ? "at least" : "at most",
                   sp_lab_number_words(judged->expected).text, sp_lab_setup_label(to).text,
                   sp_lab_number_words(judged->measured).text,
                   sp_lab_spread_words(spreads[0], metric.unit).text,
                   sp_lab_spread_words(spreads[1], metric.unit).text);
}

typedef void judge_fn(json_t *experiment, json_t *assertion, json_t *setup, judged_t *judged);

static judge_fn *judge_for(const char *kind)
{
    static const struct {
        const char *kind;
        judge_fn *judge;
    } judges[] = {
        {"slow_share", judge_share},     {"both_tries_lost", judge_share},
        {"at_least", judge_bound},       {"at_most", judge_bound},
        {"ratio_at_least", judge_ratio}, {"ratio_at_most", judge_ratio},
    };

    for (size_t i = 0; i != sizeof(judges) / sizeof(judges[0]); ++i) {
        if (strcmp(judges[i].kind, kind) == 0) {
            return judges[i].judge;
        }
    }
    return NULL;
}

bool sp_lab_judge_assertion(json_t *experiment, json_t *assertion, json_t *verdicts)
{
    const char *kind = sp_lab_text(assertion, "kind", "");
    const char *name = sp_lab_text(assertion, "setup", sp_lab_text(assertion, "of", ""));
    judge_fn *judge = judge_for(kind);
    size_t at = 0, found = 0;
    json_t *setup = NULL;
    judged_t judged;

    while (judge != NULL &&
           (setup = sp_lab_next_meant(experiment, name, sp_lab_text(assertion, "load", ""), &at)) !=
               NULL) {
        sp_lab_label_t prefix = sp_lab_load_prefix(experiment, setup);
        size_t len = strlen(prefix.text);

        judged = unjudged;
        judge(experiment, assertion, setup, &judged);
        judged.unmeasured = judged.unmeasured && sp_lab_setup_why_not(setup) == NULL;
        memmove(judged.text + len, judged.text, sizeof(judged.text) - len);
        memcpy(judged.text, prefix.text, len);
        judged.text[sizeof(judged.text) - 1] = '\0';
        ++found;
        if (!append(assertion, sp_lab_setup_name(setup), &judged, verdicts)) {
            return false;
        }
    }
    if (found != 0 || (judge != NULL && sp_lab_may_be_absent(experiment))) {
        return true;
    }
    judged = unjudged;
    (void)snprintf(judged.text, sizeof(judged.text), "%s: %s.", sp_lab_label("%s", name).text,
                   judge == NULL ? "the assertion is of no known kind" : "not part of this run");
    return append(assertion, name, &judged, verdicts);
}
