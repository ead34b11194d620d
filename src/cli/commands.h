/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_COMMANDS_H
#define SIGNPOST_CLI_COMMANDS_H

/* One file per subcommand, one table each. */

#include "cli/options.h"

extern const sp_command_t sp_command_serve;
extern const sp_command_t sp_command_cert;
extern const sp_command_t sp_command_explain;
extern const sp_command_t sp_command_lab;
extern const sp_command_t sp_command_lint;
extern const sp_command_t sp_command_load;
extern const sp_command_t sp_command_health;
extern const sp_command_t sp_command_completion;
extern const sp_command_t sp_command_version;

/* Started by the laboratory; not in the overview. */
extern const sp_command_t sp_command_lab_delay;
extern const sp_command_t sp_command_lab_lookups;
extern const sp_command_t sp_command_lab_relay;

/* Those for people, in the order of the overview. */
const sp_command_t *const *sp_commands(size_t *ret_count);

#endif
