/* SPDX-License-Identifier: Apache-2.0 */

/* The beginning of the page: what was run on which machine, what is in it, and how to read it. */

#include <math.h>
#include <string.h>

#include "lab/report/findings.h"
#include "lab/report/page.h"

static void put_fact(sp_buf_t *out, const char *name, const char *value)
{
    if (value[0] != '\0') {
        sp_lab_put_element(out, "dt", "", name);
        sp_lab_put_element(out, "dd", "", value);
    }
}

/* "2026-11-30T15:30:00Z" → "2026-11-30 15:30 UTC". */
static sp_lab_label_t time_words(const char *started)
{
    size_t len = strlen(started);

    if (len < 20 || started[10] != 'T' || started[len - 1] != 'Z') {
        return sp_lab_label("%s", started);
    }
    return sp_lab_label("%.10s %.5s UTC", started, started + 11);
}

static void put_machine(sp_buf_t *out, json_t *root)
{
    json_t *machine = sp_lab_field(root, "machine");
    double cores = sp_lab_number(machine, "cores");
    double memory = sp_lab_number(machine, "memory_bytes");
    double elapsed = sp_lab_number(root, "elapsed_s");

    sp_lab_put(out, "<dl class=\"facts\">\n");
    put_fact(out, "Measured", time_words(sp_lab_text(root, "started", "")).text);
    if (!isnan(elapsed)) {
        put_fact(
            out, "Took",
            sp_lab_label("%.0f min %02.0f s", floor(elapsed / 60), fmod(floor(elapsed), 60)).text);
    }
    put_fact(out, "signpost", sp_lab_text(root, "version", ""));
    put_fact(out, "Processor",
             sp_lab_label("%s, %s cores", sp_lab_text(machine, "cpu", "unknown"),
                          sp_lab_number_words(cores).text)
                 .text);
    if (!isnan(memory)) {
        put_fact(out, "Memory", sp_lab_quantity(memory, SP_LAB_OCTETS).text);
    }
    put_fact(out, "System", sp_lab_text(machine, "os", ""));
    put_fact(out, "Kernel", sp_lab_text(machine, "kernel", ""));
    put_fact(out, "Virtualisation", sp_lab_text(machine, "virtualisation", ""));
    put_fact(out, "TCP congestion control", sp_lab_text(machine, "congestion_control", ""));
    put_fact(out, "Offload", sp_lab_text(machine, "offload", ""));
    put_fact(out, "Control groups", sp_lab_text(machine, "cgroups", ""));
    sp_lab_put(out, "</dl>\n");
    if (sp_lab_flag(root, "interrupted")) {
        sp_lab_put_element(out, "p", "dim",
                           "The run was interrupted: what follows is what it had measured until "
                           "then.");
    }
}

typedef struct tally {
    size_t agree, disagree, undecided, hold, fail;
} tally_t;

static void count(json_t *verdict, tally_t *tally)
{
    json_t *agrees = sp_lab_field(verdict, "agrees"), *holds = sp_lab_field(verdict, "holds");

    if (strcmp(sp_lab_text(verdict, "kind", ""), "assertion") == 0) {
        tally->hold += json_is_true(holds) ? 1 : 0;
        tally->fail += json_is_false(holds) ? 1 : 0;
    } else if (sp_lab_text(verdict, "claim", "")[0] != '\0') {
        tally->agree += json_is_true(agrees) ? 1 : 0;
        tally->disagree += json_is_false(agrees) ? 1 : 0;
        tally->undecided += json_is_null(agrees) ? 1 : 0;
    }
}

/* "5 agree, 1 disagree." */
static void put_counts(sp_buf_t *out, const size_t counts[3], const char *const words[3])
{
    const char *comma = "";

    for (size_t i = 0; i != 3; ++i) {
        if (counts[i] != 0) {
            sp_buf_printf(out, "%s%zu %s", comma, counts[i], words[i]);
            comma = ", ";
        }
    }
    sp_lab_put(out, ".");
}

static void put_tally(sp_buf_t *out, json_t *experiment)
{
    json_t *verdicts = sp_lab_verdicts(experiment);
    tally_t tally = {.agree = 0};
    size_t claims = 0;

    for (size_t i = 0; i != json_array_size(verdicts); ++i) {
        count(json_array_get(verdicts, i), &tally);
    }
    json_decref(verdicts);
    claims = tally.agree + tally.disagree + tally.undecided;
    sp_lab_put(out, "<small>");
    if (claims != 0) {
        sp_lab_put(out, "Published claims: ");
        put_counts(out, (const size_t[]){tally.agree, tally.disagree, tally.undecided},
                   (const char *const[]){"agree", "disagree", "undecided"});
    }
    if (tally.hold + tally.fail != 0) {
        sp_lab_put(out, claims == 0 ? "Theory and bounds: " : " Theory and bounds: ");
        put_counts(out, (const size_t[]){tally.hold, tally.fail, 0},
                   (const char *const[]){"hold", "do not hold", ""});
    }
    sp_lab_put(out, "</small>");
}

