/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CHECK_H
#define SIGNPOST_SERVE_CHECK_H

/* Loading a snapshot and judging whether this version can serve with it. sp_serve_check is here. */

#include "serve/snapshot.h"

/* As sp_snapshot_load; also SP_BAD_VALUE (logged) when listeners could not do what they are asked
 * to. Every fault is told, whatever else is wrong. What can't change while `old` is in force
 * stays as it is there. */
sp_status_t sp_check_load(const sp_config_flags_t *flags, const sp_log_t *log,
                          const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot);

#define SP_EXIT_SERVED 0
#define SP_EXIT_CANNOT_SERVE 1
#define SP_EXIT_CANNOT_LOAD 2

/* The exit status for a snapshot that could not be loaded. */
int sp_check_exit_status(sp_status_t status);

#endif
