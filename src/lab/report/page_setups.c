/* SPDX-License-Identifier: Apache-2.0 */

/* How it was measured: set-ups with their servers, configurations and impairments; repetitions. */

#include <math.h>
#include <string.h>

#include "lab/report/page.h"
#include "lab/report/table.h"

static void put_command(sp_buf_t *out, json_t *command)
{
    sp_lab_put(out, "<pre>");
    for (size_t i = 0; i != json_array_size(command); ++i) {
        const char *word = json_string_value(json_array_get(command, i));

        sp_lab_put(out, i == 0 ? "" : " ");
        sp_lab_put_text(out, word == NULL ? "" : word);
    }
    sp_lab_put(out, "</pre>\n");
}

static void put_files(sp_buf_t *out, json_t *files)
{
    const char *name = NULL;
    json_t *text = NULL;

    json_object_foreach(files, name, text)
    {
        sp_lab_put(out, "<p><code>");
        sp_lab_put_text(out, name);
        sp_lab_put(out, "</code></p><pre>");
        sp_lab_put_text(out, json_is_string(text) ? json_string_value(text) : "");
        sp_lab_put(out, "</pre>\n");
    }
}

/* Median of what the repetitions tell of one server, in the object at `path`. */
static double median_of(const sp_lab_entry_t *entry, const char *path, const char *name)
{
    double values[SP_LAB_REPETITIONS_MAX];
    size_t count = 0, at = 0;
    json_t *run = NULL;

    while (count != SP_LAB_REPETITIONS_MAX &&
           (run = sp_lab_next_run(entry->experiment, sp_lab_setup_name(entry->setup), false,
                                  &at)) != NULL) {
        double value = sp_lab_value(json_object_get(sp_lab_field(run, path), name), NAN);

        if (!isnan(value)) {
            values[count++] = value;
        }
    }
    return sp_lab_spread(values, count).median;
}

static void put_use(sp_buf_t *out, const sp_lab_entry_t *entry, const char *name)
{
    double cores = median_of(entry, "cpu.roles", name);
    double memory = median_of(entry, "memory_bytes", name);

    if (!isnan(cores)) {
        sp_buf_printf(out, "; took %s", sp_lab_quantity(cores, SP_LAB_CORES).text);
    }
    if (!isnan(memory)) {
        sp_buf_printf(out, "%s %s", isnan(cores) ? "; took" : " and",
                      sp_lab_quantity(memory, SP_LAB_OCTETS).text);
    }
}

static void put_role(sp_buf_t *out, const sp_lab_entry_t *entry, json_t *role)
{
    const char *missing = sp_lab_text(role, "stand_in_for", NULL);
    const char *address = sp_lab_text(role, "address", "");

    sp_lab_put(out, "<details><summary>");
    sp_lab_put_text(out, sp_lab_text(role, "name", "server"));
    sp_lab_put(out, ": ");
    sp_lab_put_text(out, sp_lab_text(role, "title", sp_lab_text(role, "role", "?")));
    if (missing != NULL) {
        sp_lab_put(out, ", standing in for ");
        sp_lab_put_text(out, missing);
    }
    sp_lab_put(out, " at ");
    sp_lab_put_text(out, sp_lab_text(role, "at", "?"));
    sp_lab_put(out, address[0] == '\0' ? "" : ", ");
    sp_lab_put_text(out, address);
    put_use(out, entry, sp_lab_text(role, "name", ""));
    sp_lab_put(out, "</summary>\n");
    sp_lab_put_element(out, "p", "dim", sp_lab_text(role, "version", "version unknown"));
    put_command(out, sp_lab_field(role, "command"));
    put_files(out, sp_lab_field(role, "files"));
    sp_lab_put(out, "</details>\n");
}

static void put_calibration(sp_buf_t *out, json_t *impairment, const char *expected,
                            const char *measured, sp_lab_unit_t unit)
{
    if (!isnan(sp_lab_number(impairment, measured))) {
        sp_buf_printf(out, ". Calibrated before the runs: %s there and back, %s expected",
                      sp_lab_quantity(sp_lab_number(impairment, measured), unit).text,
                      sp_lab_quantity(sp_lab_number(impairment, expected), unit).text);
    }
}

