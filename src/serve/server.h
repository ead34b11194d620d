/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_SERVER_H
#define SIGNPOST_SERVE_SERVER_H

/* The daemon: one process with its listeners, workers, signals and logs. */

#include "serve/config.h"

/* Loads everything that `flags` names, listens, prints `ready` on standard output, serves, and
 * drains at SIGTERM or SIGINT. SIGHUP reads everything again; what is bad leaves the old in force.
 * The return value is the exit status: 0 after draining, 1 when the work failed (a port in use), 2
 * when the configuration or a zone is bad. Each reason goes to standard error, one line each. What
 * `flags` points to must stay valid. */
int sp_serve_run(const sp_config_flags_t *flags);

/* `serve --check`: loads everything that sp_serve_run would and reports on standard error every
 * fault of the configuration and its zones, and the keys that are not in force yet. Listens
 * nowhere. 0 when all is well, else 2. */
int sp_serve_check(const sp_config_flags_t *flags);

#endif
