/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_WRITE_RESPONSE_H
#define SIGNPOST_HTTP_WRITE_RESPONSE_H

/* An outcome as an HTTP response. Date and framing are the library's; Server is ours unless the
 * outcome has one. */

#include <signpost/rule/outcome.h>

#include "dns/compat_h2o.h"

/* Starts and finishes the response. The outcome, what it points to, and `generator` must live until
 * the request is over. */
void sp_write_response(h2o_req_t *req, const sp_outcome_t *outcome, h2o_generator_t *generator);

/* "Found" for 302, and so on; "Unknown" for a status that we never send. */
const char *sp_reason_phrase(unsigned status);

#endif