static void put_impairment(sp_buf_t *out, json_t *impairment)
{
    const char *means = sp_lab_text(impairment, "means", "");

    sp_lab_put(out, "<li>");
    sp_lab_put_text(out, sp_lab_text(impairment, "text", "impaired"));
    if (means[0] != '\0') {
        sp_lab_put(out, " (by ");
        sp_lab_put_text(out, means);
        sp_lab_put(out, ")");
    }
    put_calibration(out, impairment, "calibration.expected", "calibration.measured", SP_LAB_SHARE);
    put_calibration(out, impairment, "calibration.expected_ms", "calibration.measured_ms",
                    SP_LAB_MS);
    sp_lab_put(out, "</li>\n");
}

/* Are two entries the same set-up of the same result, under different loads? */
static bool is_same_setup(const sp_lab_entry_t *one, const sp_lab_entry_t *other)
{
    const char *base = sp_lab_text(one->setup, "base", NULL);

    return one == other || (base != NULL && one->view == other->view &&
                            strcmp(base, sp_lab_text(other->setup, "base", "")) == 0);
}

static bool was_put(const sp_lab_story_t *story, size_t index)
{
    for (size_t i = 0; i != index; ++i) {
        if (is_same_setup(&story->entries[i], &story->entries[index])) {
            return true;
        }
    }
    return false;
}

static void put_loads(sp_buf_t *out, const sp_lab_story_t *story, const sp_lab_entry_t *entry)
{
    const char *between = "";

    sp_lab_put(out, "<p class=\"dim\">");
    for (size_t i = 0; i != story->entry_count; ++i) {
        if (is_same_setup(entry, &story->entries[i])) {
            sp_lab_put(out, between);
            sp_lab_put_text(
                out, sp_lab_setup_load_words(story->entries[i].experiment, story->entries[i].setup)
                         .text);
            between = " \u00b7 ";
        }
    }
    sp_lab_put(out, "</p>\n");
}

static void put_setup(sp_buf_t *out, const sp_lab_story_t *story, const sp_lab_entry_t *entry)
{
    json_t *roles = sp_lab_field(entry->setup, "roles");
    json_t *impairments = sp_lab_field(entry->setup, "impairments");
    const char *why = sp_lab_setup_why_not(entry->setup);

    sp_lab_put(out, "<div class=\"setup\">\n");
    sp_lab_put_element(out, "h4", "", entry->label.text);
    sp_lab_put_element(out, "p", "", sp_lab_text(entry->setup, "says", ""));
    put_loads(out, story, entry);
    if (why != NULL) {
        sp_lab_put(out, "<p><strong>Not possible here:</strong> ");
        sp_lab_put_text(out, why);
        sp_lab_put(out, "</p>\n");
    }
    if (json_array_size(impairments) != 0) {
        sp_lab_put(out, "<ul>\n");
        for (size_t i = 0; i != json_array_size(impairments); ++i) {
            put_impairment(out, json_array_get(impairments, i));
        }
        sp_lab_put(out, "</ul>\n");
    }
    for (size_t i = 0; i != json_array_size(roles); ++i) {
        put_role(out, entry, json_array_get(roles, i));
    }
    sp_lab_put(out, "</div>\n");
}

/* What is in force in every set-up, and so in no heading. */
static void put_common(sp_buf_t *out, json_t *experiment)
{
    json_t *impairments = sp_lab_field(sp_lab_setup_at(experiment, 0), "impairments");
    const char *between = "<p>In every set-up: ";

    for (size_t i = 0; i != json_array_size(impairments); ++i) {
        const char *text = sp_lab_text(json_array_get(impairments, i), "text", "impaired");

        if (sp_lab_is_everywhere(experiment, text)) {
            sp_lab_put(out, between);
            sp_lab_put_text(out, text);
            between = "; ";
        }
    }
    sp_lab_put(out, between[0] == ';' ? ".</p>\n" : "");
}

static void put_names(sp_buf_t *out, json_t *experiment)
{
    double names = sp_lab_number(experiment, "names"), ttl = sp_lab_number(experiment, "ttl_s");

    if (!isnan(names)) {
        sp_buf_printf(out, "<p>The zone has %s names", sp_lab_number_words(names).text);
        if (!isnan(ttl)) {
            sp_buf_printf(out, ", which caches may keep for %s s", sp_lab_number_words(ttl).text);
        }
        sp_lab_put(out, ". Set-ups take turns, so that what else happens on the machine meets all "
                        "of them.</p>\n");
    }
}

