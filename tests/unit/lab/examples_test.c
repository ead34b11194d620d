/* SPDX-License-Identifier: Apache-2.0 */
/* The roles and experiments in examples/lab, read by the code that runs them: nothing in them is
 * misspelt, and whatever they refer to exists. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/files.h"
#include "lab/library.h"
#include "lab/report/metric.h"
#include "lab/template.h"

#define QUICK_SECONDS 240.0 /* of E1: promised by the documentation */
#define ALL_SECONDS 3600.0  /* of all experiments; the estimate is on the safe side */
#define ROLES_MAX 64

/* What every template may use, besides the role's own parameters. */
static const char *const always[] = {
    "dir", "address",     "port", "zone_file",   "zone",     "names",   "roles",   "signpost",
    "key", "certificate", "cpus", "app_address", "app_port", "queries", "seconds", "rate"};

static void open_library(sp_lab_library_t *library)
{
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_library_open(EXAMPLES_FOLDER, library, &err), SP_OK, "%s", err.message);
}

static void set(sp_lab_variables_t *variables, const char *name, const char *value)
{
    cr_assert_eq(sp_lab_variables_set(variables, name, value), SP_OK);
}

/* `flag`: the value of all parameters whose default is yes or no; NULL leaves the defaults. */
static void fill_variables(const sp_lab_role_t *role, const char *flag, sp_lab_texts_t list,
                           sp_lab_variables_t *variables)
{
    variables->count = 0;
    for (size_t i = 0; i != SP_COUNT(always); ++i) {
        set(variables, always[i], "1");
    }
    cr_assert_eq(sp_lab_variables_set_list(variables, "forward", list), SP_OK);
    cr_assert_eq(sp_lab_variables_set_list(variables, "resolver", list), SP_OK);
    for (size_t i = 0; i != role->parameters.count; ++i) {
        const char *value = role->parameters.list[i].value;
        bool is_flag = strcmp(value, "yes") == 0 || strcmp(value, "no") == 0;

        set(variables, role->parameters.list[i].name, is_flag && flag != NULL ? flag : value);
    }
}

static void expect_fills(sp_str_t text, const char *file, const sp_lab_variables_t *variables)
{
    sp_error_t err = {.message = ""};
    sp_arena_t arena;
    sp_buf_t out;

    sp_arena_init(&arena, NULL, 0, 16384);
    sp_buf_init(&out, &arena, SP_LAB_TEMPLATE_MAX);
    cr_expect_eq(sp_lab_template_fill(text, file, variables, &out, &err), SP_OK, "%s", err.message);
    cr_expect_eq(sp_str_search(sp_buf_str(&out), SP_STR("{{")), sp_buf_str(&out).len, "%s", file);
    sp_arena_clear(&arena);
}

static void expect_texts_fill(const sp_lab_role_t *role, const sp_lab_texts_t *texts,
                              const sp_lab_variables_t *variables)
{
    for (size_t i = 0; i != texts->count; ++i) {
        expect_fills(sp_str_from(texts->list[i]), role->name, variables);
    }
}

static void expect_role_fills(const sp_lab_role_t *role, const char *flag)
{
    const char *resolvers[] = {"192.0.2.1", "192.0.2.2"};
    const sp_lab_texts_t list = {.list = resolvers, .count = SP_COUNT(resolvers)};
    sp_lab_variables_t variables;

    fill_variables(role, flag, list, &variables);
    expect_texts_fill(role, &role->command, &variables);
    expect_texts_fill(role, &role->server_command, &variables);
    expect_texts_fill(role, &role->version, &variables);
    for (size_t i = 0; i != role->files.count; ++i) {
        char path[SP_LAB_PATH_MAX];
        sp_error_t err = {.message = ""};
        sp_str_t text;

        (void)snprintf(path, sizeof(path), "%s/%s", role->folder, role->files.list[i].value);
        cr_assert_eq(sp_lab_file_read(path, &text, &err), SP_OK, "%s", err.message);
        expect_fills(text, path, &variables);
        sp_lab_file_free(text);
    }
    for (size_t i = 0; i != role->environment.count; ++i) {
        expect_fills(sp_str_from(role->environment.list[i].value), role->name, &variables);
    }
}

