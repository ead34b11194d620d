/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_FILE_LIMIT_H
#define SIGNPOST_SERVE_FILE_LIMIT_H

/* Connections are descriptors: as many as the system allows us. */

#include "serve/log.h"

/* Raises the limit of open files as far as the process may. */
void sp_file_limit_raise(const sp_log_t *log);

/* How many connections there can be when `others` descriptors are needed for everything else: at
 * least half of the limit. 0: there is no limit. */
size_t sp_file_limit_connections(size_t others);

#endif
