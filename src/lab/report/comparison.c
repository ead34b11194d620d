/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/report/correlation.h"
#include "lab/report/findings.h"
#include "lab/report/verdict.h"

/* Ratios up to here are said in percent. */
#define PERCENT_UP_TO 1.5

typedef enum judgement { AGREES, DISAGREES, OPEN } judgement_t;

static json_t *judgement_json(judgement_t judgement)
{
    return judgement == OPEN ? json_null() : json_boolean(judgement == AGREES);
}

/* By which factor the nearest repetitions differ; NAN where the ranges overlap, infinite where the
 * lower range ends at 0. */
static double apart(sp_lab_spread_t a, sp_lab_spread_t b)
{
    double low = a.max < b.min ? a.max : b.max;
    double high = a.max < b.min ? b.min : a.min;

    if (a.count == 0 || b.count == 0 || !(a.max < b.min || b.max < a.min)) {
        return NAN;
    }
    return low <= 0 ? (double)INFINITY : high / low;
}

static judgement_t judge(const char *expect, sp_lab_spread_t of, sp_lab_spread_t to)
{
    bool differ = !isnan(apart(of, to));
    bool less = of.median < to.median;

    if (of.count < 2 || to.count < 2) {
        return OPEN;
    }
    if (strcmp(expect, "same") == 0) {
        return differ && fabs(of.median / to.median - 1) >= SP_LAB_SAME ? DISAGREES : AGREES;
    }
    if (!differ || (strcmp(expect, "less") != 0 && strcmp(expect, "more") != 0)) {
        return OPEN;
    }
    return less == (strcmp(expect, "less") == 0) ? AGREES : DISAGREES;
}

/* "fewer by a factor of 2.1", "12 % fewer", "as many". */
static sp_lab_label_t ratio_words(const sp_lab_metric_t *metric, double of, double to)
{
    bool less = of < to;
    const char *word = less ? metric->less : metric->more;
    double ratio = less ? to / of : of / to;

    if (of == to) {
        return sp_lab_label("no difference");
    }
    if (!isfinite(ratio) || ratio < 0) {
        return sp_lab_label("%s", word);
    }
    if (ratio < PERCENT_UP_TO) {
        return sp_lab_label("%s %s", sp_lab_quantity(fabs(of / to - 1), SP_LAB_SHARE).text, word);
    }
    return sp_lab_label("%s by a factor of %s", word, sp_lab_number_words(ratio).text);
}

static sp_lab_label_t outcome_words(const sp_lab_metric_t *metric, sp_lab_spread_t of,
                                    sp_lab_spread_t to)
{
    double gap = apart(of, to);
    sp_lab_label_t ratio = ratio_words(metric, of.median, to.median);

    if (of.count < 2 || to.count < 2) {
        return sp_lab_label("%s, but without repetitions nothing is known of the spread",
                            ratio.text);
    }
    if (isnan(gap)) {
        return sp_lab_label("the ranges overlap, so there is no difference beyond the spread");
    }
    if (!isfinite(gap)) {
        return sp_lab_label("%s, beyond the spread", ratio.text);
    }
    if (gap < PERCENT_UP_TO) {
        return sp_lab_label("%s, beyond the spread (even the nearest repetitions lie %s apart)",
                            ratio.text, sp_lab_quantity(gap - 1, SP_LAB_SHARE).text);
    }
    return sp_lab_label("%s, beyond the spread (even of the nearest repetitions, one has %s times "
                        "the other)",
                        ratio.text, sp_lab_number_words(gap).text);
}

/* "made 3.98 % [3.9 … 4.1] of the requests wait longer than 4.9 s". */
static sp_lab_label_t said(const sp_lab_metric_t *metric, sp_lab_spread_t spread)
{
    sp_lab_label_t value = sp_lab_spread_words(spread, metric->unit);
    const char *blank = metric->after[0] == '\0' ? "" : " ";

    if (metric->source == SP_LAB_FROM_HISTOGRAM) {
        return sp_lab_label("%s %s %s longer than %s", metric->before, value.text, metric->after,
                            sp_lab_quantity(metric->over_ms, SP_LAB_MS).text);
    }
    return sp_lab_label("%s %s%s%s", metric->before, value.text, blank, metric->after);
}

