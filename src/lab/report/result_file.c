/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/result_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/report/setups.h"

/* Where in the result a fault lies; names are cut in messages. */
typedef struct place {
    const char *name; /* of the file */
    sp_error_t *err;
    size_t experiment;
} place_t;

#define NAMES "%.100s: "

static sp_status_t wrong(const place_t *place, const char *what, size_t index, const char *expected)
{
    return sp_fail(place->err, SP_BAD_VALUE, 0, NAMES "experiments[%zu].%s[%zu]: expected %s",
                   place->name, place->experiment, what, index, expected);
}

static sp_status_t too_many(const place_t *place, const char *what, size_t most)
{
    return sp_fail(place->err, SP_TOO_LONG, 0, NAMES "experiments[%zu].%s: expected at most %zu",
                   place->name, place->experiment, what, most);
}

/* An array of objects, or nothing. */
static sp_status_t check_objects(const place_t *place, json_t *parent, const char *field,
                                 size_t most)
{
    json_t *list = json_object_get(parent, field);

    if (list != NULL && !json_is_array(list)) {
        return sp_fail(place->err, SP_BAD_VALUE, 0,
                       NAMES "experiments[%zu]: \"%s\" is no list, expected a list of objects",
                       place->name, place->experiment, field);
    }
    if (json_array_size(list) > most) {
        return too_many(place, field, most);
    }
    for (size_t i = 0; i != json_array_size(list); ++i) {
        if (!json_is_object(json_array_get(list, i))) {
            return wrong(place, field, i, "an object");
        }
    }
    return SP_OK;
}

static bool is_bucket(json_t *bucket, double *edge)
{
    double from = sp_lab_value(json_array_get(bucket, 0), -1);
    double to = sp_lab_value(json_array_get(bucket, 1), -1);
    double count = sp_lab_value(json_array_get(bucket, 2), -1);
    bool good = json_array_size(bucket) == 3 && from >= *edge && to >= from && count >= 0 &&
                count == floor(count);

    *edge = to;
    return good;
}

static sp_status_t check_histogram(const place_t *place, json_t *run, size_t index)
{
    json_t *buckets = sp_lab_field(run, "load.latency.histogram");
    double edge = 0;

    if (json_array_size(buckets) > SP_LAB_BUCKETS_MAX) {
        return too_many(place, "runs: buckets of a histogram", SP_LAB_BUCKETS_MAX);
    }
    for (size_t i = 0; i != json_array_size(buckets); ++i) {
        if (!is_bucket(json_array_get(buckets, i), &edge)) {
            return wrong(place, "runs", index,
                         "a histogram of [from, to, count], in rising order and without overlap");
        }
    }
    return SP_OK;
}

static sp_status_t check_run(const place_t *place, json_t *experiment, size_t index)
{
    json_t *run = json_array_get(json_object_get(experiment, "runs"), index);
    const char *setup = sp_lab_text(run, "setup", NULL);

    if (setup == NULL || sp_lab_setup_find(experiment, setup) == NULL) {
        return wrong(place, "runs", index, "\"setup\", the name of one of the set-ups");
    }
    if (json_array_size(sp_lab_field(run, "load.series")) > SP_LAB_SECONDS_MAX) {
        return too_many(place, "runs: seconds of a series", SP_LAB_SECONDS_MAX);
    }
    if (json_array_size(sp_lab_field(run, "steps")) > SP_LAB_STEPS_MAX) {
        return too_many(place, "runs: steps", SP_LAB_STEPS_MAX);
    }
    return check_histogram(place, run, index);
}

static sp_status_t check_setup(const place_t *place, json_t *experiment, size_t index)
{
    json_t *setup = sp_lab_setup_at(experiment, index);
    const char *name = sp_lab_text(setup, "name", "");
    size_t runs = 0, at = 0;

    if (name[0] == '\0' || sp_lab_setup_find(experiment, name) != setup) {
        return wrong(place, "setups", index, "\"name\", a text that no other set-up has");
    }
    while (sp_lab_next_run(experiment, name, true, &at) != NULL) {
        ++runs;
    }
    return runs > SP_LAB_REPETITIONS_MAX
               ? too_many(place, "runs: of one set-up", SP_LAB_REPETITIONS_MAX)
               : SP_OK;
}

typedef sp_status_t check_t(const place_t *place, json_t *experiment, size_t index);

static sp_status_t check_each(const place_t *place, json_t *experiment, const char *field,
                              check_t *check)
{
    size_t count = json_array_size(json_object_get(experiment, field));
    sp_status_t status = SP_OK;

    for (size_t i = 0; i != count && status == SP_OK; ++i) {
        status = check(place, experiment, i);
    }
    return status;
}

