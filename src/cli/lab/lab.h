/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LAB_LAB_H
#define SIGNPOST_CLI_LAB_LAB_H

/* The three things that `lab` does. Operands from `at` on are theirs; each returns an exit status.
 */

#include "cli/options.h"

int sp_cli_lab_list(const sp_arguments_t *arguments, size_t at);
int sp_cli_lab_run(const sp_arguments_t *arguments, size_t at);
int sp_cli_lab_report(const sp_arguments_t *arguments, size_t at);

/* Prints "signpost lab: MESSAGE"; returns `result`. */
int sp_cli_lab_fail(int result, const char *message);

/* The exit status for a file of the user's: one that can't be read is no bad usage, one that says
 * something wrong is. */
int sp_cli_lab_status(const sp_error_t *err);

/* Whether operands from `at` on, `max` at most, can be experiments. SP_EXIT_USAGE: told why not. */
int sp_cli_lab_check_names(const sp_arguments_t *arguments, size_t at, size_t max);

/* The page of some results, each with the path that the user gave. */
int sp_cli_lab_write_report(const char *const *results, size_t count, const char *out,
                            const char *charts);

#endif
