/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_RESTART_H
#define SIGNPOST_SERVE_RESTART_H

/* What a reload can't change. */

#include "serve/log.h"

/* Warns of each setting that differs and only counts from the next start. */
void sp_restart_warn(const sp_log_t *log, const sp_config_t *old, const sp_config_t *new);

#endif
