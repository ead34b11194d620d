/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/result_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/report/setups.h"
#include "support/lab_result.h"

static void expect_message(const char *text, const char *message)
{
    json_t *result = NULL;
    sp_error_t err;

    cr_assert_neq(sp_lab_result_read_text(sp_str_from(text), "r.json", &result, &err), SP_OK, "%s",
                  text);
    cr_expect_null(result);
    cr_expect_str_eq(err.message, message, "%s", err.message);
}

Test(report_result_file, says_what_is_wrong)
{
    expect_message("", "r.json:1:1: not JSON: '[' or '{' expected near end of file");
    expect_message("{\"kind\":\n  oops}", "r.json:2:6: not JSON: invalid token near 'oops'");
    expect_message("[]", "r.json: not a result of signpost lab, expected \"kind\": "
                         "\"signpost-lab\"");
    expect_message("{\"kind\": \"signpost-load\", \"format\": 1}",
                   "r.json: not a result of signpost lab, expected \"kind\": \"signpost-lab\"");
    expect_message(
        "{\"kind\": \"signpost-lab\", \"format\": 2}",
        "r.json: \"format\" is 2, expected 1: use the version of signpost that wrote it");
    expect_message("{\"kind\": \"signpost-lab\"}", "r.json: expected \"format\": 1, a number");
    expect_message("{\"kind\": \"signpost-lab\", \"format\": \"1\"}",
                   "r.json: expected \"format\": 1, a number");
    expect_message("{\"kind\": \"signpost-lab\", \"format\": 1}",
                   "r.json: expected \"experiments\", a list of at most 64");
}

static void expect_fault(const char *experiment, const char *message)
{
    char text[1000], full[200];

    (void)snprintf(text, sizeof(text),
                   "{\"kind\": \"signpost-lab\", \"format\": 1, \"experiments\": [%s]}",
                   experiment);
    (void)snprintf(full, sizeof(full), "r.json: experiments[0]%s", message);
    expect_message(text, full);
}

#define SETUP "\"setups\": [{\"name\": \"a\"}]"
#define RUN(inner)                                                                                 \
    "{\"id\": \"E1\", " SETUP ", \"runs\": [{\"setup\": \"a\", \"load\": " inner "}]}"
#define HISTOGRAM(inner) RUN("{\"latency\": {\"histogram\": [" inner "]}}")
#define HISTOGRAM_FAULT                                                                            \
    ".runs[0]: expected a histogram of [from, to, count], in rising order and without overlap"

Test(report_result_file, says_where_in_an_experiment)
{
    expect_fault("1", ": expected an object with an \"id\"");
    expect_fault("{}", ": expected an object with an \"id\"");
    expect_fault("{\"id\": \"E1\", \"setups\": 1}",
                 ": \"setups\" is no list, expected a list of objects");
    expect_fault("{\"id\": \"E1\", \"comparisons\": [[]]}", ".comparisons[0]: expected an object");
    expect_fault("{\"id\": \"E1\", \"setups\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
                 ".setups[1]: expected \"name\", a text that no other set-up has");
    expect_fault("{\"id\": \"E1\", \"setups\": [{\"title\": \"a\"}]}",
                 ".setups[0]: expected \"name\", a text that no other set-up has");
    expect_fault("{\"id\": \"E1\", " SETUP ", \"runs\": [{\"setup\": \"b\"}]}",
                 ".runs[0]: expected \"setup\", the name of one of the set-ups");
    expect_fault(HISTOGRAM("[1, 2, -1]"), HISTOGRAM_FAULT);
    expect_fault(HISTOGRAM("[1, 2, 0.5]"), HISTOGRAM_FAULT);
    expect_fault(HISTOGRAM("[2, 1, 1]"), HISTOGRAM_FAULT);
    expect_fault(HISTOGRAM("[1, 3, 1], [2, 4, 1]"), HISTOGRAM_FAULT);
    expect_fault(HISTOGRAM("[1, 2]"), HISTOGRAM_FAULT);
    expect_fault(HISTOGRAM("[1, 2, 1e16]"), HISTOGRAM_FAULT);
    expect_fault(HISTOGRAM("7"), HISTOGRAM_FAULT);
}

static sp_status_t check(json_t *experiment)
{
    json_t *result =
        json_pack("{ss,si,s[o]}", "kind", "signpost-lab", "format", 1, "experiments", experiment);
    sp_error_t err;
    sp_status_t status = sp_lab_result_check(result, "r.json", &err);

    json_decref(result);
    return status;
}

static json_t *with_setups(size_t count)
{
    json_t *setups = json_array();
    char name[24];

    for (size_t i = 0; i != count; ++i) {
        (void)snprintf(name, sizeof(name), "%zu", i);
        (void)json_array_append_new(setups, json_pack("{ss}", "name", name));
    }
    return sp_sample_experiment("E", setups, NULL, NULL, NULL);
}

/* `count` runs of one set-up, each with the value under "load". */
static json_t *with_runs(size_t count, json_t *load)
{
    json_t *runs = json_array();

    for (size_t i = 0; i != count; ++i) {
        (void)json_array_append_new(runs, json_pack("{ss,sO}", "setup", "a", "load", load));
    }
    json_decref(load);
    return sp_sample_experiment("E", json_pack("[o]", sp_sample_setup("a", "A")), runs, NULL, NULL);
}

