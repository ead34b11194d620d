/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_LINGER_H
#define SIGNPOST_HTTP_LINGER_H

/* The gentle end of a connection whose client is still sending (RFC 9112, 9.6): our side is shut,
 * and what arrives is thrown away until the client closes too. */

#include "http/front_state.h"

#define SP_LINGER_MS 2000
#define SP_LINGER_OCTETS_MAX ((size_t)1024 * 1024)

/* Takes `fd` over. */
void sp_linger_start_own(sp_front_t *front, int fd);

/* Ends all at once. */
void sp_linger_stop_all(sp_front_t *front);

#endif
