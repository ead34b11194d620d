/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_SWEEP_H
#define SIGNPOST_HTTP_SWEEP_H

/* Looks over all connections of a front: which are a burden, which can go. */

#include "http/front_state.h"

/* Each second. Cuts off
 * - connections that send far more than they ask (connection.h): floods of frames that the library
 *   answers by itself;
 * - connections on which for SP_FRONT_STUCK_MS no request has begun or ended, unless one waits for
 *   DNS: streams that never end, answers that are taken drop by drop. */
void sp_sweep_each_second(sp_front_t *front, uint64_t now_ms);

/* While draining, each SP_SWEEP_LEAVE_MS. HTTP/1 connections that have been idle for a moment are
 * told to go by FIN; a request that crosses it meets a clean end, never RST. Those in use are left
 * to their next answer, which says "Connection: close"; HTTP/2 to the library's GOAWAY. */
#define SP_SWEEP_LEAVE_MS 100
void sp_sweep_leave(sp_front_t *front, uint64_t now_ms);

/* Cuts off the connection that has been idle longest, else one that does not take its answers.
 * False when there is none. */
bool sp_sweep_evict(sp_front_t *front, uint64_t now_ms);

/* Cuts off all. */
void sp_sweep_all(sp_front_t *front);

#endif
