/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/result.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/calibrate.h"
#include "lab/progress.h"
#include "lab/report/result_file.h"

static const char text[] =
    "{\"id\": \"T\", \"title\": \"t\", \"question\": \"q\", "
    "\"app\": {\"role\": \"signpost\"}, \"load\": {\"duration_s\": 8}, "
    "\"theory\": [\"a\"], \"loads\": [{\"name\": \"open\", \"rate\": 5}, {\"name\": \"closed\", "
    "\"loop\": \"closed\"}], "
    "\"setups\": [{\"name\": \"a\", \"title\": \"A\", \"resolver\": \"10.96.0.10\", \"series\": "
    "\"S\", \"step\": 2, \"cpu_quota\": 0.5}]}";

static sp_lab_experiment_t *must_read(void)
{
    sp_lab_experiment_t *experiment = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_experiment_read(sp_str_from(text), "t.json", &experiment, &err), SP_OK,
                 "%s", err.message);
    return experiment;
}

Test(lab_result, holds_each_setup_under_each_load)
{
    sp_lab_experiment_t *experiment = must_read();
    json_t *json = sp_lab_result_experiment(experiment, false);
    const json_t *open = sp_lab_result_setup(json, "a/open");
    const json_t *closed = sp_lab_result_setup(json, "a/closed");

    cr_assert_not_null(open);
    cr_assert_not_null(closed);
    cr_expect_null(sp_lab_result_setup(json, "a"));
    cr_expect_str_eq(json_string_value(json_object_get(open, "base")), "a");
    cr_expect_str_eq(json_string_value(json_object_get(open, "load_name")), "open");
    cr_expect_float_eq(json_number_value(json_object_get(open, "step")), 2, 1e-9);
    cr_expect_float_eq(json_number_value(json_object_get(json_object_get(open, "load"), "rate")), 5,
                       1e-9);
    cr_expect_null(json_object_get(json_object_get(closed, "load"), "rate"));
    cr_expect(json_is_true(json_object_get(open, "possible")));
    cr_expect_eq(json_array_size(json_object_get(json, "theory")), 1);
    json_decref(json);
    sp_lab_experiment_destroy(experiment);
}

/* What is written, the report can read. */
Test(lab_result, is_written_whole_and_can_be_read)
{
    char folder[] = "result_test.XXXXXX";
    char path[64];
    sp_lab_experiment_t *experiment = must_read();
    json_t *result = sp_lab_result_begin(0, json_object());
    json_t *read = NULL;
    sp_error_t err = {.message = ""};
    int fd = -1;

    cr_assert_not_null(mkdtemp(folder));
    fd = open(folder, O_RDONLY | O_DIRECTORY);
    cr_assert_neq(fd, -1);
    (void)json_array_append_new(json_object_get(result, "experiments"),
                                sp_lab_result_experiment(experiment, true));
    cr_assert_eq(sp_lab_result_write(result, fd, "result.json", &err), SP_OK, "%s", err.message);
    (void)snprintf(path, sizeof(path), "%s/result.json", folder);
    cr_assert_eq(sp_lab_result_read(path, &read, &err), SP_OK, "%s", err.message);
    cr_expect_str_eq(json_string_value(json_object_get(read, "started")), "1970-01-01T00:00:00Z");
    cr_expect(
        json_equal(json_object_get(read, "experiments"), json_object_get(result, "experiments")));
    cr_expect_eq(unlink(path), 0);
    cr_expect_eq(rmdir(folder), 0); /* nothing else was left in it */
    (void)close(fd);
    json_decref(read);
    json_decref(result);
    sp_lab_experiment_destroy(experiment);
}

Test(lab_result, progress_tells_how_long_it_takes)
{
    char words[SP_LAB_DURATION_MAX];
    sp_lab_experiment_t *experiment = must_read();
    sp_lab_progress_t progress;
    sp_lab_plan_t plan;
    sp_lab_turn_t turn;

    cr_expect_str_eq(sp_lab_duration(0.4, words), "0 s");
    cr_expect_str_eq(sp_lab_duration(59.6, words), "1 min 0 s");
    cr_expect_str_eq(sp_lab_duration(7499, words), "2 h 4 min");
    cr_assert_eq(sp_lab_progress_init(&progress, stderr, experiment, &experiment->full), SP_OK);
    sp_lab_plan_init(&plan, 2, 3, 0.5);
    cr_assert(sp_lab_plan_next(&plan, &turn));
    /* eight seconds and two of starting, six times */
    cr_expect_float_eq(sp_lab_progress_left(&progress, &plan), 60, 1e-9);
    sp_lab_progress_took(&progress, 0, 20);
    cr_assert(sp_lab_plan_next(&plan, &turn));
    /* one took twice as long as expected: the others may, too */
    cr_expect_float_eq(sp_lab_progress_left(&progress, &plan), 100, 1e-9);
    sp_lab_progress_clear(&progress);
    sp_lab_experiment_destroy(experiment);
}

Test(lab_result, losses_on_one_wire_add_up)
{
    const sp_impairment_t list[] = {
        {.kind = SP_IMPAIRMENT_LOSS, .wire = SP_WIRE_NODE, .percent = 2},
        {.kind = SP_IMPAIRMENT_LOSS,
         .wire = SP_WIRE_NODE,
         .percent = 10,
         .protocol = SP_PROTOCOL_TCP},
        {.kind = SP_IMPAIRMENT_LOSS, .wire = SP_WIRE_WAN1, .percent = 50},
        {.kind = SP_IMPAIRMENT_LOSS, .wire = SP_WIRE_WAN1, .percent = 50},
    };

    cr_expect_float_eq(sp_lab_expected_loss(list, 4, SP_WIRE_NODE), 0.0396, 1e-9);
    cr_expect_float_eq(sp_lab_expected_loss(list, 4, SP_WIRE_WAN1), 0.9375, 1e-9);
    cr_expect_float_eq(sp_lab_expected_loss(list, 4, SP_WIRE_POD), 0, 1e-9);
}
