/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/report.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/report/field.h"
#include "lab/report/result_file.h"
#include "support/lab_result.h"

/* The page as a text, which the caller frees. */
static char *page_of(json_t *const *roots, size_t count)
{
    sp_lab_report_result_t results[SP_LAB_VIEWS_MAX];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    for (size_t i = 0; i != count; ++i) {
        results[i] =
            (sp_lab_report_result_t){.label = i == 0 ? "one.json" : "two.json", .root = roots[i]};
    }
    cr_assert_eq(sp_lab_report_write(results, count, out), SP_OK);
    cr_assert_eq(fclose(out), 0);
    return text;
}

static char *page_of_one(json_t *root)
{
    char *text = page_of(&root, 1);

    json_decref(root);
    return text;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;

    for (; (text = strstr(text, what)) != NULL; text += strlen(what)) {
        ++count;
    }
    return count;
}

Test(report_page, is_one_file_without_references)
{
    char *page = page_of_one(sp_sample_result(1));

    cr_expect_eq(strncmp(page, "<!doctype html>", 15), 0);
    cr_expect_eq(occurrences(page, "<script"), 1U);
    cr_expect_eq(occurrences(page, "<script type=\"application/json\""), 1U);
    cr_expect_eq(occurrences(page, "src="), 0U);
    cr_expect_eq(occurrences(page, "url("), 0U);
    cr_expect_eq(occurrences(page, "@import"), 0U);
    cr_expect_eq(occurrences(page, "http:"), 0U);
    cr_expect_eq(occurrences(page, "https:"), 0U);
    cr_expect_eq(occurrences(page, "href="), occurrences(page, "href=\"#") + 1);
    cr_expect_eq(occurrences(page, "</html>"), 1U);
    free(page);
}

static void set_quick(json_t *root, bool quick)
{
    (void)json_object_set_new(json_array_get(sp_lab_field(root, "experiments"), 0), "quick",
                              json_boolean(quick));
}

Test(report_page, says_of_each_result_whether_it_was_quick)
{
    json_t *roots[2] = {sp_sample_result(1), sp_sample_result(1)};
    static const char *const words[] = {
        "Result A is of a full run. Result B is of a full run",
        "Result A is of a full run. Result B is of a quick run: fewer",
        "and shorter than the full one. Result B is of a full run.", "These were quick runs:"};

    for (size_t i = 0; i != sizeof(words) / sizeof(words[0]); ++i) {
        char *page = NULL;

        set_quick(roots[0], i >= 2);
        set_quick(roots[1], i % 2 == 1);
        page = page_of(roots, 2);
        cr_expect_eq(occurrences(page, words[i]), i == 0 ? 0U : 1U, "%s", words[i]);
        cr_expect_eq(occurrences(page, "This was a quick run"), 0U);
        free(page);
    }
    json_decref(roots[0]);
    json_decref(roots[1]);
}

Test(report_page, counts_what_was_not_measured_instead_of_listing_it)
{
    json_t *root = sp_sample_result(1);
    json_t *experiment = json_array_get(sp_lab_field(root, "experiments"), 0);
    char *page = NULL;

    (void)json_array_clear(sp_lab_field(experiment, "runs"));
    page = page_of_one(root);
    cr_expect_geq(occurrences(page, "findings can't be judged: what they compare was not measured"),
                  1U);
    cr_expect_eq(occurrences(page, "CoreDNS was not measured."), 0U);
    free(page);
}

Test(report_page, is_the_same_each_time)
{
    char *one = page_of_one(sp_sample_result(1)), *other = page_of_one(sp_sample_result(1));

    cr_expect_str_eq(one, other);
    free(one);
    free(other);
}

Test(report_page, tells_each_experiment_in_order)
{
    static const char *const parts[] = {"<section class=\"experiment\" id=\"E1\">",
                                        "the KubeCon talk",
                                        "<h3>What came out</h3>",
                                        "Agrees with the publication",
                                        "Undecided",
                                        "<h3>In charts</h3>",
                                        "How long requests took",
                                        "Second by second",
                                        "<h3>In figures</h3>",
                                        "dnsdist is not installed",
                                        "<h3>Held against theory</h3>",
                                        "Holds",
                                        "<h3>How it was measured</h3>",
                                        "10,000 names",
                                        "standing in for CoreDNS",
                                        "# &lt;no markup&gt; &amp; &#34;quotes&#34;",
                                        "4.00 % there and back, 3.96 % expected",
                                        "does not count: other programs took 0.43 cores meanwhile",
                                        "<section class=\"experiment\" id=\"E2\">",
                                        "Latency over: Loss in each direction (%)",
                                        "<section class=\"experiment\" id=\"E5\">",
                                        "Offered against answered",
                                        "everything is answered",
                                        "<section class=\"experiment\" id=\"E7\">",
                                        "Throughput against Bandwidth (iperf3) (r = 0.8",
                                        "id=\"result-1\""};
    char *page = page_of_one(sp_sample_result(1)), *at = page;

    for (size_t i = 0; i != sizeof(parts) / sizeof(parts[0]); ++i) {
        char *found = strstr(at, parts[i]);

        cr_assert_not_null(found, "not found, or not in order: %s", parts[i]);
        at = found;
    }
    free(page);
}

