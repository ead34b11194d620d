/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/inflight.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(inflight, finds_a_flight_until_it_has_landed)
{
    sp_inflight_t *inflight;
    sp_flight_t *flight = NULL;
    int owner;

    cr_assert_eq(sp_inflight_create(10, &inflight), SP_OK);
    cr_expect_null(sp_inflight_find(inflight, SP_STR("a.example")));
    cr_assert_eq(sp_inflight_start(inflight, SP_STR("a.example"), &owner, 0, &flight), SP_OK);
    cr_expect_eq(sp_inflight_find(inflight, SP_STR("a.example")), flight);
    cr_expect_eq(sp_flight_owner(flight), &owner);
    cr_expect(sp_str_eq(sp_flight_name(flight), SP_STR("a.example")));
    sp_inflight_land(inflight, flight);
    cr_expect_null(sp_inflight_find(inflight, SP_STR("a.example")));
    cr_expect_eq(sp_inflight_count(inflight), 0);
    sp_flight_free(flight);
    sp_inflight_destroy(inflight);
}

Test(inflight, is_bounded)
{
    sp_inflight_t *inflight;
    sp_flight_t *flight = NULL;

    cr_assert_eq(sp_inflight_create(2, &inflight), SP_OK);
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("a"), NULL, 0, &flight), SP_OK);
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("b"), NULL, 0, &flight), SP_OK);
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("c"), NULL, 0, &flight), SP_TOO_LONG);
    cr_expect_eq(sp_inflight_count(inflight), 2);
    sp_inflight_destroy(inflight);
}

Test(inflight, keeps_waiters_in_order_and_lets_any_leave)
{
    sp_waiter_t waiters[3] = {{0}};
    sp_inflight_t *inflight;
    sp_flight_t *flight = NULL;

    cr_assert_eq(sp_inflight_create(2, &inflight), SP_OK);
    cr_assert_eq(sp_inflight_start(inflight, SP_STR("a"), NULL, 0, &flight), SP_OK);
    for (size_t i = 0; i != 3; ++i) {
        sp_flight_board(flight, &waiters[i]);
    }
    cr_expect_eq(sp_flight_first(flight), &waiters[0]);
    sp_flight_leave(&waiters[1]);
    sp_flight_leave(&waiters[0]);
    cr_expect_eq(sp_flight_first(flight), &waiters[2]);
    cr_expect_null(waiters[0].flight);
    sp_flight_leave(&waiters[2]);
    cr_expect_null(sp_flight_first(flight));
    sp_flight_board(flight, &waiters[1]);
    cr_expect_eq(sp_flight_first(flight), &waiters[1]);
    sp_inflight_destroy(inflight);
}

static void expect_domain(const char *name, const char *domain)
{
    sp_str_t got = sp_inflight_domain(sp_str_from(name));

    cr_expect(sp_str_eq(got, sp_str_from(domain)), "%s: %.*s", name, (int)got.len, got.ptr);
}

Test(inflight, counts_by_the_domain_of_a_name)
{
    expect_domain("_redirect.www.example.com", "example.com");
    expect_domain("_redirect._.a.b.c.example.com", "example.com");
    expect_domain("example.com", "example.com");
    expect_domain("_redirect.www.example.co.uk", "example.co.uk");
    expect_domain("_redirect.www.example.com.au", "example.com.au");
    expect_domain("_redirect.www.example.de", "example.de");
    expect_domain("co.uk", "co.uk");
    expect_domain("com", "com");
    expect_domain("", "");
}

Test(inflight, leaves_room_for_other_domains)
{
    sp_inflight_t *inflight;
    sp_flight_t *flights[33];
    char name[64];

    cr_assert_eq(sp_inflight_create(100, &inflight), SP_OK);
    for (unsigned i = 0; i != 33; ++i) {
        cr_assert_gt(snprintf(name, sizeof(name), "_redirect.r%u.example.com", i), 0);
        cr_expect_eq(sp_inflight_start(inflight, sp_str_from(name), NULL, 0, &flights[i]),
                     i == 32 ? SP_TOO_LONG : SP_OK);
    }
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("a.example.net"), NULL, 0, &flights[32]),
                 SP_OK);
    sp_inflight_land(inflight, flights[0]);
    sp_flight_free(flights[0]);
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("b.example.com"), NULL, 7, &flights[0]), SP_OK);
    cr_expect_eq(sp_flight_began_us(flights[0]), 7);
    sp_inflight_destroy(inflight);
}
