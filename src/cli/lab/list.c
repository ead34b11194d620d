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
static void print_needs(const sp_lab_experiment_t *experiment)
{
    const char *names[SP_LAB_LIBRARY_ROLES_MAX];
    size_t count = 0;

    for (size_t i = 0; i != experiment->setup_count; ++i) {
        const sp_lab_setup_t *setup = &experiment->setups[i];
        const char *roles[SP_LAB_ROLES_MAX + SP_LAB_LISTED_MAX + 2];
        size_t role_count = 0;

        for (size_t k = 0; k != setup->roles.count; ++k) {
            roles[role_count++] = setup->roles.list[k].role;
        }
        for (size_t k = 0; k != setup->raw.count; ++k) {
            roles[role_count++] = setup->raw.list[k].role;
        }
        if (setup->steps.role != NULL) {
            roles[role_count++] = setup->steps.role;
        }
        if (sp_lab_setup_serves(setup)) {
            roles[role_count++] = setup->app.role;
        }
        for (size_t k = 0; k != role_count; ++k) {
            size_t known = 0;

            while (known != count && strcmp(names[known], roles[k]) != 0) {
                ++known;
            }
            if (known == count && count != SP_LAB_LIBRARY_ROLES_MAX) {
                names[count++] = roles[k];
            }
        }
    }
    (void)printf("  needs");
    for (size_t i = 0; i != count; ++i) {
        (void)printf("%s %s", i == 0 ? "" : ",", names[i]);
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
            result = sp_cli_lab_fail(SP_EXIT_USAGE, err.message);
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
    for (; name != NULL && names.count != SP_LAB_LIBRARY_EXPERIMENTS_MAX;
         name = sp_arguments_next(arguments, NULL, &at)) {
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
    int result = SP_EXIT_DONE;

    if (sp_lab_library_open(sp_arguments_value(arguments, "lab"), &library, &err) != SP_OK) {
        return sp_cli_lab_fail(SP_EXIT_USAGE, err.message);
    }
    result = list_some(&library, arguments, at);
    sp_lab_library_clear(&library);
    return result;
}
