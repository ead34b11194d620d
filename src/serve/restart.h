/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_RESTART_H
#define SIGNPOST_SERVE_RESTART_H

/* What a reload can't change. */

#include "serve/log.h"

/* Warns of each setting of `config` that differs and only counts from the next start, and puts what
 * is in force back in its place, so that `config` says what is done. SP_OK, SP_NO_MEMORY. */
sp_status_t sp_restart_keep(const sp_log_t *log, const sp_config_t *old, sp_config_t *config);

#endif
