/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_HANDLER_H
#define SIGNPOST_HTTP_HANDLER_H

/* Where the library's requests enter: every host and every path leads to one handler. */

#include "http/front_state.h"

/* Fills front->config; sp_handler_clear frees it. */
void sp_handler_init(sp_front_t *front);
void sp_handler_clear(sp_front_t *front);

#endif
