/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_ENDPOINTS_H
#define SIGNPOST_HTTP_ENDPOINTS_H

/* A small HTTP server for operators, with sockets of its own: each request is a call that is
 * answered at once or later. Everything here belongs to the thread that runs the loop. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/rule/outcome.h>

#include "dns/compat_h2o.h"

#define SP_ENDPOINTS_CONNECTIONS_MAX 256 /* more are closed at once */
#define SP_ENDPOINTS_BODY_MAX ((size_t)4096)

typedef struct sp_endpoints sp_endpoints_t;
typedef struct sp_call sp_call_t;

/* Answers with sp_call_answer, now or later. */
typedef void sp_call_fn(void *arg, sp_call_t *call);

sp_status_t sp_endpoints_create(h2o_loop_t *loop, sp_call_fn *on_call, void *arg,
                                sp_endpoints_t **ret_endpoints);

/* Cuts off what is still open. To be called from the loop's thread, outside the loop, which it runs
 * for a moment. Accepts NULL. */
void sp_endpoints_destroy(sp_endpoints_t *endpoints);

/* Accepts connections from a listening, non-blocking socket; `fd` belongs to the endpoints from now
 * on. */
void sp_endpoints_listen_own(sp_endpoints_t *endpoints, int fd);

/* Of the request; valid as long as the call. */
sp_str_t sp_call_method(const sp_call_t *call);
sp_str_t sp_call_path(const sp_call_t *call);  /* as sent */
sp_str_t sp_call_query(const sp_call_t *call); /* as sent, without '?' */
sp_str_t sp_call_accept(const sp_call_t *call);

/* Memory that goes with the call. */
sp_arena_t *sp_call_arena(sp_call_t *call);

/* `on_gone` runs when the call ends: after it has been answered, or because the client left. */
void sp_call_set_on_gone(sp_call_t *call, void (*on_gone)(void *arg), void *arg);

/* Once. What the answer points to must live as long as the call, which may end in here. Content-
 * Length and Date are added, and for HEAD the body is left out. */
void sp_call_answer(sp_call_t *call, const sp_outcome_t *answer);

#endif
