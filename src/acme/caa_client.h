/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CAA_CLIENT_H
#define SIGNPOST_ACME_CAA_CLIENT_H

/* Looks for the CAA records that matter for a name: its own, else its parent's, and so on up (RFC
 * 8659, 3), at the configured resolvers. Names that zone files answer have none of their own; above
 * their zone the resolvers are asked as for any other name. One client belongs to one loop. */

#include <signpost/base/arena.h>

#include "acme/caa.h"
#include "dns/lookup.h"

typedef struct sp_caa_client sp_caa_client_t;
typedef struct sp_caa_lookup sp_caa_lookup_t;

/* Valid during the callback. */
typedef struct sp_caa_found {
    const char *failure; /* NULL, or why it is not known: "SERVFAIL", … */
    sp_str_t owner;      /* where the records are, or where it failed; empty: there are none */
    const sp_caa_record_t *records;
    size_t count;
} sp_caa_found_t;

typedef void sp_caa_done_fn(void *arg, const sp_caa_found_t *found);

/* `zones` may be NULL; it and `loop` must outlive the client. SP_OK, SP_NO_MEMORY or SP_IO. */
sp_status_t sp_caa_client_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                                 const sp_zones_t *zones, sp_caa_client_t **ret_client,
                                 sp_error_t *err);

/* Lookups that wait are dropped without calling back. Not from a callback. Accepts NULL. */
void sp_caa_client_destroy(sp_caa_client_t *client);

/* `done` runs once, later, from the loop, unless the lookup is cancelled before; at `deadline_ms`
 * (of sp_now_ms()) the latest. `name` is copied. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_caa_lookup_start(sp_caa_client_t *client, sp_str_t name, uint64_t deadline_ms,
                                sp_caa_done_fn *done, void *arg, sp_caa_lookup_t **ret_lookup);

void sp_caa_lookup_cancel(sp_caa_lookup_t *lookup);

#endif
