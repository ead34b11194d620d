/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_UPSTREAM_H
#define SIGNPOST_SERVE_ADMIN_UPSTREAM_H

/* The admin listener's own way to DNS, always with the snapshot in force, and its watch over the
 * resolvers: while no worker hears from one, it asks for a name that no zone holds. */

#include "acme/caa_client.h"
#include "serve/board.h"

typedef struct sp_upstream sp_upstream_t;

/* A snapshot with lookups of its own, for as long as somebody uses them. */
typedef struct sp_upstream_use {
    sp_snapshot_t *snapshot;
    sp_lookups_t *lookups;
    sp_lookups_t *probing; /* past cache and zones */
    sp_caa_client_t *caa;
    size_t users;
    struct sp_upstream_use *next; /* older ones that are still in use */
} sp_upstream_use_t;

/* Everything belongs to the loop's thread. `board` must outlive it. */
sp_status_t sp_upstream_create(h2o_loop_t *loop, sp_board_t *board, sp_upstream_t **ret_upstream,
                               sp_error_t *err);

/* When nobody uses it. Accepts NULL. */
void sp_upstream_destroy(sp_upstream_t *upstream);

/* The snapshot in force, held until sp_upstream_leave. */
sp_upstream_use_t *sp_upstream_enter(sp_upstream_t *upstream);
void sp_upstream_leave(sp_upstream_use_t *use);

/* Frees what nobody uses any more; outside of callbacks of lookups. */
void sp_upstream_sweep(sp_upstream_t *upstream);

typedef struct sp_upstream_silence {
    bool is_too_long;
    bool has_resolvers;
    uint64_t ms; /* since a resolver answered anyone, or since the watch began */
} sp_upstream_silence_t;

/* Is it longer than dns.timeout_ms × 5 since a resolver answered? */
sp_upstream_silence_t sp_upstream_silence(sp_upstream_t *upstream);

/* The counts of its own lookups. */
const sp_dns_stats_t *sp_upstream_stats(const sp_upstream_t *upstream);

#endif
