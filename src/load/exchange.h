/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_EXCHANGE_H
#define SIGNPOST_LOAD_EXCHANGE_H

/* The life of one request: due, sent, ended. Everything that is told to the tally is told here. */

#include "load/worker.h"

/* A request became due. */
void sp_load_exchange_due(sp_load_worker_t *worker, uint64_t due_ns);

/* Sends it on an open connection that has room for it. */
void sp_load_exchange_send(sp_load_connection_t *connection, const sp_load_due_t *due);

/* An answer is complete. */
void sp_load_exchange_answered(sp_load_request_t *request, const sp_load_answer_t *answer);

/* It ended without an answer. */
void sp_load_exchange_ended(sp_load_request_t *request, sp_load_kind_t kind);

/* One that was never sent ended. */
void sp_load_exchange_dropped(sp_load_worker_t *worker, const sp_load_due_t *due,
                              sp_load_kind_t kind);

/* The server has said that it did nothing with the request (HTTP/2): it goes back to the head of
 * the queue, and its latency goes on counting; after a few times it has failed. */
void sp_load_exchange_give_back(sp_load_request_t *request);

#endif
