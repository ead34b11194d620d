/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_HELPER_H
#define SIGNPOST_LAB_HELPER_H

/* Our own programs in a topology: they say when they are ready, by a line on standard output. */

#include "lab/spawn.h"

/* What a helper writes, and what is waited for. */
#define SP_HELPER_READY "ready\n"

/* SP_IO, with what it wrote to standard error, when it ends instead. `options` says all but the
 * outputs. */
sp_status_t sp_helper_spawn(const sp_spawn_options_t *options, sp_process_t *ret_process,
                            sp_error_t *err);

#endif
