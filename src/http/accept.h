/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_ACCEPT_H
#define SIGNPOST_HTTP_ACCEPT_H

/* Listening sockets on the loop, and what comes in through them. sp_front_listen_own is here. */

#include "http/front_state.h"

/* Nobody new gets through to our sockets; whoever has begun to connect does. Inherited sockets,
 * which go on without us, are closed on our side. */
void sp_accept_turn_away(sp_front_t *front);

/* Takes what still queues in the kernel, which closing would reset, then closes the sockets. */
void sp_accept_stop(sp_front_t *front);

/* Closes the sockets at once. */
void sp_accept_close(sp_front_t *front);

#endif
