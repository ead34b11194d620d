/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_FILE_H
#define SIGNPOST_SERVE_CONFIG_FILE_H

/* From a JSON syntax error, as jansson tells it, to the place of the text that it is about. */

#include "serve/config_faults.h"

#include <jansson.h>

/* Adds the fault that `error` tells of `text`. */
void sp_config_add_syntax_error(sp_config_faults_t *faults, sp_str_t text,
                                const json_error_t *error);

#endif
