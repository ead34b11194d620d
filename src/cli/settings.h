/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_SETTINGS_H
#define SIGNPOST_CLI_SETTINGS_H

/* The options that `serve` and `explain` share, as the configuration wants them. */

#include "cli/options.h"
#include "serve/config.h"

typedef struct sp_settings {
    sp_config_flags_t flags; /* borrows from the arguments and from `lists` */
    const char **lists;
} sp_settings_t;

/* Reads --config, --listen, --resolver, --zone, --threads and --no-cache, as far as the command has
 * them. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_settings_read(const sp_arguments_t *arguments, sp_settings_t *ret_settings);
void sp_settings_clear(sp_settings_t *settings);

#endif