static bool has_parameter(const sp_lab_role_t *role, const char *name)
{
    for (size_t i = 0; i != role->parameters.count; ++i) {
        if (strcmp(role->parameters.list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void expect_needed(const sp_lab_role_t *role, sp_str_t program)
{
    bool found = sp_str_eq(program, sp_str_from(role->program));

    for (size_t i = 0; !found && i != role->needs.count; ++i) {
        found = sp_str_eq(program, sp_str_from(role->needs.list[i]));
    }
    cr_expect(found, "%s: %.*s is called and not among its needs", role->name, (int)program.len,
              program.ptr);
}

/* In the scripts of a shell a program is the first word, and what follows "&&" or "exec". */
static void expect_programs_are_needed(const sp_lab_role_t *role, const sp_lab_texts_t *command)
{
    bool is_program = true;
    bool is_script = command->count > 2 && strcmp(command->list[1], "-c") == 0 &&
                     strcmp(command->list[0], "sh") == 0;

    if (command->count != 0) {
        expect_needed(role, sp_str_from(command->list[0]));
    }
    for (sp_str_t rest = sp_str_from(is_script ? command->list[2] : NULL); rest.ptr != NULL;) {
        sp_str_t word = sp_str_cut(rest, ' ', &rest);

        if (is_program && !sp_str_eq(word, SP_STR("exec"))) {
            expect_needed(role, word);
        }
        is_program = sp_str_eq(word, SP_STR("&&")) || sp_str_eq(word, SP_STR("exec"));
    }
}

static void check_role(sp_lab_library_t *library, const char *name)
{
    const sp_lab_role_t *role = NULL;
    const sp_lab_role_t *other = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_library_role(library, name, &role, &err), SP_OK, "%s", err.message);
    expect_role_fills(role, NULL);
    expect_role_fills(role, "yes");
    expect_role_fills(role, "no");
    expect_programs_are_needed(role, &role->command);
    expect_programs_are_needed(role, &role->server_command);
    expect_programs_are_needed(role, &role->version);
    cr_expect(role->version.count != 0, "%s does not tell its version", name);
    cr_expect(role->package != NULL || role->install != NULL || role->kind == SP_LAB_APP,
              "%s: where is it to be had?", name);
    if (role->stand_in != NULL) {
        cr_assert_eq(sp_lab_library_role(library, role->stand_in, &other, &err), SP_OK, "%s",
                     err.message);
        for (size_t i = 0; i != role->stand_in_parameters.count; ++i) {
            cr_expect(has_parameter(other, role->stand_in_parameters.list[i].name), "%s", name);
        }
    }
}

Test(lab_examples, every_role_is_read_and_its_templates_fill)
{
    sp_lab_library_t library;
    DIR *folder = NULL;
    const struct dirent *entry = NULL;
    size_t count = 0;

    open_library(&library);
    folder = opendir(library.roles_folder);
    cr_assert_not_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') {
            check_role(&library, entry->d_name);
            ++count;
        }
    }
    (void)closedir(folder);
    cr_expect_geq(count, 14);
    sp_lab_library_clear(&library);
}

/* A misspelt parameter would otherwise have no effect, silently. */
static void check_use(sp_lab_library_t *library, const char *experiment, const sp_lab_use_t *use)
{
    const sp_lab_role_t *role = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_library_role(library, use->role, &role, &err), SP_OK, "%s: %s", experiment,
                 err.message);
    for (size_t i = 0; i != use->parameters.count; ++i) {
        cr_expect(has_parameter(role, use->parameters.list[i].name), "%s: %s has no parameter '%s'",
                  experiment, use->role, use->parameters.list[i].name);
    }
}

static void check_setup(sp_lab_library_t *library, const char *experiment,
                        const sp_lab_setup_t *setup)
{
    for (size_t i = 0; i != setup->roles.count; ++i) {
        check_use(library, experiment, &setup->roles.list[i]);
    }
    for (size_t i = 0; i != setup->raw.count; ++i) {
        check_use(library, experiment, &setup->raw.list[i]);
    }
    if (setup->has_app) {
        check_use(library, experiment, &setup->app);
    }
    if (setup->steps.role != NULL) {
        check_use(library, experiment, &setup->steps);
    }
    cr_expect_str_neq(setup->says, "", "%s: %s is not explained", experiment, setup->name);
}

static void check_metric(const char *experiment, const json_t *name)
{
    sp_lab_metric_t metric;

    if (name != NULL) {
        cr_assert(json_is_string(name), "%s", experiment);
        cr_expect(sp_lab_metric_find(json_string_value(name), NAN, &metric), "%s: no metric '%s'",
                  experiment, json_string_value(name));
    }
}

static void check_claims(const char *experiment, const json_t *claims)
{
    size_t i = 0;
    const json_t *claim = NULL;

    json_array_foreach(claims, i, claim)
    {
        check_metric(experiment, json_object_get(claim, "metric"));
        check_metric(experiment, json_object_get(claim, "with"));
    }
}

static void check_experiment(sp_lab_library_t *library, const char *name, double *seconds)
{
    sp_lab_experiment_t *experiment = NULL;
    sp_error_t err = {.message = ""};
    size_t i = 0;
    const json_t *chart = NULL;

    cr_assert_eq(sp_lab_library_experiment(library, name, &experiment, &err), SP_OK, "%s",
                 err.message);
    cr_expect_str_eq(experiment->id, name);
    for (size_t k = 0; k != experiment->setup_count; ++k) {
        check_setup(library, name, &experiment->setups[k]);
    }
    check_claims(name, experiment->comparisons);
    check_claims(name, experiment->assertions);
    json_array_foreach(experiment->charts, i, chart)
    {
        check_metric(name, chart);
    }
    cr_expect_geq(experiment->full.repetitions, 3, "%s", name);
    cr_expect_not_null(json_object_get(experiment->published, "says"), "%s", name);
    cr_expect(strcmp(name, "E1") != 0 || sp_lab_cases_seconds(&experiment->quick) < QUICK_SECONDS);
    *seconds += sp_lab_cases_seconds(&experiment->full);
    sp_lab_experiment_destroy(experiment);
}

Test(lab_examples, every_experiment_is_read_and_names_what_exists)
{
    sp_lab_library_t library;
    sp_lab_names_t names;
    sp_error_t err = {.message = ""};
    double seconds = 0;

    open_library(&library);
    cr_assert_eq(sp_lab_library_experiments(&library, &names, &err), SP_OK, "%s", err.message);
    cr_expect_eq(names.count, 8);
    for (size_t i = 0; i != names.count; ++i) {
        check_experiment(&library, names.list[i], &seconds);
    }
    cr_expect_lt(seconds, ALL_SECONDS);
    sp_lab_names_clear(&names);
    sp_lab_library_clear(&library);
}
