/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_SERVICE_H
#define SIGNPOST_HTTP_SERVICE_H

/* What the requests of one thread are answered with: rules of decision, DNS, and whom to trust. A
 * request keeps the service it began with, so a new configuration is a new service. */

#include <signpost/decide/decision.h>

#include "dns/lookup.h"

/* Does this peer's word about the visitor count (records.md REQ-7)? */
typedef bool sp_trusts_fn(const void *arg, const struct sockaddr *peer);

typedef struct sp_service {
    const sp_policy_t *policy;
    sp_lookups_t *lookups;
    unsigned timeout_ms;  /* for all lookups of a request together */
    sp_trusts_fn *trusts; /* NULL: no peer is trusted */
    const void *trusts_arg;
    unsigned connections_per_client;  /* at a time; 0: any number */
    unsigned misses_per_client_per_s; /* 0: any number */
    /* The answer to an authority that asks for `path` (RFC 8555, 8.3), in `arena`; ptr NULL: that
     * is no such question. NULL as a whole: no certificates are got. */
    sp_str_t (*challenge)(const void *arg, sp_str_t path, sp_arena_t *arena);
    const void *challenge_arg;
    size_t users; /* requests that hold it; the service may go when there are none */
} sp_service_t;

#endif