static json_t *spread_json(sp_lab_spread_t spread)
{
    return json_pack("{so,so,so,sI}", "median", sp_lab_json_number(spread.median), "min",
                     sp_lab_json_number(spread.min), "max", sp_lab_json_number(spread.max), "runs",
                     (json_int_t)spread.count);
}

static json_t *values_json(sp_lab_spread_t of, sp_lab_spread_t to)
{
    return json_pack("{so,so,so,so}", "of", spread_json(of), "to", spread_json(to), "ratio",
                     sp_lab_json_number(of.median / to.median), "apart",
                     sp_lab_json_number(apart(of, to)));
}

static bool append_text(json_t *verdicts, const char *text, json_t *verdict)
{
    return verdict != NULL && json_object_set_new(verdict, "text", json_string(text)) == 0 &&
           json_array_append_new(verdicts, verdict) == 0;
}

/* An empty slice of a claim is null. */
static json_t *claim_json(json_t *subject)
{
    const char *claim = sp_lab_text(subject, "claim", NULL);

    return claim == NULL ? json_null() : json_string(claim);
}

static bool append_pair(json_t *experiment, json_t *comparison, const sp_lab_metric_t *metric,
                        json_t *setups[2], json_t *verdicts)
{
    const char *names[2] = {sp_lab_setup_name(setups[0]), sp_lab_setup_name(setups[1])};
    sp_lab_spread_t of = sp_lab_spread_of(experiment, names[0], metric);
    sp_lab_spread_t to = sp_lab_spread_of(experiment, names[1], metric);
    sp_lab_label_t prefix = sp_lab_load_prefix(experiment, setups[0]);
    sp_lab_label_t labels[2] = {sp_lab_setup_label(setups[0]), sp_lab_setup_label(setups[1])};
    const char *why = sp_lab_setup_why_not(setups[of.count == 0 ? 0 : 1]);
    bool is_measured = of.count != 0 && to.count != 0;
    char text[8 * SP_LAB_LABEL_MAX];

    if (!is_measured) {
        (void)snprintf(text, sizeof(text), "%s%s against %s: %s was not measured%s%s.", prefix.text,
                       labels[0].text, labels[1].text, labels[of.count == 0 ? 0 : 1].text,
                       why == NULL ? "" : ": ", sp_lab_label("%s", why == NULL ? "" : why).text);
    } else {
        (void)snprintf(text, sizeof(text), "%s%s %s; %s %s: %s.", prefix.text, labels[0].text,
                       said(metric, of).text, labels[1].text, said(metric, to).text,
                       outcome_words(metric, of, to).text);
    }
    return append_text(
        verdicts, text,
        json_pack("{ss,so,so,sb,ss,ss,ss,so}", "kind", "finding", "claim", claim_json(comparison),
                  "agrees", judgement_json(judge(sp_lab_text(comparison, "expect", ""), of, to)),
                  "unmeasured", !is_measured && why == NULL ? 1 : 0, "metric", metric->name, "of",
                  names[0], "to", names[1], "values", values_json(of, to)));
}

static bool append_unmeasured(json_t *subject, const char *why, json_t *verdicts)
{
    char text[4 * SP_LAB_LABEL_MAX];

    (void)snprintf(text, sizeof(text), "%s against %s, %s: %s.",
                   sp_lab_label("%s", sp_lab_text(subject, "of", "?")).text,
                   sp_lab_label("%s", sp_lab_text(subject, "to", "?")).text,
                   sp_lab_label("%s", sp_lab_text(subject, "metric", "?")).text, why);
    return append_text(verdicts, text,
                       json_pack("{ss,so,so}", "kind", "finding", "claim", claim_json(subject),
                                 "agrees", json_null()));
}

static judgement_t judge_correlation(const char *expect, const sp_lab_correlation_t *found)
{
    bool opposed = strcmp(expect, "negative") == 0;

    if (strcmp(expect, "none") == 0 && fabs(found->r) < SP_LAB_UNTIED) {
        return AGREES;
    }
    if (!found->certain) {
        return OPEN;
    }
    return strcmp(expect, "none") != 0 && (found->r < 0) == opposed ? AGREES : DISAGREES;
}