static json_t *many(size_t count, const char *item)
{
    json_t *list = json_array(), *one = json_loads(item, JSON_DECODE_ANY, NULL);

    for (size_t i = 0; i != count; ++i) {
        (void)json_array_append(list, one);
    }
    json_decref(one);
    return list;
}

static json_t *with_buckets(size_t count)
{
    return with_runs(1, json_pack("{s{so}}", "latency", "histogram", many(count, "[5, 5, 1]")));
}

static json_t *with_seconds(size_t count)
{
    return with_runs(1, json_pack("{so}", "series", many(count, "{}")));
}

static json_t *with_steps(size_t count)
{
    json_t *experiment = with_runs(1, json_object());

    (void)json_object_set_new(json_array_get(json_object_get(experiment, "runs"), 0), "steps",
                              many(count, "{}"));
    return experiment;
}

Test(report_result_file, limits)
{
    cr_expect_eq(check(with_setups(SP_LAB_SETUPS_MAX)), SP_OK);
    cr_expect_eq(check(with_setups(SP_LAB_SETUPS_MAX + 1)), SP_TOO_LONG);
    cr_expect_eq(check(with_runs(SP_LAB_REPETITIONS_MAX, json_object())), SP_OK);
    cr_expect_eq(check(with_runs(SP_LAB_REPETITIONS_MAX + 1, json_object())), SP_TOO_LONG);
    cr_expect_eq(check(with_buckets(SP_LAB_BUCKETS_MAX)), SP_OK);
    cr_expect_eq(check(with_buckets(SP_LAB_BUCKETS_MAX + 1)), SP_TOO_LONG);
    cr_expect_eq(check(with_seconds(SP_LAB_SECONDS_MAX)), SP_OK);
    cr_expect_eq(check(with_seconds(SP_LAB_SECONDS_MAX + 1)), SP_TOO_LONG);
    cr_expect_eq(check(with_steps(SP_LAB_STEPS_MAX)), SP_OK);
    cr_expect_eq(check(with_steps(SP_LAB_STEPS_MAX + 1)), SP_TOO_LONG);
    cr_expect_eq(
        check(sp_sample_experiment("E", NULL, many(SP_LAB_RUNS_MAX + 1, "{}"), NULL, NULL)),
        SP_TOO_LONG);
    cr_expect_eq(
        check(sp_sample_experiment("E", NULL, NULL, many(SP_LAB_SETUPS_MAX + 1, "{}"), NULL)),
        SP_TOO_LONG);
    cr_expect_eq(
        check(sp_sample_experiment("E", NULL, NULL, NULL, many(SP_LAB_SETUPS_MAX + 1, "{}"))),
        SP_TOO_LONG);
}

Test(report_result_file, limit_of_experiments)
{
    json_t *result = json_pack("{ss,si,so}", "kind", "signpost-lab", "format", 1, "experiments",
                               many(SP_LAB_EXPERIMENTS_MAX, "{\"id\": \"E\"}"));
    sp_error_t err;

    cr_expect_eq(sp_lab_result_check(result, "r", &err), SP_OK);
    (void)json_array_append_new(json_object_get(result, "experiments"),
                                json_pack("{ss}", "id", "F"));
    cr_expect_eq(sp_lab_result_check(result, "r", &err), SP_BAD_VALUE);
    json_decref(result);
}

Test(report_result_file, reads_what_was_written)
{
    json_t *written = sp_sample_result(1), *result = NULL;
    char *text = json_dumps(written, JSON_COMPACT);
    sp_error_t err;

    cr_assert_eq(sp_lab_result_read_text(sp_str_from(text), "r.json", &result, &err), SP_OK, "%s",
                 err.message);
    cr_expect(json_equal(written, result));
    free(text);
    json_decref(written);
    json_decref(result);
}

Test(report_result_file, files_that_can_not_be_read)
{
    char folder[] = "/tmp/signpost-report-XXXXXX", path[64], message[120];
    json_t *result = NULL;
    sp_error_t err;
    FILE *file = NULL;

    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/r.json", folder);
    (void)snprintf(message, sizeof(message), "%s: can't be read: No such file or directory", path);
    cr_expect_eq(sp_lab_result_read(path, &result, &err), SP_IO);
    cr_expect_str_eq(err.message, message);
    cr_expect_eq(sp_lab_result_read(folder, &result, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "Is a directory"));
    file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_eq(ftruncate(fileno(file), (off_t)SP_LAB_RESULT_OCTETS_MAX + 1), 0);
    cr_assert_eq(fclose(file), 0);
    cr_expect_eq(sp_lab_result_read(path, &result, &err), SP_TOO_LONG);
    cr_expect_eq(truncate(path, 0), 0);
    cr_expect_eq(sp_lab_result_read(path, &result, &err), SP_BAD_SYNTAX);
    cr_expect_eq(unlink(path), 0);
    cr_expect_eq(rmdir(folder), 0);
    cr_expect_null(result);
}
