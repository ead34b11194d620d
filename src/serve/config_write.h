/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_WRITE_H
#define SIGNPOST_SERVE_CONFIG_WRITE_H

/* A configuration as JSON, along the table of its keys, in the shape of the file: what was left out
 * there shows its default. */

#include <jansson.h>

#include "serve/config.h"

/* `dns` (may be NULL) has the resolvers that are really asked, which the file may have left to
 * /etc/resolv.conf. NULL when memory is out; else the caller's to give up. */
json_t *sp_config_json(const sp_config_t *config, const sp_dns_options_t *dns);

#endif