Test(report_page, a_stand_in_is_named_wherever_its_figures_are)
{
    char *page = page_of_one(sp_sample_result(1)), *json = strstr(page, "<script");

    cr_assert_not_null(json);
    *json = '\0';
    for (const char *at = page; (at = strstr(at, ">CoreDNS")) != NULL; ++at) {
        size_t len = strcspn(at + 1, "<");
        char *cell = strndup(at + 1, len);

        /* Labels may be broken into lines. */
        cr_expect_not_null(strpbrk(cell, "[]"), "%s", cell);
        free(cell);
    }
    free(page);
}

/* A result with markup, and characters that may be in no document, in every text of it. */
static void poison(json_t *value)
{
    static const char markup[] = "</script><img src=x onerror=alert(1)>\"'&</title></style>]]>"
                                 "\x01\x1b\r\x7f\xef\xbf\xbf";
    const char *key = NULL;
    json_t *inner = NULL;

    if (json_is_array(value)) {
        for (size_t i = 0; i != json_array_size(value); ++i) {
            poison(json_array_get(value, i));
        }
        return;
    }
    json_object_foreach(value, key, inner)
    {
        static const char *const kept[] = {"kind",   "setup",     "name",   "metric",
                                           "of",     "to",        "base",   "with",
                                           "expect", "load_name", "theory", "loop"};
        bool keep = false;

        for (size_t i = 0; i != sizeof(kept) / sizeof(kept[0]); ++i) {
            keep = keep || strcmp(key, kept[i]) == 0;
        }
        if (json_is_string(inner) && !keep) {
            (void)json_string_set(inner, markup);
        } else {
            poison(inner);
        }
    }
}

static bool has_control_characters(const char *text)
{
    for (; *text != '\0'; ++text) {
        if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f) {
            return true;
        }
    }
    return false;
}

Test(report_page, escapes_whatever_comes_from_outside)
{
    json_t *root = sp_sample_result(1);
    char *page = NULL;

    poison(root);
    (void)json_object_set_new(
        sp_lab_field(json_array_get(sp_lab_field(root, "experiments"), 0), "published"), "in",
        json_string("<b>"));
    page = page_of_one(root);
    cr_expect_eq(occurrences(page, "<img"), 0U);
    cr_expect_eq(occurrences(page, "<b>"), 0U);
    cr_expect_eq(occurrences(page, "</script>"), 1U);
    cr_expect_eq(occurrences(page, "</style>"), 1U);
    cr_expect_geq(occurrences(page, "&lt;img src=x onerror=alert(1)&gt;&#34;&#39;&amp;"), 10U);
    cr_expect_geq(occurrences(page, "\\u003cimg"), 10U);
    cr_expect_geq(occurrences(page, "]]&gt;\xef\xbf\xbd\xef\xbf\xbd"), 10U);
    *strstr(page, "<script") = '\0';
    cr_expect_not(has_control_characters(page));
    cr_expect_eq(occurrences(page, "\xef\xbf\xbf"), 0U);
    free(page);
}

Test(report_page, holds_the_raw_result)
{
    json_t *root = sp_sample_result(1), *embedded = NULL;
    char *page = NULL, *from = NULL;
    sp_error_t err;

    (void)json_object_set_new(root, "elapsed_s", json_integer(221));
    (void)json_object_set_new(root, "comment", json_string("a < b </script>"));
    page = page_of(&root, 1);
    from = strstr(page, "id=\"result-1\">") + strlen("id=\"result-1\">");
    *strstr(from, "</script>") = '\0';
    cr_assert_eq(sp_lab_result_read_text(sp_str_from(from), "embedded", &embedded, &err), SP_OK,
                 "%s", err.message);
    cr_expect_str_eq(sp_lab_text(embedded, "comment", ""), "a < b </script>");
    cr_expect_eq(json_array_size(sp_lab_field(embedded, "experiments")),
                 json_array_size(sp_lab_field(root, "experiments")));
    free(page);
    json_decref(root);
    json_decref(embedded);
}

