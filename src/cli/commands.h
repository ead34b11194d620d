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
extern const sp_command_t sp_command_version;

/* Started by the laboratory; not in the overview. */
extern const sp_command_t sp_command_lab_delay;
extern const sp_command_t sp_command_lab_lookups;
extern const sp_command_t sp_command_lab_relay;

#endif