void sp_lab_page_setups(sp_buf_t *out, const sp_lab_story_t *story)
{
    sp_lab_put(out, "<h3>How it was measured</h3>\n");
    put_names(out, sp_lab_story_experiment(story));
    put_common(out, sp_lab_story_experiment(story));
    sp_lab_put(out, "<details class=\"fold\"><summary>Set-ups, servers and their configurations"
                    "</summary>\n");
    for (size_t i = 0; i != story->entry_count; ++i) {
        if (!was_put(story, i)) {
            put_setup(out, story, &story->entries[i]);
        }
    }
    sp_lab_put(out, "</details>\n");
}

static sp_lab_label_t run_label(const sp_lab_entry_t *entry, json_t *run)
{
    json_t *discarded = sp_lab_field(run, "discarded");
    sp_lab_label_t label = sp_lab_label("%s #%s", entry->label.text,
                                        sp_lab_number_words(sp_lab_number(run, "repetition")).text);

    if (json_is_string(discarded)) {
        return sp_lab_label("%s \u2013 does not count: %s", label.text,
                            json_string_value(discarded));
    }
    return sp_lab_flag(run, "disturbed") ? sp_lab_label("%s \u2013 disturbed", label.text) : label;
}

/* The sum over an object of counters, as those of drop rules; NAN when it has none. */
static double total(json_t *counters)
{
    const char *name = NULL;
    json_t *value = NULL;
    double sum = json_object_size(counters) == 0 ? (double)NAN : 0;

    json_object_foreach(counters, name, value)
    {
        sum += sp_lab_value(value, 0);
    }
    return sum;
}

static void put_run(sp_lab_table_t *table, const sp_lab_entry_t *entry, json_t *run)
{
    sp_lab_metric_t errors;
    double undone =
        sp_lab_number(run, "conntrack.drop") + sp_lab_number(run, "conntrack.insert_failed");

    (void)sp_lab_metric_find("errors_share", NAN, &errors);
    sp_lab_table_row(table, run_label(entry, run).text);
    sp_lab_table_cell(table, sp_lab_number_words(sp_lab_number(run, "load.throughput_rps")).text);
    sp_lab_table_cell(table,
                      sp_lab_quantity(sp_lab_number(run, "load.latency.p50_us"), SP_LAB_US).text);
    sp_lab_table_cell(table,
                      sp_lab_quantity(sp_lab_number(run, "load.latency.p99_us"), SP_LAB_US).text);
    sp_lab_table_cell(table,
                      sp_lab_quantity(sp_lab_metric_of_run(&errors, run), SP_LAB_SHARE).text);
    sp_lab_table_cell(table, sp_lab_number_words(sp_lab_number(run, "cpu.foreign_cores")).text);
    sp_lab_table_cell(table, sp_lab_number_words(sp_lab_number(run, "cpu.steal_cores")).text);
    sp_lab_table_cell(table,
                      sp_lab_number_words(sp_lab_number(run, "tcp.retransmitted_segments")).text);
    sp_lab_table_cell(table, sp_lab_number_words(undone).text);
    sp_lab_table_cell(table,
                      sp_lab_number_words(total(sp_lab_field(run, "dropped_by_rules"))).text);
}

void sp_lab_page_repetitions(sp_buf_t *out, const sp_lab_story_t *story)
{
    static const char *const heads[] = {"Repetition",
                                        "Answered, requests/s",
                                        "p50",
                                        "p99",
                                        "Failed",
                                        "Foreign CPU, cores",
                                        "Stolen CPU, cores",
                                        "TCP segments sent again",
                                        "Refused by conntrack",
                                        "Dropped on purpose",
                                        NULL};
    sp_lab_table_t table;

    sp_lab_put(out, "<details class=\"fold\"><summary>Every repetition</summary>\n");
    sp_lab_table_begin(&table, out,
                       "Foreign is what other programs of the machine took meanwhile: more than "
                       "0.2 cores, and the repetition is done again, a few times at most.",
                       heads);
    for (size_t i = 0; i != story->entry_count; ++i) {
        const sp_lab_entry_t *entry = &story->entries[i];
        size_t at = 0;
        json_t *run = NULL;

        while ((run = sp_lab_next_run(entry->experiment, sp_lab_setup_name(entry->setup), true,
                                      &at)) != NULL) {
            put_run(&table, entry, run);
        }
    }
    sp_lab_table_end(&table);
    sp_lab_put(out, "</details>\n");
}