Test(report_page, puts_results_side_by_side)
{
    json_t *roots[2] = {sp_sample_result(1), sp_sample_result(1.3)};
    char *page = page_of(roots, 2);

    cr_expect_not_null(strstr(page, "Result A: one.json"));
    cr_expect_not_null(strstr(page, "Result B: two.json"));
    cr_expect_eq(occurrences(page, "<section class=\"experiment\""), 4U);
    cr_expect_not_null(strstr(page, "<h3>From result to result</h3>"));
    cr_expect_not_null(strstr(page, ">30 % more<"));
    cr_expect_not_null(strstr(page, ">within the spread<"));
    cr_expect_not_null(strstr(page, "A: kube-dns"));
    cr_expect_not_null(strstr(page, "B: kube-dns"));
    cr_expect_not_null(strstr(page, "id=\"result-2\""));
    free(page);
    json_decref(roots[0]);
    json_decref(roots[1]);
}

Test(report_page, results_need_not_hold_the_same)
{
    json_t *roots[2] = {sp_sample_result(1), sp_sample_result(1)};
    json_t *experiments = sp_lab_field(roots[0], "experiments");
    json_t *setups =
        sp_lab_field(json_array_get(sp_lab_field(roots[1], "experiments"), 0), "setups");
    char *page = NULL;

    cr_assert_eq(json_array_remove(experiments, 1), 0);
    (void)json_object_set_new(json_array_get(setups, 0), "title", json_string("Renamed"));
    page = page_of(roots, 2);
    cr_expect_eq(occurrences(page, "<section class=\"experiment\""), 4U);
    cr_expect_not_null(strstr(page, "B: Renamed"));
    free(page);
    json_decref(roots[0]);
    json_decref(roots[1]);
}

Test(report_page, the_same_impairment_in_two_places_is_told_once)
{
    json_t *root = sp_sample_result(1);
    json_t *setups = sp_lab_field(json_array_get(sp_lab_field(root, "experiments"), 0), "setups");
    json_t *setup = NULL;
    size_t i = 0;
    char *page = NULL;

    json_array_foreach(setups, i, setup)
    {
        json_t *impairments = sp_lab_field(setup, "impairments");

        if (json_array_size(impairments) != 0) {
            (void)json_array_append_new(
                impairments, json_pack("{ss}", "text",
                                       "2 % of the UDP packets are lost in each direction "
                                       "between node and upstream"));
            (void)json_array_append_new(impairments, json_pack("{ss}", "text", "rain between us"));
        }
    }
    page = page_of_one(root);
    cr_expect_not_null(strstr(page, "2 % of the UDP packets are lost in each direction between "
                                    "node and cluster and between node and upstream"));
    cr_expect_not_null(strstr(page, " \u00b7 rain between us"));
    free(page);
}

Test(report_page, bears_results_that_lack_things)
{
    json_t *root = json_pack(
        "{ss,si,s[{ss},{ss,s[{ss}],s[{ss},{ss,s{s[]}}]},{ss,s[{ss,ss}],s[{ss}],s[{}],s[{}]}]}",
        "kind", "signpost-lab", "format", 1, "experiments", "id", "E1", "id", "<E2>", "setups",
        "name", "a", "runs", "setup", "a", "setup", "a", "load", "series", "id", "E3", "setups",
        "name", "b", "possible", "no root", "runs", "setup", "b", "comparisons", "assertions");
    sp_error_t err;
    char *page = NULL;

    cr_assert_eq(sp_lab_result_check(root, "r", &err), SP_OK, "%s", err.message);
    page = page_of_one(root);
    cr_expect_eq(occurrences(page, "<section class=\"experiment\""), 3U);
    cr_expect_not_null(strstr(page, "id=\"-E2-\""));
    cr_expect_eq(occurrences(page, "nan"), 0U);
    cr_expect_eq(occurrences(page, "inf"), 0U);
    free(page);
}

Test(report_page, no_curve_has_more_than_200_points)
{
    char *page = page_of_one(sp_sample_result(1));
    size_t curves = 0;

    for (const char *at = page; (at = strstr(at, "<path class=\"l ")) != NULL; ++at) {
        const char *d = strstr(at, " d=\"") + 4;
        size_t points = 0;

        for (; *d != '"'; ++d) {
            points += *d == 'H' || *d == 'L' ? 1 : 0;
        }
        cr_expect_leq(points, 200U);
        curves += points > 1 ? 1 : 0;
    }
    cr_expect_gt(curves, 50U);
    free(page);
}

