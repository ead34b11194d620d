/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_FORWARDED_H
#define SIGNPOST_DECIDE_FORWARDED_H

/* What a trusted proxy says of the request it passes on: Forwarded (RFC 7239), else X-Forwarded-*.
 * Of a list the first element counts. */

#include <signpost/decide/request.h>

typedef struct sp_forwarded {
    sp_str_t proto;  /* each is empty when nothing was said */
    sp_str_t host;   /* with port, if any */
    sp_str_t client; /* address, without port */
} sp_forwarded_t;

/* SP_OK or SP_NO_MEMORY. */
sp_status_t sp_forwarded_read(const sp_request_t *request, sp_arena_t *arena,
                              sp_forwarded_t *ret_forwarded);

#endif
