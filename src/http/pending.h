/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_PENDING_H
#define SIGNPOST_HTTP_PENDING_H

/* One request from the handler's call to its end: read, decided (waiting for DNS where needed),
 * answered, reported. It ends with the request's own memory, whoever ends that: the answer has
 * been sent, or the client has left. */

#include "http/front_state.h"

typedef struct sp_pending sp_pending_t;

/* Answers now or later. */
void sp_pending_start(sp_front_t *front, h2o_req_t *req);

/* For sp_lookups_guard, when the lookups of a service limit what each client may ask. */
bool sp_pending_may_ask(void *pending);

/* Reports a request that the library itself refused (413, 400 for a bad body …). */
void sp_pending_report_refused(sp_front_t *front, h2o_req_t *req);

/* Answers all that wait with 503. */
void sp_pending_abort_all(sp_front_t *front);

/* Frees what is kept for reuse. */
void sp_pending_free_spares(sp_front_t *front);

#endif
