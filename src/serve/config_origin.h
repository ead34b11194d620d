/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_ORIGIN_H
#define SIGNPOST_SERVE_CONFIG_ORIGIN_H

/* Where the values of a configuration were written, for those who find out later that what a value
 * names can't be used. */

#include "serve/config.h"
#include "serve/config_faults.h"

/* Says that `config` was read from `file`: `text` is what it holds, empty where it could not be
 * read or is no JSON, and `faults` what was found in it (NULL: nothing). All is copied to the
 * configuration's arena. SP_OK, SP_NO_MEMORY. */
sp_status_t sp_config_origin_set(sp_config_t *config, const char *file, sp_str_t text,
                                 const sp_config_faults_t *faults);

/* Was the value that the JSON pointer names read, or left to its default? False where something is
 * wrong with it, so that nobody knows what it was to be. */
bool sp_config_knows(const sp_config_t *config, const char *pointer);

/* Tells a fault in what the value names, at its place in the file; of a value that is not in the
 * file, at what it would be in. */
void sp_config_tell(const sp_config_t *config, const char *pointer, const char *message,
                    sp_config_fault_fn *on_fault, void *arg);

#endif
