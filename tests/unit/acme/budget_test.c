/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/budget.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NOW ((uint64_t)1800000000)

static const sp_budget_t two_and_three = {.per_domain_per_week = 2, .per_hour = 3};

static sp_budget_state_t check(const char *orders, const char *domain, uint64_t *free_s)
{
    return sp_budget_check(&two_and_three, sp_str_from(orders), sp_str_from(domain), NOW, free_s);
}

Test(budget, is_left_where_nothing_was_ordered)
{
    uint64_t free_s = 0;

    cr_expect_eq(check("", "example.com", &free_s), SP_BUDGET_LEFT);
}

Test(budget, of_a_domain_is_spent_at_its_limit_and_not_before)
{
    uint64_t free_s = 0;

    cr_expect_eq(check("1799900000 example.com\n", "example.com", &free_s), SP_BUDGET_LEFT);
    cr_expect_eq(check("1799900000 example.com\n1799990000 example.com\n", "example.com", &free_s),
                 SP_BUDGET_DOMAIN_SPENT);
    cr_expect_eq(free_s, 1799900000 + SP_BUDGET_WEEK_S);
    cr_expect_eq(check("1799900000 example.com\n1799990000 example.com\n", "example.org", &free_s),
                 SP_BUDGET_LEFT);
}

Test(budget, forgets_what_is_a_week_old)
{
    char orders[128];
    uint64_t free_s = 0;

    (void)snprintf(orders, sizeof(orders), "%llu example.com\n%llu example.com\n",
                   (unsigned long long)(NOW - SP_BUDGET_WEEK_S),
                   (unsigned long long)(NOW - SP_BUDGET_WEEK_S + 1));
    cr_expect_eq(check(orders, "example.com", &free_s), SP_BUDGET_LEFT);
}

Test(budget, of_an_hour_counts_all_domains)
{
    uint64_t free_s = 0;
    const char *orders = "1799996401 a.com\n1799999000 b.com\n1799999999 c.com\n";

    cr_expect_eq(check(orders, "d.com", &free_s), SP_BUDGET_HOUR_SPENT);
    cr_expect_eq(free_s, 1799996401 + SP_BUDGET_HOUR_S);
    cr_expect_eq(check("1799996400 a.com\n1799999000 b.com\n1799999999 c.com\n", "d.com", &free_s),
                 SP_BUDGET_LEFT);
}

Test(budget, is_free_again_when_so_many_have_gone_that_one_fits)
{
    uint64_t free_s = 0;
    const char *orders = "1799990000 a.com\n1799991000 a.com\n1799992000 a.com\n1799993000 a.com\n";

    cr_expect_eq(check(orders, "a.com", &free_s), SP_BUDGET_DOMAIN_SPENT);
    cr_expect_eq(free_s, 1799992000 + SP_BUDGET_WEEK_S); /* then only one is left */
}

Test(budget, of_nothing_is_always_spent)
{
    const sp_budget_t none = {.per_domain_per_week = 0, .per_hour = 10};
    uint64_t free_s = 0;

    cr_expect_eq(sp_budget_check(&none, SP_STR(""), SP_STR("a.com"), NOW, &free_s),
                 SP_BUDGET_DOMAIN_SPENT);
    cr_expect_eq(free_s, NOW + SP_BUDGET_WEEK_S);
}

Test(budget, counts_orders_of_the_future_as_of_now)
{
    uint64_t free_s = 0;

    cr_expect_eq(check("1900000000 a.com\n1900000000 a.com\n", "a.com", &free_s),
                 SP_BUDGET_DOMAIN_SPENT);
    cr_expect_eq(free_s, NOW + SP_BUDGET_WEEK_S);
}

Test(budget, passes_over_lines_that_are_none)
{
    uint64_t free_s = 0;

    cr_expect_eq(check("\n1799999999\nx a.com\n-1 a.com\n 1799999999 a.com\n"
                       "1799999999 a.com\n99999999999999999999 a.com\n",
                       "a.com", &free_s),
                 SP_BUDGET_LEFT);
}

Test(budget, adds_and_drops)
{
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 1024);
    sp_buf_init(&buf, &arena, 1024);
    sp_budget_add(SP_STR("1700000000 old.com\nnoise\n1799999999 a.com\n"), SP_STR("b.com"), NOW,
                  &buf);
    cr_expect(sp_str_eq(sp_buf_str(&buf), SP_STR("1799999999 a.com\n1800000000 b.com\n")));
    sp_arena_clear(&arena);
}

Test(budget, takes_one_order_back)
{
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 1024);
    sp_buf_init(&buf, &arena, 1024);
    sp_budget_remove(SP_STR("1799999998 a.com\n1799999999 b.com\n1799999999 a.com\n"
                            "1799999999 a.com\n"),
                     SP_STR("a.com"), 1799999999, &buf);
    cr_expect(sp_str_eq(sp_buf_str(&buf),
                        SP_STR("1799999998 a.com\n1799999999 b.com\n1799999999 a.com\n")));
    sp_arena_clear(&arena);
}
