/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_RENEWALS_H
#define SIGNPOST_ACME_RENEWALS_H

/* Goes round the certificates of a storage, a few at a time, orders anew what is due, and counts
 * what is there. Names whose record is gone are refused by the orders like any other, and looked at
 * again after an hour; what expired long ago and is refused still, is deleted, so that a storage
 * does not grow for as long as names come and go. */

#include "acme/inventory.h"
#include "acme/orders.h"

#define SP_RENEWALS_STEP 100       /* names looked at in one step */
#define SP_RENEWALS_PAUSE_MS 10000 /* from the end of a round to the next */
#define SP_RENEWALS_REFUSED_S 3600
#define SP_RENEWALS_KEEP_S ((time_t)30 * 86400) /* how long what has expired is kept at least */

/* Of the last complete round. */
typedef struct sp_renewals_figures {
    bool is_known; /* there was one */
    uint64_t names[SP_INVENTORY_STATES];
    time_t next_expiry; /* 0: there is no valid certificate */
} sp_renewals_figures_t;

typedef struct sp_renewals {
    const sp_storage_t *storage;
    sp_orders_t *orders;
    sp_storage_walk_t *walk; /* NULL: between two rounds */
    uint64_t next_ms;
    bool has_changed; /* since the round began, or since the last: the next one waits for nothing */
    sp_renewals_figures_t counting;
    sp_renewals_figures_t figures;
} sp_renewals_t;

/* Both are borrowed. */
void sp_renewals_init(sp_renewals_t *renewals, const sp_storage_t *storage, sp_orders_t *orders);
void sp_renewals_clear(sp_renewals_t *renewals);

/* To be called about once a second. True when a round has ended: `figures` are new. */
bool sp_renewals_step(sp_renewals_t *renewals, uint64_t now_ms, time_t now);

/* An order has ended. What is there now is counted as soon as the round that goes on is over. Of a
 * renewal that was refused it is remembered when to try again; where the certificate expired more
 * than SP_RENEWALS_KEEP_S ago, it is deleted: true. Nothing is deleted because DNS can't be asked,
 * nor because the authority fails: a clock that is wrong must not empty the storage; nor what was
 * not put there by an order. */
bool sp_renewals_note(sp_renewals_t *renewals, const sp_order_end_t *end, time_t now);

#endif