Test(report_page, a_refused_write_is_told)
{
    json_t *root = sp_sample_result(1);
    sp_lab_report_result_t result = {.label = "r", .root = root};
    FILE *full = fopen("/dev/full", "w");

    cr_assert_not_null(full);
    cr_expect_eq(sp_lab_report_write(&result, 1, full), SP_IO);
    (void)fclose(full);
    json_decref(root);
}

Test(report_page, at_most_eight_results)
{
    json_t *root = sp_sample_experiment("E", NULL, NULL, NULL, NULL);
    json_t *whole =
        json_pack("{ss,si,s[o]}", "kind", "signpost-lab", "format", 1, "experiments", root);
    sp_lab_report_result_t results[SP_LAB_VIEWS_MAX + 1];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sp_error_t err;

    for (size_t i = 0; i != SP_LAB_VIEWS_MAX + 1; ++i) {
        results[i] = (sp_lab_report_result_t){.label = "r", .root = whole};
    }
    cr_expect_eq(sp_lab_report_write(results, SP_LAB_VIEWS_MAX, out), SP_OK);
    cr_expect_eq(sp_lab_report_write(results, SP_LAB_VIEWS_MAX + 1, out), SP_TOO_LONG);
    cr_expect_eq(sp_lab_report_charts(results, SP_LAB_VIEWS_MAX + 1, "/", &err), SP_TOO_LONG);
    (void)fclose(out);
    free(text);
    json_decref(whole);
}

static void empty_folder(const char *folder)
{
    DIR *entries = opendir(folder);

    cr_assert_not_null(entries);
    for (const struct dirent *entry = NULL; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] != '.') {
            cr_expect_eq(unlinkat(dirfd(entries), entry->d_name, 0), 0);
        }
    }
    (void)closedir(entries);
    cr_expect_eq(rmdir(folder), 0);
}

static char *read_chart(const char *folder, const char *name)
{
    char path[120];
    char *text = calloc(1, 100000);
    FILE *file = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    cr_assert_not_null(text);
    cr_expect_gt(fread(text, 1, 99999, file), 100U);
    (void)fclose(file);
    return text;
}

static void check_charts(const char *folder)
{
    DIR *entries = opendir(folder);
    size_t count = 0;

    cr_assert_not_null(entries);
    for (const struct dirent *entry = NULL; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] != '.') {
            char *chart = read_chart(folder, entry->d_name);

            cr_expect_not_null(strstr(chart, "]]&gt;\xef\xbf\xbd"), "%s", entry->d_name);
            cr_expect_not(has_control_characters(chart), "%s", entry->d_name);
            free(chart);
            ++count;
        }
    }
    (void)closedir(entries);
    cr_expect_geq(count, 4U);
}

Test(report_page, charts_have_no_character_that_xml_forbids)
{
    char folder[] = "/tmp/signpost-charts-XXXXXX";
    json_t *root = sp_sample_result(1);
    sp_lab_report_result_t result = {.label = "r", .root = root};
    sp_error_t err;

    poison(root);
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(sp_lab_report_charts(&result, 1, folder, &err), SP_OK, "%s", err.message);
    check_charts(folder);
    empty_folder(folder);
    json_decref(root);
}

Test(report_page, charts_become_files)
{
    char folder[] = "/tmp/signpost-charts-XXXXXX";
    json_t *root = sp_sample_result(1);
    sp_lab_report_result_t result = {.label = "r", .root = root};
    sp_error_t err;
    char *chart = NULL;

    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(sp_lab_report_charts(&result, 1, folder, &err), SP_OK, "%s", err.message);
    chart = read_chart(folder, "E1-throughput-rps.svg");
    cr_expect_eq(strncmp(chart, "<svg ", 5), 0);
    cr_expect_not_null(strstr(chart, "xmlns=\"http://www.w3.org/2000/svg\""));
    cr_expect_not_null(strstr(chart, "prefers-color-scheme:dark"));
    cr_expect_not_null(strstr(chart, ">Throughput, requests/s<"));
    cr_expect_not_null(strstr(chart, "CoreDNS [Unbound in place of CoreDNS]: 17,010 requests/s"));
    free(chart);
    free(read_chart(folder, "E1-latency-1-open.svg"));
    free(read_chart(folder, "E2-sweep.svg"));
    free(read_chart(folder, "E5-steps-1.svg"));
    free(read_chart(folder, "E7-throughput-rps-raw-iperf3-mbit-s.svg"));
    empty_folder(folder);
    cr_expect_eq(sp_lab_report_charts(&result, 1, folder, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "No such file or directory"));
    json_decref(root);
}
