/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_ADMIN_H
#define SIGNPOST_SERVE_ADMIN_ADMIN_H

/* The admin listener: health, metrics, explanations and the cache, over HTTP at an address of its
 * own, in a thread of its own with its own loop, so that a busy worker does not make it silent. */

#include "http/listener.h"
#include "serve/board.h"

typedef struct sp_admin sp_admin_t;

/* Listens at `address` and starts the thread; `board` must outlive it. SP_OK, SP_NO_MEMORY, or
 * SP_IO with the system's words in *err. */
sp_status_t sp_admin_create(const sp_address_t *address, sp_board_t *board, sp_admin_t **ret_admin,
                            sp_error_t *err);

/* Ends the thread: calls under way are cut off. Accepts NULL. */
void sp_admin_destroy(sp_admin_t *admin);

/* Where it listens. */
void sp_admin_print(const sp_admin_t *admin, char text[SP_LISTENER_TEXT_MAX]);

#endif
