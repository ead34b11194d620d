/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_VALUES_H
#define SIGNPOST_SERVE_CONFIG_VALUES_H

/* Readers of single texts in the configuration; see sp_config_parse_fn. Each names the type of the
 * field that it fills. */

#include "serve/config_keys.h"

sp_config_parse_fn sp_config_parse_address;     /* sp_address_t */
sp_config_parse_fn sp_config_parse_resolver;    /* struct sockaddr_storage */
sp_config_parse_fn sp_config_parse_network;     /* sp_network_t */
sp_config_parse_fn sp_config_parse_path;        /* const char *; never empty */
sp_config_parse_fn sp_config_parse_colour;      /* uint32_t, 0xRRGGBBAA */
sp_config_parse_fn sp_config_parse_certificate; /* const char *: NAME, *.NAME, empty */
sp_config_parse_fn sp_config_parse_url;         /* sp_str_t; empty: none */

/* config_values_acme.c; all sp_str_t */
sp_config_parse_fn sp_config_parse_https_url;
sp_config_parse_fn sp_config_parse_email; /* empty: none */
sp_config_parse_fn sp_config_parse_token;
sp_config_parse_fn sp_config_parse_base64url;
sp_config_parse_fn sp_config_parse_host;

#endif
