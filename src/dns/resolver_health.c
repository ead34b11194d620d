/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolver_health.h"

#define HEDGE_MIN_US 5000
#define HEDGE_FIRST_US 50000 /* while nothing is measured */
#define UNANSWERED_MAX 3     /* two lost packets in a row are bad luck */
#define SILENCE_MIN_US 100000
#define FAILURES_MAX 5
#define COUNT_MAX UINT8_MAX

static uint64_t deviation(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint64_t expected_us(const sp_health_t *health)
{
    uint64_t us = (uint64_t)health->srtt_us + 4 * (uint64_t)health->rttvar_us;

    return us < HEDGE_MIN_US ? HEDGE_MIN_US : us;
}

/* A single slow name must not put hedging off for all others: a sample counts as twice the
 * expected time at most. */
static void measure(sp_health_t *health, uint64_t rtt_us)
{
    if (health->srtt_us == 0) {
        rtt_us = rtt_us > HEDGE_FIRST_US ? HEDGE_FIRST_US : rtt_us;
        health->srtt_us = (uint32_t)rtt_us;
        health->rttvar_us = (uint32_t)(rtt_us / 2);
        return;
    }
    if (rtt_us > 2 * expected_us(health)) {
        rtt_us = 2 * expected_us(health);
    }
    health->rttvar_us =
        (uint32_t)((3 * (uint64_t)health->rttvar_us + deviation(health->srtt_us, rtt_us)) / 4);
    health->srtt_us = (uint32_t)((7 * (uint64_t)health->srtt_us + rtt_us + 7) / 8);
}

bool sp_health_answer(sp_health_t *health, uint64_t now_us, uint64_t rtt_us)
{
    bool is_back = health->is_silent;

    health->answered_us = now_us;
    health->unanswered = 0;
    health->failures = 0;
    health->is_down = false;
    health->is_silent = false;
    if (rtt_us != 0) {
        measure(health, rtt_us);
    }
    return is_back;
}

static void take_down(sp_health_t *health, uint64_t now_us)
{
    if (!health->is_down) {
        health->is_down = true;
        health->probe_us = now_us + SP_HEALTH_PROBE_US;
    }
}

static uint8_t one_more(uint8_t count)
{
    return count < COUNT_MAX ? (uint8_t)(count + 1) : count;
}

void sp_health_silence(sp_health_t *health, uint64_t sent_us, uint64_t now_us, bool for_good)
{
    if (health->answered_us >= sent_us) {
        return; /* this one was lost, but not all */
    }
    if (health->unanswered == 0 || sent_us < health->silent_since_us) {
        health->silent_since_us = sent_us;
    }
    health->unanswered = one_more(health->unanswered);
    if (for_good || (health->unanswered >= UNANSWERED_MAX &&
                     now_us - health->silent_since_us >= SILENCE_MIN_US)) {
        take_down(health, now_us);
        health->is_silent = true;
    }
}

void sp_health_unreachable(sp_health_t *health, uint64_t now_us)
{
    take_down(health, now_us);
    health->is_silent = true;
}

void sp_health_fail(sp_health_t *health, uint64_t now_us)
{
    health->answered_us = now_us;
    health->unanswered = 0;
    health->failures = one_more(health->failures);
    if (health->failures >= FAILURES_MAX) {
        take_down(health, now_us);
    }
}

bool sp_health_wants_probe(const sp_health_t *health, uint64_t now_us)
{
    return health->is_down && now_us >= health->probe_us;
}

void sp_health_probed(sp_health_t *health, uint64_t now_us)
{
    health->probe_us = now_us + SP_HEALTH_PROBE_US;
}

uint64_t sp_health_hedge_us(const sp_health_t *health, int hedge_ms, unsigned try_ms)
{
    uint64_t most_us = (uint64_t)try_ms * 1000;
    uint64_t us;

    if (hedge_ms < 0) {
        return UINT64_MAX;
    }
    if (hedge_ms > 0) {
        return (uint64_t)hedge_ms * 1000;
    }
    us = health->srtt_us == 0 ? HEDGE_FIRST_US : expected_us(health);
    return us < most_us ? us : most_us;
}
