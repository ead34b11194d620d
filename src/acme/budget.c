/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/budget.h"

/* One line of the text. */
typedef struct order {
    uint64_t at_s;
    sp_str_t domain;
} order_t;

/* The next order; false at the end. */
static bool next_order(sp_str_t *rest, order_t *ret_order)
{
    while (rest->ptr != NULL) {
        sp_str_t line = sp_str_cut(*rest, '\n', rest);
        sp_str_t domain = {0};
        sp_str_t time = sp_str_cut(line, ' ', &domain);

        if (domain.len != 0 && sp_str_to_uint(time, INT64_MAX, &ret_order->at_s)) {
            ret_order->domain = domain;
            return true;
        }
    }
    return false;
}

static uint64_t age_of(const order_t *order, uint64_t now_s)
{
    return order->at_s >= now_s ? 0 : now_s - order->at_s;
}

/* One of the two limits: how many orders lie within it, and when the first of those that keep it
 * spent ends to count. */
typedef struct window {
    uint64_t length_s;
    unsigned limit;
    unsigned count;
    unsigned skip; /* orders in the window that may still lie in it when there is room */
    uint64_t free_s;
} window_t;

static void count_order(window_t *window, const order_t *order, uint64_t now_s)
{
    window->count += age_of(order, now_s) < window->length_s ? 1 : 0;
}

static void find_free(window_t *window, const order_t *order, uint64_t now_s)
{
    uint64_t age_s = age_of(order, now_s);

    if (age_s < window->length_s && window->skip != 0) {
        --window->skip;
        window->free_s = now_s + (window->length_s - age_s);
    }
}

static bool is_spent(window_t *window)
{
    window->skip = window->count >= window->limit ? window->count - window->limit + 1 : 0;
    return window->skip != 0;
}

sp_budget_state_t sp_budget_check(const sp_budget_t *budget, sp_str_t orders, sp_str_t domain,
                                  uint64_t now_s, uint64_t *ret_free_s)
{
    window_t week = {.length_s = SP_BUDGET_WEEK_S, .limit = budget->per_domain_per_week};
    window_t hour = {.length_s = SP_BUDGET_HOUR_S, .limit = budget->per_hour};
    order_t order;

    for (sp_str_t rest = orders; next_order(&rest, &order);) {
        count_order(&hour, &order, now_s);
        if (sp_str_eq(order.domain, domain)) {
            count_order(&week, &order, now_s);
        }
    }
    if (!is_spent(&week) && !is_spent(&hour)) {
        return SP_BUDGET_LEFT;
    }
    (void)is_spent(&hour);
    week.free_s = now_s + (week.skip == 0 ? 0 : week.length_s); /* where the limit is 0 */
    hour.free_s = now_s + (hour.skip == 0 ? 0 : hour.length_s);
    for (sp_str_t rest = orders; next_order(&rest, &order);) {
        find_free(&hour, &order, now_s);
        if (sp_str_eq(order.domain, domain)) {
            find_free(&week, &order, now_s);
        }
    }
    if (week.count >= week.limit) {
        *ret_free_s = week.free_s;
        return SP_BUDGET_DOMAIN_SPENT;
    }
    *ret_free_s = hour.free_s;
    return SP_BUDGET_HOUR_SPENT;
}

static void put(sp_buf_t *buf, uint64_t at_s, sp_str_t domain)
{
    sp_buf_append_uint(buf, at_s);
    sp_buf_append_char(buf, ' ');
    sp_buf_append(buf, domain);
    sp_buf_append_char(buf, '\n');
}

void sp_budget_add(sp_str_t orders, sp_str_t domain, uint64_t now_s, sp_buf_t *ret_orders)
{
    order_t order;

    for (sp_str_t rest = orders; next_order(&rest, &order);) {
        if (age_of(&order, now_s) < SP_BUDGET_WEEK_S) {
            put(ret_orders, order.at_s < now_s ? order.at_s : now_s, order.domain);
        }
    }
    put(ret_orders, now_s, domain);
}

void sp_budget_remove(sp_str_t orders, sp_str_t domain, uint64_t at_s, sp_buf_t *ret_orders)
{
    bool is_removed = false;
    order_t order;

    for (sp_str_t rest = orders; next_order(&rest, &order);) {
        if (!is_removed && order.at_s == at_s && sp_str_eq(order.domain, domain)) {
            is_removed = true;
        } else {
            put(ret_orders, order.at_s, order.domain);
        }
    }
}
