/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LOAD_FIND_SERVER_H
#define SIGNPOST_CLI_LOAD_FIND_SERVER_H

/* Where `load` connects to: `IPv4:port`, `[IPv6]:port`, or `name:port`, which the C library looks
 * up once, before the run. Of several addresses it is the first that can be connected to, in the
 * order in which any other program on the machine would try them (RFC 6724). */

#include <signpost/base/error.h>

#include "load/plan.h"

/* Sets the plan's address; its `timeout_ns` is set already. SP_OK; SP_BAD_VALUE, SP_IO (the name
 * can't be looked up) or SP_NO_MEMORY, with a sentence. */
sp_status_t sp_load_server_find(const char *text, sp_load_plan_t *plan, sp_error_t *err);

#endif
