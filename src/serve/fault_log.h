/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_FAULT_LOG_H
#define SIGNPOST_SERVE_FAULT_LOG_H

/* Faults of the configuration, and of what its values name, as lines of the log. */

#include "serve/log.h"

/* An sp_config_fault_fn; `arg` is a const sp_log_t. */
sp_config_fault_fn sp_fault_log;

/* What the value that the JSON pointer names leads to is wrong: "FILE:LINE:COLUMN: message". */
void sp_fault_log_value(const sp_log_t *log, const sp_config_t *config, const char *pointer,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Of the outcomes of two steps the one that counts for both: no memory, else the first fault. */
sp_status_t sp_fault_worse(sp_status_t first, sp_status_t second);

#endif
