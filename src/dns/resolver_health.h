/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_RESOLVER_HEALTH_H
#define SIGNPOST_DNS_RESOLVER_HEALTH_H

/* What is remembered of one resolver: how long its answers take, and whether it gives any. From the
 * first follows when a question is worth repeating, from the second who is asked first. The time
 * is passed in; microseconds throughout. */

#include <stdbool.h>
#include <stdint.h>

#define SP_HEALTH_PROBE_US 500000 /* how often one that is down is tried again */

typedef struct sp_health {
    uint64_t answered_us;     /* when it last answered anything */
    uint64_t silent_since_us; /* when the first of the unanswered questions was sent */
    uint64_t probe_us;        /* not tried before, while it is down */
    uint32_t srtt_us;         /* as in RFC 6298; 0: nothing measured */
    uint32_t rttvar_us;
    uint8_t unanswered; /* questions in a row that had no answer in their time */
    uint8_t failures;   /* SERVFAILs and the like in a row */
    bool is_down;
    bool is_silent; /* and nothing at all is heard of it */
} sp_health_t;

/* It has answered; `rtt_us` 0: after a time that says nothing. True when nothing had been heard of
 * it before: it has come back. */
bool sp_health_answer(sp_health_t *health, uint64_t now_us, uint64_t rtt_us);

/* A question sent at `sent_us` has no answer yet: `for_good`, when that was given all the time that
 * a try has. It is down after one such, or after several that should have been answered. */
void sp_health_silence(sp_health_t *health, uint64_t sent_us, uint64_t now_us, bool for_good);

/* It can't be reached: it is down. */
void sp_health_unreachable(sp_health_t *health, uint64_t now_us);

/* It answers, but not the question. Down after some in a row: one broken zone is not its fault. */
void sp_health_fail(sp_health_t *health, uint64_t now_us);

/* May it be tried again? True at most every SP_HEALTH_PROBE_US, while it is down. */
bool sp_health_wants_probe(const sp_health_t *health, uint64_t now_us);
void sp_health_probed(sp_health_t *health, uint64_t now_us);

/* How long a question may go unanswered before it is repeated. `hedge_ms` as configured: 0 is
 * chosen from the answer times, at least 5 ms and at most a whole try. UINT64_MAX: never. */
uint64_t sp_health_hedge_us(const sp_health_t *health, int hedge_ms, unsigned try_ms);

#endif
