/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_ORDERS_H
#define SIGNPOST_ACME_ORDERS_H

/* Getting certificates, on a loop: at most one order for a name, however often it is wanted and
 * however many processes share the storage. An order asks for permission, takes the name's lock,
 * has the ACME client do its work, and puts the pair in its place. Nothing here waits for the
 * authority but the order itself. */

#include "acme/permission.h"

#define SP_ORDERS_MAX ((size_t)2000)      /* names at a time; more are refused */
#define SP_ORDERS_RUNNING_MAX ((size_t)8) /* of them with a client running; others queue */
/* Of both, renewals, for which nobody waits, however many are due. */
#define SP_ORDERS_RENEWALS_MAX ((size_t)32)
#define SP_ORDERS_RENEWALS_RUNNING_MAX ((size_t)6)
#define SP_ORDER_MS 60000 /* for a client to end */

typedef struct sp_orders sp_orders_t;

typedef enum sp_order_result {
    SP_ORDER_ISSUED,
    SP_ORDER_PRESENT, /* it was there already, or another process has got it */
    SP_ORDER_REFUSED, /* not permitted */
    SP_ORDER_FAILED
} sp_order_result_t;
#define SP_ORDER_RESULTS (SP_ORDER_FAILED + 1)

const char *sp_order_result_name(sp_order_result_t result); /* "issued" … */

/* What has come of an order; valid during the callback. */
typedef struct sp_order_end {
    sp_str_t name;
    sp_order_result_t result;
    sp_permit_t permit; /* REFUSED */
    const char *why;    /* in plain words; "" where all is well */
    bool is_renewal;
    bool is_account; /* no certificate at all: the account was registered, or was not */
} sp_order_end_t;

/* The configuration in force, held by one order. */
typedef struct sp_orders_view {
    const sp_acme_settings_t *settings;
    const sp_policy_t *policy;
    sp_lookups_t *lookups;
    sp_caa_client_t *caa;
    unsigned timeout_ms;
    void *holder; /* the lender's own */
} sp_orders_view_t;

typedef struct sp_orders_callbacks {
    sp_orders_view_t (*enter)(void *arg);
    void (*leave)(void *arg, void *holder);
    void (*on_end)(void *arg, const sp_order_end_t *end); /* from the loop; may want others */
    sp_permission_share_fn *take_share;                   /* may be NULL */
    void *arg;
} sp_orders_callbacks_t;

/* All that is named must outlive the orders. SP_OK, SP_NO_MEMORY or SP_IO. */
sp_status_t sp_orders_create(h2o_loop_t *loop, const sp_storage_t *storage,
                             const sp_orders_callbacks_t *callbacks, sp_orders_t **ret_orders,
                             sp_error_t *err);

/* Ends clients that run, and calls back no more. Accepts NULL. */
void sp_orders_destroy(sp_orders_t *orders);

typedef enum sp_order_kind {
    SP_ORDER_DEMAND,      /* somebody waits: ends at once where there is a valid one */
    SP_ORDER_RENEWAL,     /* replaces one that is due; no budget is spent */
    SP_ORDER_FORCED,      /* replaces any; an operator has said so */
    SP_ORDER_REGISTRATION /* no certificate: see sp_orders_register */
} sp_order_kind_t;

/* `name` as sp_tls_name_read leaves it; `asker`: at whose wish, for take_share. on_end follows,
 * later, unless an order for the name is under way already: then that one's. False: too many (of
 * its kind), or no memory. */
bool sp_orders_want(sp_orders_t *orders, sp_str_t name, sp_order_kind_t kind, uint64_t asker);

/* Registers the account, if that is still to be done, so that no handshake has to wait for it.
 * Nothing happens while an earlier try's wait lasts. */
void sp_orders_register(sp_orders_t *orders);

/* Under way, now. */
size_t sp_orders_count(const sp_orders_t *orders);

#endif
