/* SPDX-License-Identifier: Apache-2.0 */

/* The table of subcommands: the overview, the way to them and the shells' completion follow it. */

#include "cli/commands.h"

static const sp_command_t *const commands[] = {
    &sp_command_serve,  &sp_command_explain,    &sp_command_cert,
    &sp_command_lint,   &sp_command_load,       &sp_command_lab,
    &sp_command_health, &sp_command_completion, &sp_command_version,
};

const sp_command_t *const *sp_commands(size_t *ret_count)
{
    *ret_count = SP_COUNT(commands);
    return commands;
}
