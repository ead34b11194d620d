/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/result.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEMPORARY ".result.json.new"

const char *sp_lab_time(time_t when, char text[SP_LAB_TIME_MAX])
{
    struct tm parts;

    if (gmtime_r(&when, &parts) == NULL ||
        strftime(text, SP_LAB_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        text[0] = '\0';
    }
    return text;
}

json_t *sp_lab_result_begin(time_t now, json_t *machine)
{
    char started[SP_LAB_TIME_MAX];

    return json_pack("{s:s, s:i, s:s, s:s, s:f, s:b, s:o, s:[]}", "kind", "signpost-lab", "format",
                     1, "version", SIGNPOST_VERSION, "started", sp_lab_time(now, started),
                     "elapsed_s", 0.0, "interrupted", 0, "machine", machine, "experiments");
}

json_t *sp_lab_result_load(const sp_lab_load_t *load)
{
    json_t *json =
        json_pack("{s:s, s:i, s:f, s:f, s:f, s:s, s:s, s:b, s:i, s:i}", "loop",
                  load->loop == 0 ? "open" : "closed", "connections", (int)load->connections,
                  "duration_s", load->duration_s, "warm_s", load->warm_s, "timeout_s",
                  load->timeout_s, "names", load->names, "http", load->http == 0 ? "1.1" : "2",
                  "tls", load->tls ? 1 : 0, "threads", (int)load->threads, "seed", (int)load->seed);

    if (json != NULL && load->loop == 0) {
        (void)json_object_set_new(json, "rate", json_real(load->rate));
        (void)json_object_set_new(json, "arrivals",
                                  json_string(load->arrivals == 0 ? "poisson" : "constant"));
    }
    if (json != NULL && load->requests != 0) {
        (void)json_object_set_new(json, "requests", json_integer(load->requests));
    }
    return json;
}

static json_t *lookups_json(const sp_lab_lookups_t *lookups)
{
    json_t *search = json_array();
    json_t *options = json_array();

    for (size_t i = 0; i != lookups->search.count; ++i) {
        (void)json_array_append_new(search, json_string(lookups->search.list[i]));
    }
    for (size_t i = 0; i != lookups->options.count; ++i) {
        (void)json_array_append_new(options, json_string(lookups->options.list[i]));
    }
    return json_pack("{s:i, s:f, s:f, s:o, s:i, s:o, s:s}", "concurrency",
                     (int)lookups->concurrency, "duration_s", lookups->duration_s, "over_ms",
                     lookups->over_ms, "search", search, "ndots", (int)lookups->ndots, "options",
                     options, "names", lookups->names == 0 ? "absolute" : "relative");
}

static json_t *impairments_json(const sp_lab_setup_t *setup)
{
    json_t *list = json_array();
    char text[SP_IMPAIRMENT_TEXT_MAX];

    for (size_t i = 0; i != setup->impairment_count; ++i) {
        (void)json_array_append_new(
            list, json_pack("{s:s}", "text", sp_impairment_says(&setup->impairments[i], text)));
    }
    return list;
}

static void set_text(json_t *object, const char *name, const char *text)
{
    (void)json_object_set_new(object, name, text == NULL ? json_null() : json_string(text));
}

static json_t *case_json(const sp_lab_case_t *one)
{
    const sp_lab_setup_t *setup = one->setup;
    json_t *json = json_object();

    set_text(json, "name", one->name);
    set_text(json, "base", setup->name);
    set_text(json, "load_name", one->load_name);
    set_text(json, "title", setup->title);
    set_text(json, "says", setup->says);
    set_text(json, "series", setup->series);
    set_text(json, "resolver", setup->resolver);
    set_text(json, "datapath", sp_datapath_name((sp_datapath_t)setup->datapath));
    (void)json_object_set_new(json, "step",
                              isnan(setup->step) ? json_null() : json_real(setup->step));
    (void)json_object_set_new(json, "ttl_s", json_integer(setup->ttl_s));
    (void)json_object_set_new(json, "possible", json_true());
    (void)json_object_set_new(json, "roles", json_array());
    (void)json_object_set_new(json, "impairments", impairments_json(setup));
    if (setup->cpu_quota > 0) {
        (void)json_object_set_new(json, "cpu_quota", json_real(setup->cpu_quota));
    }
    if (sp_lab_setup_serves(setup)) {
        (void)json_object_set_new(json, "load", sp_lab_result_load(&one->load));
    }
    if (setup->lookups.concurrency != 0) {
        (void)json_object_set_new(json, "lookups", lookups_json(&setup->lookups));
    }
    return json;
}

static void copy(json_t *to, const char *name, const json_t *value)
{
    if (value != NULL) {
        (void)json_object_set_new(to, name, json_deep_copy(value));
    }
}

json_t *sp_lab_result_experiment(const sp_lab_experiment_t *experiment, bool quick)
{
    const sp_lab_cases_t *cases = quick ? &experiment->quick : &experiment->full;
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:b, s:i, s:i}", "id", experiment->id, "title",
                  experiment->title, "question", experiment->question, "quick", quick ? 1 : 0,
                  "names", (int)experiment->names, "ttl_s", (int)experiment->ttl_s);
    json_t *setups = json_array();

    copy(json, "published", experiment->published);
    copy(json, "comparisons", experiment->comparisons);
    copy(json, "assertions", experiment->assertions);
    copy(json, "theory", experiment->theory);
    copy(json, "charts", experiment->charts);
    if (experiment->step_title != NULL) {
        set_text(json, "step_title", experiment->step_title);
    }
    for (size_t i = 0; i != cases->count; ++i) {
        (void)json_array_append_new(setups, case_json(&cases->list[i]));
    }
    (void)json_object_set_new(json, "setups", setups);
    (void)json_object_set_new(json, "runs", json_array());
    (void)json_object_set_new(json, "verdicts", json_array());
    return json;
}

json_t *sp_lab_result_setup(const json_t *experiment, const char *name)
{
    const json_t *setups = json_object_get(experiment, "setups");
    size_t i = 0;
    json_t *setup = NULL;

    json_array_foreach(setups, i, setup)
    {
        const char *known = json_string_value(json_object_get(setup, "name"));

        if (known != NULL && strcmp(known, name) == 0) {
            return setup;
        }
    }
    return NULL;
}

sp_status_t sp_lab_result_write(const json_t *result, int folder, const char *name, sp_error_t *err)
{
    int fd = openat(folder, TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd == -1 ? NULL : fdopen(fd, "w");
    bool written = false;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "the result can't be written: %s", strerror(errno));
    }
    written = json_dumpf(result, file, JSON_INDENT(1) | JSON_REAL_PRECISION(10)) == 0 &&
              fputc('\n', file) != EOF;
    if (fclose(file) != 0 || !written || renameat(folder, TEMPORARY, folder, name) != 0) {
        (void)unlinkat(folder, TEMPORARY, 0);
        return sp_fail(err, SP_IO, 0, "the result can't be written: %s", strerror(errno));
    }
    return SP_OK;
}
