/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer_shares.h"

#include <criterion/criterion.h>

#define NOW_MS UINT64_C(360000000)
#define HOUR_MS 3600000

static sp_clients_t *clients;
static uint64_t busy;
static uint64_t quiet;

static uint64_t number_of(const char *address)
{
    sp_client_t client = sp_client_named(clients, sp_str_from(address));

    return sp_client_to_number(&client);
}

static void create(void)
{
    cr_assert_eq(sp_clients_create(0, &clients), SP_OK);
    busy = number_of("192.0.2.1");
    quiet = number_of("2001:db8::1");
}

static void destroy(void)
{
    sp_clients_destroy(clients);
}

TestSuite(issuer_shares, .init = create, .fini = destroy);

/* A name that one client waits for. */
static sp_permit_t admit(uint64_t asker, unsigned per_hour, uint64_t now_ms)
{
    const sp_tls_askers_t askers = {.list = {asker}, .count = 1};
    uint64_t found = 0;
    sp_permit_t permit = sp_issuer_admit(clients, &askers, per_hour, now_ms, &found);

    cr_expect(permit != SP_PERMIT_GRANTED || found == asker);
    return permit;
}

Test(issuer_shares, let_a_client_have_so_many_names_looked_at_in_a_minute)
{
    for (unsigned i = 0; i != SP_ISSUER_NAMES_PER_MINUTE; ++i) {
        cr_assert_eq(admit(busy, 60, NOW_MS + i), SP_PERMIT_GRANTED, "%u", i);
    }
    cr_expect_eq(admit(busy, 60, NOW_MS + 59999), SP_PERMIT_CLIENT_NAMES);
    cr_expect_eq(admit(quiet, 60, NOW_MS + 59999), SP_PERMIT_GRANTED);
    cr_expect_eq(admit(0, 60, NOW_MS + 59999), SP_PERMIT_GRANTED, "a trusted proxy");
    for (unsigned i = 0; i != 2 * SP_ISSUER_NAMES_PER_MINUTE; ++i) {
        cr_expect_eq(admit(number_of("10.0.0.1"), 60, NOW_MS), SP_PERMIT_GRANTED, "a balancer");
        cr_expect(sp_issuer_take_order(clients, number_of("10.0.0.1"), 60, NOW_MS));
    }
    cr_expect_eq(admit(busy, 60, NOW_MS + 60000), SP_PERMIT_GRANTED, "the next minute");
}

Test(issuer_shares, let_a_client_spend_half_of_the_orders_of_an_hour)
{
    const unsigned budgets[] = {1, 2, 3, 60};
    const unsigned halves[] = {1, 1, 2, 30};

    for (size_t i = 0; i != SP_COUNT(budgets); ++i) {
        uint64_t now_ms = NOW_MS + i * HOUR_MS;

        for (unsigned order = 0; order != halves[i]; ++order) {
            cr_expect_eq(admit(busy, budgets[i], now_ms), SP_PERMIT_GRANTED);
            cr_expect(sp_issuer_take_order(clients, busy, budgets[i], now_ms));
        }
        cr_expect_not(sp_issuer_take_order(clients, busy, budgets[i], now_ms));
        cr_expect_eq(admit(busy, budgets[i], now_ms + HOUR_MS - 1), SP_PERMIT_CLIENT_BUDGET);
        cr_expect(sp_issuer_take_order(clients, quiet, budgets[i], now_ms));
    }
}

Test(issuer_shares, look_for_one_of_all_who_wait_that_has_some_left)
{
    const sp_tls_askers_t askers = {.list = {busy, quiet}, .count = 2};
    uint64_t found = 0;

    for (int i = 0; i != SP_ISSUER_NAMES_PER_MINUTE; ++i) {
        cr_expect_eq(sp_issuer_admit(clients, &askers, 60, NOW_MS, &found), SP_PERMIT_GRANTED);
        cr_expect_eq(found, busy);
    }
    cr_expect_eq(sp_issuer_admit(clients, &askers, 60, NOW_MS, &found), SP_PERMIT_GRANTED);
    cr_expect_eq(found, quiet);
}

Test(issuer_shares, are_no_reason_where_nothing_is_limited_or_ordered)
{
    const sp_tls_askers_t askers = {.list = {busy}, .count = 1};
    uint64_t found = 0;

    for (int i = 0; i != 2 * SP_ISSUER_NAMES_PER_MINUTE; ++i) {
        cr_expect_eq(sp_issuer_admit(NULL, &askers, 2, NOW_MS, &found), SP_PERMIT_GRANTED);
        cr_expect_eq(admit(busy, 0, NOW_MS), SP_PERMIT_GRANTED);
        cr_expect(sp_issuer_take_order(NULL, busy, 2, NOW_MS));
    }
}
