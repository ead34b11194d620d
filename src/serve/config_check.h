/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_CHECK_H
#define SIGNPOST_SERVE_CONFIG_CHECK_H

/* What is judged about a configuration as a whole: values that are good one by one and don't go
 * together, and what is not the default. */

#include "serve/config.h"

/* `pointer` (RFC 6901) says which value of the file is meant. */
typedef void sp_config_conflict_fn(void *arg, const char *pointer, const char *message);

void sp_config_find_conflicts(const sp_config_t *config, sp_config_conflict_fn *on_conflict,
                              void *arg);

/* The defaults of everything that needs no memory, and so can't fail: all but `listen`, which is
 * empty. The arena is left alone. */
void sp_config_init_scalars(sp_config_t *config);

#endif
