/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_READ_REQUEST_H
#define SIGNPOST_HTTP_READ_REQUEST_H

/* The library's request as plain slices; strict where the library is not. */

#include <signpost/decide/request.h>

#include "dns/compat_h2o.h"

/* What *ret_raw points to lives as long as the request or in `arena`; `trusted_peer` is left to the
 * caller. SP_OK, SP_NO_MEMORY, SP_TOO_LONG (header fields too large), or SP_BAD_SYNTAX, the latter
 * two with a sentence in *err. */
sp_status_t sp_read_request(h2o_req_t *req, sp_arena_t *arena, sp_raw_request_t *ret_raw,
                            sp_error_t *err);

/* Carried by an HTTP/1 connection, whatever the version in its request line. */
bool sp_is_http1(const h2o_req_t *req);

/* Corrects two entries of the library's table of field names; before any thread reads requests.
 * HTTP/2 requests may have Host beside :authority or in its place (RFC 9113, 8.3.1): it would be
 * dropped unseen. And HTTP/1.1's Upgrade to h2c, which RFC 9113 has given up, would carry requests
 * past everything that is checked here; it is ignored, as a server may. */
void sp_correct_library(void);

/* What the library took for the host: :authority, or the last Host field; ptr NULL when there was
 * none. */
sp_str_t sp_host_of(const h2o_req_t *req);

#endif
