/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolver_health.h"

#include <criterion/criterion.h>

#define MS 1000U
#define NEVER UINT64_MAX
#define TRY_MS 400

static uint64_t chosen_us(const sp_health_t *health)
{
    return sp_health_hedge_us(health, 0, TRY_MS);
}

Test(resolver_health, hedges_as_it_is_told)
{
    sp_health_t health = {0};

    cr_expect_eq(sp_health_hedge_us(&health, -1, TRY_MS), NEVER);
    cr_expect_eq(sp_health_hedge_us(&health, 7, TRY_MS), 7 * MS);
    cr_expect_eq(chosen_us(&health), 50 * MS);
    cr_expect_eq(sp_health_hedge_us(&health, 0, 30), 30 * MS);
}

Test(resolver_health, follows_the_answer_times)
{
    sp_health_t health = {0};

    for (uint64_t i = 1; i != 50; ++i) {
        (void)sp_health_answer(&health, i, 300);
    }
    cr_expect_eq(chosen_us(&health), 5 * MS, "a quick one: the least");
    for (uint64_t i = 50; i != 150; ++i) {
        (void)sp_health_answer(&health, i, i % 2 == 0 ? 40 * MS : 60 * MS);
    }
    cr_expect_gt(chosen_us(&health), 60 * MS);
    cr_expect_lt(chosen_us(&health), 120 * MS);
    for (uint64_t i = 150; i != 300; ++i) {
        (void)sp_health_answer(&health, i, 900 * MS);
    }
    cr_expect_eq(chosen_us(&health), TRY_MS * MS, "never more than a whole try");
}

Test(resolver_health, is_not_led_astray_by_one_slow_name)
{
    sp_health_t health = {0};

    for (uint64_t i = 1; i != 50; ++i) {
        (void)sp_health_answer(&health, i, 300);
    }
    (void)sp_health_answer(&health, 51, 3000 * MS);
    cr_expect_lt(chosen_us(&health), 20 * MS);
}

Test(resolver_health, forgives_a_lost_packet)
{
    sp_health_t health = {0};

    sp_health_silence(&health, 1000 * MS, 1005 * MS, false);
    sp_health_silence(&health, 1010 * MS, 1015 * MS, false);
    (void)sp_health_answer(&health, 1020 * MS, 300);
    sp_health_silence(&health, 1015 * MS, 1030 * MS, true); /* answered since it was sent */
    sp_health_silence(&health, 1030 * MS, 1200 * MS, false);
    sp_health_silence(&health, 1040 * MS, 1200 * MS, false);
    cr_expect_not(health.is_down);
}

Test(resolver_health, notices_silence)
{
    sp_health_t health = {0};

    sp_health_silence(&health, 1000 * MS, 1005 * MS, false);
    sp_health_silence(&health, 1001 * MS, 1006 * MS, false);
    sp_health_silence(&health, 1002 * MS, 1007 * MS, false);
    cr_expect_not(health.is_down, "it may be slow");
    sp_health_silence(&health, 1095 * MS, 1100 * MS, false);
    cr_expect(health.is_down);
    cr_expect(sp_health_answer(&health, 1200 * MS, 300), "it is back");
    cr_expect_not(health.is_down);
    sp_health_silence(&health, 2000 * MS, 2400 * MS, true);
    cr_expect(health.is_down, "a whole try without an answer");
}

Test(resolver_health, takes_several_failures_in_a_row)
{
    sp_health_t health = {0};

    for (int i = 0; i != 4; ++i) {
        sp_health_fail(&health, 1000 * MS);
    }
    cr_expect_not(health.is_down);
    (void)sp_health_answer(&health, 1000 * MS, 300);
    for (int i = 0; i != 5; ++i) {
        cr_expect_not(health.is_down);
        sp_health_fail(&health, 1000 * MS);
    }
    cr_expect(health.is_down);
    cr_expect_not(sp_health_answer(&health, 1001 * MS, 300), "it was heard of all the time");
}

Test(resolver_health, is_tried_again_now_and_then)
{
    sp_health_t health = {0};

    cr_expect_not(sp_health_wants_probe(&health, 1000 * MS));
    sp_health_unreachable(&health, 1000 * MS);
    cr_expect_not(sp_health_wants_probe(&health, 1499 * MS));
    cr_expect(sp_health_wants_probe(&health, 1500 * MS));
    sp_health_probed(&health, 1500 * MS);
    sp_health_unreachable(&health, 1501 * MS);
    cr_expect_not(sp_health_wants_probe(&health, 1999 * MS));
    cr_expect(sp_health_wants_probe(&health, 2000 * MS));
}