static const char *correlation_words(const sp_lab_correlation_t *found)
{
    if (isnan(found->r)) {
        return "too few set-ups to tell";
    }
    if (found->certain) {
        return found->r > 0 ? "what has more of the one has more of the other"
                            : "what has more of the one has less of the other";
    }
    return fabs(found->r) < SP_LAB_UNTIED ? "the one says nothing about the other"
                                          : "with so few set-ups that may be chance";
}

static bool append_correlation(json_t *experiment, json_t *comparison,
                               const sp_lab_metric_t *metric, json_t *verdicts)
{
    const char *with = sp_lab_text(comparison, "with", "");
    sp_lab_metric_t other;
    sp_lab_correlation_t correlation;
    char text[4 * SP_LAB_LABEL_MAX];

    if (!sp_lab_metric_find(with, NAN, &other)) {
        return append_unmeasured(comparison, "the metric is unknown", verdicts);
    }
    sp_lab_correlate(experiment, sp_lab_field(comparison, "setups"), &other, metric, &correlation);
    (void)snprintf(text, sizeof(text),
                   "%s against %s over %zu set-ups: Pearson's r is %s (1: in step, 0: unrelated, "
                   "\u22121: opposed); %s.",
                   metric->title, other.title, correlation.count,
                   isnan(correlation.r) ? "unknown" : sp_lab_label("%.2f", correlation.r).text,
                   correlation_words(&correlation));
    return append_text(
        verdicts, text,
        json_pack(
            "{ss,so,so,ss,ss,so,sI}", "kind", "correlation", "claim", claim_json(comparison),
            "agrees",
            judgement_json(judge_correlation(sp_lab_text(comparison, "expect", ""), &correlation)),
            "metric", metric->name, "with", other.name, "r", sp_lab_json_number(correlation.r),
            "setups", (json_int_t)correlation.count));
}

static bool has_closed_loop(json_t *experiment)
{
    for (size_t i = 0; i != sp_lab_setup_count(experiment); ++i) {
        if (sp_lab_setup_is_closed_loop(experiment, sp_lab_setup_at(experiment, i))) {
            return true;
        }
    }
    return false;
}

/* In an open loop every set-up that keeps up serves what is offered. Where a closed one was run as
 * well, that is where throughput is compared. */
static bool is_pointless(json_t *experiment, json_t *setup, const sp_lab_metric_t *metric,
                         const char *load)
{
    return load[0] == '\0' && strcmp(metric->name, "throughput_rps") == 0 &&
           !sp_lab_setup_is_closed_loop(experiment, setup) && has_closed_loop(experiment);
}

bool sp_lab_judge_comparison(json_t *experiment, json_t *comparison, json_t *verdicts)
{
    sp_lab_metric_t metric;
    const char *load = sp_lab_text(comparison, "load", "");
    json_t *setups[2] = {NULL, NULL};
    size_t at = 0, found = 0;

    if (!sp_lab_metric_find(sp_lab_text(comparison, "metric", ""),
                            sp_lab_number(comparison, "over_ms"), &metric)) {
        return append_unmeasured(comparison, "the metric is unknown", verdicts);
    }
    if (sp_lab_field(comparison, "with") != NULL) {
        return append_correlation(experiment, comparison, &metric, verdicts);
    }
    while ((setups[0] = sp_lab_next_meant(experiment, sp_lab_text(comparison, "of", ""), load,
                                          &at)) != NULL) {
        setups[1] = sp_lab_meant(experiment, sp_lab_text(comparison, "to", ""),
                                 sp_lab_setup_load(setups[0]));
        if (setups[1] == NULL || is_pointless(experiment, setups[0], &metric, load)) {
            continue;
        }
        ++found;
        if (!append_pair(experiment, comparison, &metric, setups, verdicts)) {
            return false;
        }
    }
    return found != 0 || sp_lab_may_be_absent(experiment) ||
           append_unmeasured(comparison, "not part of this run", verdicts);
}
