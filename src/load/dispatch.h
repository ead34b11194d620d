/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_DISPATCH_H
#define SIGNPOST_LOAD_DISPATCH_H

/* Brings requests and connections together. In the open loop requests come by their schedule, take
 * a free connection or wait for one; in the closed loop a free connection makes the next request.
 */

#include "load/worker.h"

/* Open loop: whatever is due by now. */
void sp_load_dispatch_due(sp_load_worker_t *worker);

/* A connection may have room: gives it what waits. It may be closed afterwards. */
void sp_load_dispatch_offer(sp_load_connection_t *connection);

/* Opens as many connections as are wanted and allowed, after those that are free are used. */
void sp_load_dispatch_open(sp_load_worker_t *worker);

/* Nothing more will become due. */
bool sp_load_dispatch_is_over(const sp_load_worker_t *worker);

#endif
