/* SPDX-License-Identifier: Apache-2.0 */

/* Memory that runs out while files are read is told, and nothing leaks. */

#include <criterion/criterion.h>

#include "lab/role.h"
#include "lab/template.h"
#include "support/failing_alloc.h"

/* Runs `work` until each of its allocations has failed once. */
static void sweep(sp_status_t (*work)(void), size_t at_least)
{
    bool failed = true;
    size_t n = 0;

    while (failed) {
        sp_status_t status = SP_OK;

        sp_alloc_fail_at(++n);
        status = work();
        failed = sp_alloc_stop();
        cr_assert_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu: %s", n,
                     sp_status_name(status));
    }
    cr_expect_gt(n, at_least, "only %zu allocations", n);
}

static sp_status_t read_experiment(void)
{
    static const char head[] =
        "{\"id\": \"T\", \"title\": \"t\", \"question\": \"q\", \"app\": {\"role\": \"signpost\", "
        "\"parameters\": {\"a\": 1}}, \"loads\": [{\"name\": \"open\"}], \"roles\": [{\"role\": "
        "\"nsd\", \"address\": \"10.33.0.53\", \"forward\": [\"10.33.0.53\"]}], "
        "\"quick\": {\"loads\": {\"open\": {\"rate\": 1}}}, \"setups\": [";
    char text[65536];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s", head);
    sp_lab_experiment_t *experiment = NULL;
    sp_status_t status = SP_OK;

    for (int i = 0; i != 60; ++i) { /* enough for several chunks of the arena */
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%s{\"name\": \"s%d\", \"title\": \"t\", \"resolver\": "
                                "\"10.96.0.10\", \"raw\": [\"dnsperf\"], \"impairments\": "
                                "[{\"kind\": \"loss\", \"percent\": 1}], \"app\": "
                                "{\"parameters\": {\"b\": 0.5}}}",
                                i == 0 ? "" : ", ", i);
    }
    (void)snprintf(text + len, sizeof(text) - len, "]}");
    status = sp_lab_experiment_read(sp_str_from(text), "t.json", &experiment, NULL);
    sp_lab_experiment_destroy(experiment);
    return status;
}

Test(lab_memory, may_run_out_in_an_experiment)
{
    sweep(read_experiment, 4);
}

static sp_status_t read_role(void)
{
    sp_lab_role_t *role = NULL;
    sp_status_t status = sp_lab_role_read(
        SP_STR("{\"title\": \"T\", \"kind\": \"dns\", \"program\": \"p\", \"command\": [\"p\"], "
               "\"files\": {\"a\": \"b\"}, \"parameters\": {\"x\": \"y\", \"z\": 1}}"),
        "/roles/r", "r", &role, NULL);

    sp_lab_role_destroy(role);
    return status;
}

Test(lab_memory, may_run_out_in_a_role)
{
    sweep(read_role, 1);
}

static sp_status_t fill_template(void)
{
    sp_lab_variables_t variables = {.count = 0};
    sp_arena_t arena;
    sp_buf_t out;
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, 64);
    sp_buf_init(&out, &arena, 100000);
    (void)sp_lab_variables_set(&variables, "a", "a text that is not as short as others are");
    status = sp_lab_template_fill(SP_STR("{{a}} {{a}} {{a}} {{a}} {{a}} {{a}} {{a}} {{a}} {{a}}"),
                                  "t.in", &variables, &out, NULL);
    sp_arena_clear(&arena);
    return status;
}

Test(lab_memory, may_run_out_in_a_template)
{
    sweep(fill_template, 1);
}