static bool is_known(const sp_lab_report_result_t *results, size_t before, const char *id)
{
    for (size_t i = 0; i != before; ++i) {
        json_t *experiments = sp_lab_field(results[i].root, "experiments");

        for (size_t j = 0; j != json_array_size(experiments); ++j) {
            if (strcmp(sp_lab_text(json_array_get(experiments, j), "id", ""), id) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void put_contents(sp_buf_t *out, const sp_lab_report_result_t *results, size_t result_count)
{
    sp_lab_put(out, "<nav class=\"box\" aria-label=\"Experiments\"><h2>Experiments</h2>"
                    "<ul class=\"contents\">\n");
    for (size_t i = 0; i != result_count; ++i) {
        json_t *experiments = sp_lab_field(results[i].root, "experiments");

        for (size_t j = 0; j != json_array_size(experiments); ++j) {
            json_t *experiment = json_array_get(experiments, j);

            if (is_known(results, i, sp_lab_text(experiment, "id", ""))) {
                continue;
            }
            sp_buf_printf(out, "<li><a href=\"#%s\"><span class=\"id\">",
                          sp_lab_anchor(experiment).text);
            sp_lab_put_text(out, sp_lab_text(experiment, "id", ""));
            sp_lab_put(out, "</span>");
            sp_lab_put_text(out, sp_lab_text(experiment, "title", ""));
            sp_lab_put(out, "</a>");
            put_tally(out, experiment);
            sp_lab_put(out, "</li>\n");
        }
    }
    sp_lab_put(out, "</ul></nav>\n");
}

static void put_how_to_read(sp_buf_t *out)
{
    sp_lab_put(
        out,
        "<details class=\"box fold\"><summary>How to read this page</summary>\n"
        "<p>A small cluster network was built on one machine out of network namespaces. In it runs "
        "a web application whose every answer depends on a DNS lookup; a load generator asks it, "
        "over different ways to set up DNS.</p>\n"
        "<p><strong>p99</strong> is the time within which 99 % of the requests were answered: one "
        "in a hundred took longer. Time counts from the moment at which a request was due, so that "
        "a stall shows in every request that it holds up.</p>\n"
        "<p>In an <strong>open loop</strong> requests become due at a rate of their own, as "
        "visitors do; its latency is what visitors feel. In a <strong>closed loop</strong> each "
        "connection asks anew once it has its answer; its rate is what the set-up can serve.</p>\n"
        "<p>Every set-up was measured several times. <strong>8,012 [6,600 \u2026 8,040]</strong> "
        "means: the median repetition gave 8,012, the lowest 6,600, the highest 8,040. A "
        "difference "
        "is called one only where these ranges do not overlap. A claim that two are the same holds "
        "up "
        "to 10 %.</p>\n"
        "<p>Where a server could not be had here, another one stands in for it, and is named "
        "wherever its figures are.</p>\n</details>\n");
}

void sp_lab_page_head(sp_buf_t *out, const sp_lab_report_result_t *results, size_t count_of_results)
{
    sp_lab_put(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; img-src data:\">\n"
                    "<link rel=\"icon\" href=\"data:,\">\n"
                    "<title>signpost lab: what DNS did to the application</title>\n<style>\n");
    sp_lab_put_style(out);
    sp_lab_put(out, "</style>\n</head>\n<body>\n<header>\n<p class=\"brand\">signpost lab</p>\n"
                    "<h1>What DNS did to the application</h1>\n");
    put_contents(out, results, count_of_results);
    put_how_to_read(out);
    for (size_t i = 0; i != count_of_results; ++i) {
        sp_lab_put(out, "<div class=\"box\">");
        if (count_of_results > 1) {
            sp_lab_put_element(
                out, "h2", "",
                sp_lab_label("Result %c: %s", (char)('A' + i), results[i].label).text);
        } else {
            sp_lab_put_element(out, "h2", "", "The machine");
        }
        put_machine(out, results[i].root);
        sp_lab_put(out, "</div>\n");
    }
    sp_lab_put(out, "</header>\n<main>\n");
}
