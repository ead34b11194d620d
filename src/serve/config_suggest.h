/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_SUGGEST_H
#define SIGNPOST_SERVE_CONFIG_SUGGEST_H

/* The second half of a fault's message: what was expected. */

#include "serve/config_keys.h"

#define SP_CONFIG_ADVICE_MAX 120 /* octets with the NUL; what does not fit is cut */

/* `did you mean "tries"?`, or the keys that there are. */
void sp_config_advise_key(const sp_config_keys_t *keys, sp_str_t name,
                          char out[SP_CONFIG_ADVICE_MAX]);

/* `301, 302 or 303`: the words of a row, the last two joined by `joint`. */
void sp_config_list_words(const sp_config_key_t *key, const char *joint,
                          char out[SP_CONFIG_ADVICE_MAX]);

#endif
