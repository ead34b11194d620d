/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/inflight.h"

#include <criterion/criterion.h>

Test(inflight, finds_a_flight_until_it_has_landed)
{
    sp_inflight_t *inflight;
    sp_flight_t *flight = NULL;
    int owner;

    cr_assert_eq(sp_inflight_create(10, &inflight), SP_OK);
    cr_expect_null(sp_inflight_find(inflight, SP_STR("a.example")));
    cr_assert_eq(sp_inflight_start(inflight, SP_STR("a.example"), &owner, &flight), SP_OK);
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
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("a"), NULL, &flight), SP_OK);
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("b"), NULL, &flight), SP_OK);
    cr_expect_eq(sp_inflight_start(inflight, SP_STR("c"), NULL, &flight), SP_TOO_LONG);
    cr_expect_eq(sp_inflight_count(inflight), 2);
    sp_inflight_destroy(inflight);
}

Test(inflight, keeps_waiters_in_order_and_lets_any_leave)
{
    sp_waiter_t waiters[3] = {{0}};
    sp_inflight_t *inflight;
    sp_flight_t *flight = NULL;

    cr_assert_eq(sp_inflight_create(2, &inflight), SP_OK);
    cr_assert_eq(sp_inflight_start(inflight, SP_STR("a"), NULL, &flight), SP_OK);
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
