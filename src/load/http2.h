/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_HTTP2_H
#define SIGNPOST_LOAD_HTTP2_H

/* HTTP/2 of a connection, by libnghttp2: many requests under way at a time. Without TLS it is
 * spoken from the first octet on (prior knowledge). */

#include "load/worker.h"

/* What all connections of a worker have in common; SP_OK or SP_NO_MEMORY. */
sp_status_t sp_load_http2_prepare(sp_load_worker_t *worker);
void sp_load_http2_forget(sp_load_worker_t *worker);

/* The connection is open. False: no memory. */
bool sp_load_http2_begin(sp_load_connection_t *connection);

/* Nothing happens where there is no HTTP/2. */
void sp_load_http2_end(sp_load_connection_t *connection);

/* The request is written with the next flush. */
void sp_load_http2_submit(sp_load_request_t *request);

/* Octets of the server. The connection may be closed afterwards. */
void sp_load_http2_take(sp_load_connection_t *connection, sp_str_t octets);

/* Writes what is to be written. Nothing happens where there is no HTTP/2; the connection may be
 * closed afterwards. */
void sp_load_http2_flush(sp_load_connection_t *connection);

/* The request has ended, as far as we are concerned: its answer is no longer wanted. */
void sp_load_http2_cancel(sp_load_connection_t *connection, int32_t stream);

#endif
