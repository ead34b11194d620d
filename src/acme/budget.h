/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_BUDGET_H
#define SIGNPOST_ACME_BUDGET_H

/* How many orders there may be: so many of one registered domain within a week, so many of all
 * within an hour. What has been ordered is a text, one line an order, the oldest first:
 *
 *     SECONDS-SINCE-1970 REGISTERED-DOMAIN
 *
 * A line that reads otherwise is passed over. Renewals are no part of it. */

#include <signpost/base/buf.h>
#include <stdint.h>

#define SP_BUDGET_WEEK_S ((uint64_t)604800)
#define SP_BUDGET_HOUR_S ((uint64_t)3600)

typedef struct sp_budget {
    unsigned per_domain_per_week;
    unsigned per_hour;
} sp_budget_t;

typedef enum sp_budget_state {
    SP_BUDGET_LEFT,
    SP_BUDGET_DOMAIN_SPENT,
    SP_BUDGET_HOUR_SPENT
} sp_budget_state_t;

/* May something of `domain` be ordered at `now_s`? If not, *ret_free_s is when it may. An order of
 * the future, since a clock was wrong, counts as one of now. */
sp_budget_state_t sp_budget_check(const sp_budget_t *budget, sp_str_t orders, sp_str_t domain,
                                  uint64_t now_s, uint64_t *ret_free_s);

/* Appends to `ret_orders` what of `orders` still matters at `now_s`, and an order of `domain`. */
void sp_budget_add(sp_str_t orders, sp_str_t domain, uint64_t now_s, sp_buf_t *ret_orders);

/* Appends to `ret_orders` what `orders` holds, but for one order of `domain` at `at_s`. */
void sp_budget_remove(sp_str_t orders, sp_str_t domain, uint64_t at_s, sp_buf_t *ret_orders);

#endif
