/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/orders.h"

#include <stdlib.h>
#include <time.h>

#include "acme/ledger.h"
#include "acme/order.h"
#include "dns/poller.h"

#define ARENA_CHUNK 4096

struct sp_orders {
    const sp_storage_t *storage;
    sp_orders_callbacks_t callbacks;
    sp_poller_t *poller;
    sp_order_t *first;
    size_t count;
};

const char *sp_order_result_name(sp_order_result_t result)
{
    switch (result) {
    case SP_ORDER_ISSUED:
        return "issued";
    case SP_ORDER_PRESENT:
        return "present";
    case SP_ORDER_REFUSED:
        return "refused";
    case SP_ORDER_FAILED:
        return "failed";
    }
    return "failed";
}

static size_t count_running(const sp_orders_t *orders)
{
    size_t count = 0;

    for (const sp_order_t *order = orders->first; order != NULL; order = order->next) {
        count += sp_order_is_running(order) ? 1 : 0;
    }
    return count;
}

/* Watches what the client prints for as long as there is something to come. */
static void watch(const sp_orders_t *orders, const sp_order_t *order)
{
    if (order->child.output != -1) {
        (void)sp_poller_watch(orders->poller, 0, order->child.output, !order->has_sent_all, false);
    }
    if (order->look_ms != 0) {
        sp_poller_wake_at(orders->poller, order->look_ms * 1000);
    }
}

/* `running`: clients, of all kinds. */
static bool has_room(const sp_order_t *order, size_t running)
{
    return running < (order->kind == SP_ORDER_RENEWAL && !order->is_awaited
                          ? SP_ORDERS_RENEWALS_RUNNING_MAX
                          : SP_ORDERS_RUNNING_MAX);
}

static void turn(const sp_orders_t *orders)
{
    size_t running = count_running(orders);
    uint64_t now_ms = sp_now_ms();

    for (sp_order_t *order = orders->first; order != NULL; order = order->next) {
        bool was_running = sp_order_is_running(order);

        sp_order_step(order, now_ms, has_room(order, running));
        running += !was_running && sp_order_is_running(order) ? 1 : 0;
        watch(orders, order);
    }
}

static void tell(sp_orders_t *orders, sp_order_t *order)
{
    const sp_order_end_t end = {.name = order->name,
                                .result = order->result,
                                .permit = order->permission.permit,
                                .why = order->why,
                                .is_renewal = order->kind != SP_ORDER_DEMAND,
                                .is_account = order->kind == SP_ORDER_REGISTRATION};

    orders->callbacks.on_end(orders->callbacks.arg, &end);
    orders->callbacks.leave(orders->callbacks.arg, order->view.holder);
}

static sp_order_t *take_ended(sp_orders_t *orders)
{
    for (sp_order_t **link = &orders->first; *link != NULL; link = &(*link)->next) {
        sp_order_t *order = *link;

        if (order->state == SP_ORDER_ENDED) {
            *link = order->next;
            --orders->count;
            return order;
        }
    }
    return NULL;
}

static void on_ready(void *arg, uint32_t tag, int fd, bool readable, bool writable)
{
    (void)arg; /* the end of the turn looks at all of them */
    (void)tag;
    (void)fd;
    (void)readable;
    (void)writable;
}

static void on_tick(void *arg)
{
    (void)arg;
}

/* The lock is given back before anybody hears of the end: what is wanted then, begins anew. */
static void on_end(void *arg)
{
    sp_orders_t *orders = arg;
    bool has_ended = false;

    turn(orders);
    for (sp_order_t *order = take_ended(orders); order != NULL; order = take_ended(orders)) {
        sp_arena_t arena = order->arena;

        has_ended = true;
        sp_arena_init(&order->arena, NULL, 0, ARENA_CHUNK); /* the name lies in the old one */
        sp_order_clear(order);
        tell(orders, order);
        sp_arena_clear(&arena);
        free(order);
    }
    if (has_ended) {
        sp_poller_wake(orders->poller); /* there is room for one that queues */
    }
}

