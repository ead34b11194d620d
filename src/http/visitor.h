/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_VISITOR_H
#define SIGNPOST_HTTP_VISITOR_H

/* Whom a trusted proxy speaks for, when it matters that nobody slips through: proxies append the
 * address that they saw to what the visitor has sent, so that the list counts from its end, up to
 * the first address that is no trusted proxy itself. */

#include "http/clients.h"
#include "http/service.h"

/* One for `Forwarded` (RFC 7239), one for `X-Forwarded-For`: which of them the proxy maintains
 * can't be known, the other may be the visitor's invention. Each must have its share left. */
#define SP_VISITORS_MAX 2

/* How many clients were found in these header fields. An entry that is no address is none. */
size_t sp_visitors_find(const sp_clients_t *clients, const sp_service_t *service,
                        const sp_header_t *headers, size_t header_count,
                        sp_client_t ret_visitors[SP_VISITORS_MAX]);

#endif
