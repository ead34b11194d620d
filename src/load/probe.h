/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_PROBE_H
#define SIGNPOST_LOAD_PROBE_H

/* Can the run begin at all? Said in a sentence beforehand, instead of by counting thousands of
 * failures afterwards. */

#include <signpost/base/error.h>

#include "load/plan.h"

/* Raises the limit of open files as far as it is allowed. SP_OK, or SP_IO when it stays too low. */
sp_status_t sp_load_probe_files(const sp_load_plan_t *plan, sp_error_t *err);

/* Connects to the server once, and closes. SP_OK or SP_IO. */
sp_status_t sp_load_probe_server(const sp_load_plan_t *plan, sp_error_t *err);

#endif
