/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/command.h"

#include <string.h>

const char *sp_lab_own_text(sp_arena_t *arena, sp_str_t text)
{
    char *copy = sp_arena_alloc(arena, text.len + 1);

    if (copy != NULL) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
    }
    return copy;
}

const char *sp_lab_fill_text(const char *text, const char *file,
                             const sp_lab_variables_t *variables, sp_arena_t *arena,
                             sp_error_t *err)
{
    sp_buf_t out;

    sp_buf_init(&out, arena, SP_LAB_TEMPLATE_MAX);
    if (sp_lab_template_fill(sp_str_from(text), file, variables, &out, err) != SP_OK) {
        return NULL;
    }
    return sp_lab_own_text(arena, sp_buf_str(&out));
}

static bool knows_parameter(const sp_lab_role_t *role, const char *name)
{
    for (size_t i = 0; i != role->parameters.count; ++i) {
        if (strcmp(role->parameters.list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static sp_status_t set_parameters(sp_lab_variables_t *variables,
                                  const sp_lab_parameters_t *parameters)
{
    sp_status_t status = SP_OK;

    for (size_t i = 0; status == SP_OK && i != parameters->count; ++i) {
        status =
            sp_lab_variables_set(variables, parameters->list[i].name, parameters->list[i].value);
    }
    return status;
}

sp_status_t sp_lab_use_variables(const sp_lab_variables_t *common, const sp_lab_pick_t *pick,
                                 const sp_lab_use_t *use, sp_lab_variables_t *ret_variables,
                                 sp_error_t *err)
{
    const sp_lab_role_t *role = pick->role;
    sp_status_t status = SP_OK;

    *ret_variables = *common;
    status = set_parameters(ret_variables, &role->parameters);
    if (status == SP_OK && pick->in_place_of != NULL) {
        status = set_parameters(ret_variables, &pick->in_place_of->stand_in_parameters);
    }
    for (size_t i = 0; status == SP_OK && i != use->parameters.count; ++i) {
        const sp_lab_parameter_t *parameter = &use->parameters.list[i];

        if (knows_parameter(role, parameter->name)) {
            status = sp_lab_variables_set(ret_variables, parameter->name, parameter->value);
        } else if (pick->in_place_of == NULL) {
            return sp_fail(err, SP_BAD_VALUE, 0, "the role '%s' has no parameter '%s'", role->name,
                           parameter->name);
        }
    }
    if (status == SP_OK && use->forward.count != 0) {
        status = sp_lab_variables_set_list(ret_variables, "forward", use->forward);
    }
    return status == SP_OK ? SP_OK : sp_fail(err, status, 0, "too many variables");
}

sp_status_t sp_lab_command(const sp_lab_pick_t *pick, const sp_lab_texts_t *command,
                           const sp_lab_variables_t *variables, sp_arena_t *arena,
                           const char ***ret_argv, sp_error_t *err)
{
    const char **argv = sp_arena_zalloc(arena, command->count + 1, sizeof(*argv));
    size_t count = 0;

    if (argv == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    for (size_t i = 0; i != command->count; ++i) {
        const char *word = command->list[i];
        const char *filled = sp_lab_fill_text(word, pick->role->name, variables, arena, err);

        if (filled == NULL) {
            return SP_BAD_VALUE;
        }
        if (i == 0 && strcmp(word, pick->role->program) == 0) {
            filled = sp_lab_own_text(arena, sp_str_from(pick->program));
        }
        if (filled != NULL && filled[0] != '\0') {
            argv[count++] = filled;
        }
    }
    if (count == 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the command of '%s' is empty", pick->role->name);
    }
    *ret_argv = argv;
    return SP_OK;
}
