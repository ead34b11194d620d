/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/lab/lab.h"
#include "lab/progress.h"
#include "lab/run.h"

int sp_cli_lab_fail(int result, const char *message)
{
    (void)fprintf(stderr, "signpost lab: %s\n", message);
    return result;
}

int sp_cli_lab_status(const sp_error_t *err)
{
    return err->status == SP_IO || err->status == SP_NO_MEMORY ? SP_EXIT_FAILED : SP_EXIT_USAGE;
}

int sp_cli_lab_check_names(const sp_arguments_t *arguments, size_t at, size_t max)
{
    size_t count = 0;

    for (const char *name = NULL; (name = sp_arguments_next(arguments, NULL, &at)) != NULL;) {
        if (!sp_lab_library_can_name(name)) {
            return sp_usage_error(
                "lab", "'%s' is no experiment: say a name like E1, or the path of a .json file",
                name);
        }
        if (++count > max) {
            return sp_usage_error("lab", "at most %zu experiments at a time", max);
        }
    }
    return SP_EXIT_DONE;
}

/* "3 min, quick 40 s" */
static void print_times(const sp_lab_experiment_t *experiment)
{
    char full[SP_LAB_DURATION_MAX];
    char quick[SP_LAB_DURATION_MAX];

    (void)printf("  about %s (%zu set-ups, %u repetitions); with --quick %s\n",
                 sp_lab_duration(sp_lab_cases_seconds(&experiment->full), full),
                 experiment->full.count, experiment->full.repetitions,
                 sp_lab_duration(sp_lab_cases_seconds(&experiment->quick), quick));
}

/* Names of roles, each once. */
typedef struct names {
    const char *list[SP_LAB_LIBRARY_ROLES_MAX];
    size_t count;
} names_t;

static void add_name(names_t *names, const char *name)
{
    for (size_t i = 0; i != names->count; ++i) {
        if (strcmp(names->list[i], name) == 0) {
            return;
        }
    }
    if (names->count != SP_LAB_LIBRARY_ROLES_MAX) {
        names->list[names->count++] = name;
    }
}

static void add_names(names_t *names, const sp_lab_setup_t *setup)
{
    for (size_t i = 0; i != setup->roles.count; ++i) {
        add_name(names, setup->roles.list[i].role);
    }
    for (size_t i = 0; i != setup->raw.count; ++i) {
        add_name(names, setup->raw.list[i].role);
    }
    if (setup->steps.role != NULL) {
        add_name(names, setup->steps.role);
    }
    if (sp_lab_setup_serves(setup)) {
        add_name(names, setup->app.role);
    }
}

static void print_needs(const sp_lab_experiment_t *experiment)
{
    names_t names = {.count = 0};

    for (size_t i = 0; i != experiment->setup_count; ++i) {
        add_names(&names, &experiment->setups[i]);
    }
    (void)printf("  needs");
    for (size_t i = 0; i != names.count; ++i) {
        (void)printf("%s %s", i == 0 ? "" : ",", names.list[i]);
    }
    (void)printf("\n");
}

static void print_experiment(sp_lab_library_t *library, sp_lab_experiment_t *experiment)
{
    sp_lab_experiment_t *const list[] = {experiment};
    const sp_lab_invocation_t invocation = {.library = library, .experiments = list, .count = 1};
    const json_t *published = json_object_get(experiment->published, "in");

    (void)printf("%s  %s\n  %s\n", experiment->id, experiment->title, experiment->question);
    if (json_is_string(published)) {
        (void)printf("  repeats: %s\n", json_string_value(published));
    }
    print_times(experiment);
    print_needs(experiment);
    if (sp_lab_missing(&invocation, true, stdout) == 0) {
        (void)puts("  can be run here");
    }
}

static int list_all(sp_lab_library_t *library, const sp_lab_names_t *names)
{
    int result = SP_EXIT_DONE;

    for (size_t i = 0; i != names->count; ++i) {
        sp_lab_experiment_t *experiment = NULL;
        sp_error_t err;

        if (sp_lab_library_experiment(library, names->list[i], &experiment, &err) == SP_OK) {
            (void)printf("%s", i == 0 ? "" : "\n");
            print_experiment(library, experiment);
        } else {
            result = sp_cli_lab_fail(sp_cli_lab_status(&err), err.message);
        }
        sp_lab_experiment_destroy(experiment);
    }
    return result;
}

static int list_some(sp_lab_library_t *library, const sp_arguments_t *arguments, size_t at)
{
    sp_lab_names_t names = {.count = 0};
    sp_error_t err;
    const char *name = sp_arguments_next(arguments, NULL, &at);
    int result = SP_EXIT_DONE;

    if (name == NULL) {
        if (sp_lab_library_experiments(library, &names, &err) != SP_OK) {
            return sp_cli_lab_fail(SP_EXIT_FAILED, err.message);
        }
    }
    for (; name != NULL; name = sp_arguments_next(arguments, NULL, &at)) {
        names.list[names.count] = strdup(name);
        names.count += names.list[names.count] == NULL ? 0U : 1U;
    }
    result = list_all(library, &names);
    sp_lab_names_clear(&names);
    return result;
}

int sp_cli_lab_list(const sp_arguments_t *arguments, size_t at)
{
    sp_lab_library_t library;
    sp_error_t err;
    int result = sp_cli_lab_check_names(arguments, at, SP_LAB_LIBRARY_EXPERIMENTS_MAX);

    if (result != SP_EXIT_DONE) {
        return result;
    }
    if (sp_lab_library_open(sp_arguments_value(arguments, "lab"), &library, &err) != SP_OK) {
        return sp_cli_lab_fail(SP_EXIT_USAGE, err.message);
    }
    result = list_some(&library, arguments, at);
    sp_lab_library_clear(&library);
    return result;
}