sp_status_t sp_orders_create(h2o_loop_t *loop, const sp_storage_t *storage,
                             const sp_orders_callbacks_t *callbacks, sp_orders_t **ret_orders,
                             sp_error_t *err)
{
    sp_orders_t *orders = calloc(1, sizeof(*orders));
    const sp_poller_callbacks_t events = {on_ready, on_tick, on_end, orders};
    sp_status_t status = SP_OK;

    if (orders == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    orders->storage = storage;
    orders->callbacks = *callbacks;
    status = sp_poller_create(loop, &events, &orders->poller, err);
    if (status != SP_OK) {
        free(orders);
        return status;
    }
    *ret_orders = orders;
    return SP_OK;
}

void sp_orders_destroy(sp_orders_t *orders)
{
    if (orders == NULL) {
        return;
    }
    while (orders->first != NULL) {
        sp_order_t *order = orders->first;

        orders->first = order->next;
        sp_order_clear(order);
        orders->callbacks.leave(orders->callbacks.arg, order->view.holder);
        free(order);
    }
    sp_poller_destroy(orders->poller);
    free(orders);
}

/* NULL: none is under way. */
static sp_order_t *find(const sp_orders_t *orders, sp_str_t name)
{
    sp_order_t *order = orders->first;

    while (order != NULL && !sp_str_eq(order->name, name)) {
        order = order->next;
    }
    return order;
}

/* Is there a place for one more of that kind? */
static bool has_place(const sp_orders_t *orders, sp_order_kind_t kind)
{
    size_t renewals = 0;

    for (const sp_order_t *order = orders->first; order != NULL; order = order->next) {
        renewals += order->kind == SP_ORDER_RENEWAL ? 1 : 0;
    }
    return orders->count < SP_ORDERS_MAX &&
           (kind != SP_ORDER_RENEWAL || renewals < SP_ORDERS_RENEWALS_MAX);
}

static void on_permission(void *arg)
{
    sp_order_t *order = arg;

    order->is_permitted = true;
    sp_poller_wake(order->poller);
}

static sp_order_t *create_order(const sp_orders_t *orders, sp_str_t name, sp_order_kind_t kind)
{
    sp_order_t *order = calloc(1, sizeof(*order));

    if (order == NULL) {
        return NULL;
    }
    sp_arena_init(&order->arena, NULL, 0, ARENA_CHUNK);
    order->name = sp_arena_copy(&order->arena, name);
    if (order->name.ptr == NULL) {
        free(order);
        return NULL;
    }
    order->storage = orders->storage;
    order->poller = orders->poller;
    order->kind = kind;
    order->lock = -1;
    order->account_lock = -1;
    order->child.output = -1;
    return order;
}

static void add(sp_orders_t *orders, sp_order_t *order)
{
    order->view = orders->callbacks.enter(orders->callbacks.arg);
    order->next = orders->first;
    orders->first = order;
    ++orders->count;
    sp_poller_wake(orders->poller);
}

void sp_orders_register(sp_orders_t *orders)
{
    uint64_t now_s = (uint64_t)time(NULL);
    sp_order_t *order = NULL;
    sp_backoff_t backoff;

    sp_ledger_backoff(orders->storage, SP_ORDER_ACCOUNT_NAME, now_s, &backoff);
    if (find(orders, SP_ORDER_ACCOUNT_NAME) != NULL || sp_backoff_holds(&backoff, now_s)) {
        return;
    }
    order = create_order(orders, SP_ORDER_ACCOUNT_NAME, SP_ORDER_REGISTRATION);
    if (order == NULL) {
        return; /* the first order registers it */
    }
    order->state = SP_ORDER_ACCOUNT;
    order->deadline_ms = sp_now_ms() + SP_ORDER_MS;
    add(orders, order);
}

bool sp_orders_want(sp_orders_t *orders, sp_str_t name, sp_order_kind_t kind, uint64_t asker)
{
    sp_order_t *order = find(orders, name);
    sp_permission_with_t with = {.storage = orders->storage,
                                 .take_share = orders->callbacks.take_share,
                                 .share_arg = orders->callbacks.arg,
                                 .asker = asker};

    if (order != NULL) {
        order->is_awaited = order->is_awaited || kind == SP_ORDER_DEMAND;
        sp_poller_wake(orders->poller);
        return true;
    }
    order = has_place(orders, kind) ? create_order(orders, name, kind) : NULL;
    if (order == NULL) {
        return false;
    }
    add(orders, order);
    with.settings = order->view.settings;
    with.policy = order->view.policy;
    with.lookups = order->view.lookups;
    with.caa = order->view.caa;
    with.timeout_ms = order->view.timeout_ms;
    with.is_renewal = kind != SP_ORDER_DEMAND;
    sp_permission_start(order->name, &with, &order->arena, on_permission, order,
                        &order->permission);
    order->is_permitted = order->permission.is_done;
    sp_poller_wake(orders->poller);
    return true;
}

size_t sp_orders_count(const sp_orders_t *orders)
{
    return orders->count;
}