static sp_status_t check_experiment(const place_t *place, json_t *experiment)
{
    static const struct {
        const char *field;
        size_t most;
    } lists[] = {{"setups", SP_LAB_SETUPS_MAX},
                 {"runs", SP_LAB_RUNS_MAX},
                 {"comparisons", SP_LAB_SETUPS_MAX},
                 {"assertions", SP_LAB_SETUPS_MAX}};
    sp_status_t status = SP_OK;

    if (sp_lab_text(experiment, "id", "")[0] == '\0') {
        return sp_fail(place->err, SP_BAD_VALUE, 0,
                       NAMES "experiments[%zu]: expected an object with an \"id\"", place->name,
                       place->experiment);
    }
    for (size_t i = 0; i != sizeof(lists) / sizeof(lists[0]) && status == SP_OK; ++i) {
        status = check_objects(place, experiment, lists[i].field, lists[i].most);
    }
    if (status == SP_OK) {
        status = check_each(place, experiment, "setups", check_setup);
    }
    return status == SP_OK ? check_each(place, experiment, "runs", check_run) : status;
}

static sp_status_t check_kind(json_t *result, const char *name, sp_error_t *err)
{
    double format = sp_lab_number(result, "format");

    if (strcmp(sp_lab_text(result, "kind", ""), "signpost-lab") != 0) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       NAMES "not a result of signpost lab, expected \"kind\": \"signpost-lab\"",
                       name);
    }
    if (isnan(format)) {
        return sp_fail(err, SP_BAD_VALUE, 0, NAMES "expected \"format\": %d, a number", name,
                       SP_LAB_RESULT_FORMAT);
    }
    if (format != SP_LAB_RESULT_FORMAT) {
        return sp_fail(err, SP_UNSUPPORTED, 0,
                       NAMES
                       "\"format\" is %g, expected %d: use the version of signpost that wrote "
                       "it",
                       name, format, SP_LAB_RESULT_FORMAT);
    }
    return SP_OK;
}

sp_status_t sp_lab_result_check(json_t *result, const char *name, sp_error_t *err)
{
    json_t *experiments = json_object_get(result, "experiments");
    sp_status_t status = check_kind(result, name, err);

    if (status != SP_OK) {
        return status;
    }
    if (!json_is_array(experiments) || json_array_size(experiments) > SP_LAB_EXPERIMENTS_MAX) {
        return sp_fail(err, SP_BAD_VALUE, 0, NAMES "expected \"experiments\", a list of at most %d",
                       name, SP_LAB_EXPERIMENTS_MAX);
    }
    for (size_t i = 0; i != json_array_size(experiments) && status == SP_OK; ++i) {
        place_t place = {.name = name, .err = err, .experiment = i};

        status = check_experiment(&place, json_array_get(experiments, i));
    }
    return status;
}

/* Takes `result`, which is NULL where the JSON itself is wrong. */
static sp_status_t finish(json_t *result, const json_error_t *fault, const char *name,
                          json_t **ret_result, sp_error_t *err)
{
    sp_status_t status;

    if (result == NULL) {
        return sp_fail(err, SP_BAD_SYNTAX, fault->position < 0 ? 0 : (size_t)fault->position,
                       "%.80s:%d:%d: not JSON: %.80s", name, fault->line < 1 ? 1 : fault->line,
                       fault->column < 1 ? 1 : fault->column, fault->text);
    }
    status = sp_lab_result_check(result, name, err);
    if (status == SP_OK) {
        *ret_result = result;
    } else {
        json_decref(result);
    }
    return status;
}

sp_status_t sp_lab_result_read_text(sp_str_t text, const char *name, json_t **ret_result,
                                    sp_error_t *err)
{
    json_error_t fault = {.line = 0};
    json_t *result =
        json_loadb(text.ptr == NULL ? "" : text.ptr, text.len, JSON_REJECT_DUPLICATES, &fault);

    return finish(result, &fault, name, ret_result, err);
}

static sp_status_t refuse(const char *path, int error, sp_error_t *err)
{
    return sp_fail(err, SP_IO, 0, NAMES "can't be read: %s", path, strerror(error));
}

sp_status_t sp_lab_result_read(const char *path, json_t **ret_result, sp_error_t *err)
{
    FILE *file = fopen(path, "re");
    struct stat about;
    json_error_t fault = {.line = 0};
    json_t *result = NULL;

    if (file == NULL) {
        return refuse(path, errno, err);
    }
    if (fstat(fileno(file), &about) != 0 || S_ISDIR(about.st_mode)) {
        (void)fclose(file);
        return refuse(path, EISDIR, err);
    }
    if (about.st_size > (off_t)SP_LAB_RESULT_OCTETS_MAX) {
        (void)fclose(file);
        return sp_fail(err, SP_TOO_LONG, 0, NAMES "larger than a result can be (%zu MiB)", path,
                       SP_LAB_RESULT_OCTETS_MAX >> 20);
    }
    result = json_loadf(file, JSON_REJECT_DUPLICATES, &fault);
    (void)fclose(file);
    return finish(result, &fault, path, ret_result, err);
}
