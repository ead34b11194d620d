/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LOAD_READ_PLAN_H
#define SIGNPOST_CLI_LOAD_READ_PLAN_H

/* The options of `load` as the plan of a run. */

#include "cli/options.h"
#include "load/plan.h"

/* All but the targets. SP_OK, SP_BAD_VALUE, SP_NO_MEMORY, or SP_IO when the name of the server
 * can't be looked up; with a sentence. */
sp_status_t sp_load_plan_read(const sp_arguments_t *arguments, sp_load_plan_t *ret_plan,
                              sp_error_t *err);

#endif
