/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_COMMAND_H
#define SIGNPOST_LAB_COMMAND_H

/* From a role and the use that is made of it to the words of a command. */

#include "lab/library.h"
#include "lab/template.h"

/* Variables of one use on top of those that all have; `ret_variables` borrows from all of them. */
sp_status_t sp_lab_use_variables(const sp_lab_variables_t *common, const sp_lab_pick_t *pick,
                                 const sp_lab_use_t *use, sp_lab_variables_t *ret_variables,
                                 sp_error_t *err);

/* A command as its templates make it, in the arena; ends in NULL. The program is replaced by its
 * path. */
sp_status_t sp_lab_command(const sp_lab_pick_t *pick, const sp_lab_texts_t *command,
                           const sp_lab_variables_t *variables, sp_arena_t *arena,
                           const char ***ret_argv, sp_error_t *err);

/* A template that is a short text; NULL and *err when it can't be filled. */
const char *sp_lab_fill_text(const char *text, const char *file,
                             const sp_lab_variables_t *variables, sp_arena_t *arena,
                             sp_error_t *err);

/* With a NUL behind it; NULL when memory is out. */
const char *sp_lab_own_text(sp_arena_t *arena, sp_str_t text);

#endif
