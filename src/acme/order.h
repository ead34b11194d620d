/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_ORDER_H
#define SIGNPOST_ACME_ORDER_H

/* One order, as a machine that is turned by orders.c whenever something may have happened. */

#include "acme/child.h"
#include "acme/orders.h"
#include "dns/poller.h"

typedef enum sp_order_state {
    SP_ORDER_ASKING,      /* for permission */
    SP_ORDER_QUEUED,      /* until fewer clients run */
    SP_ORDER_LOCKING,     /* another process has the name's lock */
    SP_ORDER_ACCOUNT,     /* another order registers the account */
    SP_ORDER_REGISTERING, /* the client runs */
    SP_ORDER_ORDERING,    /* the client runs */
    SP_ORDER_ENDED
} sp_order_state_t;

typedef struct sp_order {
    struct sp_order *next;
    const sp_storage_t *storage;
    sp_poller_t *poller; /* of the orders: to be woken */
    sp_order_kind_t kind;
    bool is_awaited; /* a renewal that a client has come to wait for */
    sp_str_t name;
    sp_orders_view_t view;
    sp_order_state_t state;
    bool is_permitted; /* the permission is done */
    sp_arena_t arena;
    sp_permission_t permission;
    int lock;         /* of the name; -1: none */
    int account_lock; /* -1: none */
    bool has_registered_again;
    bool has_spent; /* its part of the budget */
    uint64_t
        spent_s; /* when; 0: it can't be taken back, since the authority may have heard of it */
    unsigned repeats;  /* of what the client could have repeated itself */
    bool has_sent_all; /* the client's output has ended */
    sp_child_t child;
    uint64_t deadline_ms; /* of what it waits for */
    uint64_t look_ms;     /* look again then; 0: something else will wake it */
    sp_order_result_t result;
    char why[SP_PERMISSION_REASON_MAX];
} sp_order_t;

/* What stands for a name where the account alone is to be registered. */
#define SP_ORDER_ACCOUNT_NAME SP_STR(".account")

/* Does it take one of the places for clients that run? */
bool sp_order_is_running(const sp_order_t *order);

/* Goes on as far as it can at `now_ms` of sp_now_ms(); `has_room`: it may leave the queue. */
void sp_order_step(sp_order_t *order, uint64_t now_ms, bool has_room);

/* Lets go of everything that it holds; a client that still runs is ended. */
void sp_order_clear(sp_order_t *order);

/* --- order_files.c: what an order has on disk ----------------------------------------------------
 */

#define SP_ORDER_FOLDER SP_STORAGE_STATE "/orders/"

/* Is there nothing to do any more? */
bool sp_order_is_served(const sp_order_t *order);

/* Key, request and the client's configuration, in the order's own folder. */
sp_status_t sp_order_prepare(const sp_order_t *order, sp_error_t *err);

/* Puts what the client has brought in its place. */
sp_status_t sp_order_take_result(const sp_order_t *order, sp_error_t *err);

#endif
