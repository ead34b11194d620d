/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ARES_CLIENT_H
#define SIGNPOST_DNS_ARES_CLIENT_H

/* Asks the resolvers, in order of preference and those that are down last, until one gives an
 * answer: repeats a question over TCP and at another resolver after the hedge delay, sends again
 * after each `try_ms`, goes to the next resolver when one fails, to TCP when an answer is
 * truncated, and on to the target when a reply ends in a CNAME. A later try does not make an
 * earlier one deaf: the first answer counts. One client belongs to one loop. */

#include "dns/lookup.h"

typedef struct sp_ares_client sp_ares_client_t;

/* `answer` is borrowed: never NULL. Runs once, from the loop. */
typedef void sp_ares_done_fn(void *arg, const sp_answer_t *answer);

typedef struct sp_ares_callbacks {
    void (*on_tick)(void *arg, uint64_t now_us); /* at what sp_ares_client_wake_at was told */
    void (*on_back)(void *arg); /* a resolver of which nothing was heard answers again */
    void (*on_end)(void *arg);  /* last of each turn of the loop. The only one that may destroy the
                                   client */
    void *arg;
} sp_ares_callbacks_t;

/* At least one resolver must be among the options. SP_OK,
 * SP_NO_MEMORY, or SP_IO with the reason. */
sp_status_t sp_ares_client_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                                  const sp_ares_callbacks_t *callbacks,
                                  sp_ares_client_t **ret_client, sp_error_t *err);

/* Questions that wait are dropped without calling back. Accepts NULL. */
void sp_ares_client_destroy(sp_ares_client_t *client);

/* Asks for the TXT records of `name`, which is copied. The client keeps listening until all tries
 * are over, and until `patient_until_ms` (a time of sp_now_ms()) at least. SP_OK or SP_NO_MEMORY.
 */
sp_status_t sp_ares_client_ask(sp_ares_client_t *client, sp_str_t name, uint64_t patient_until_ms,
                               sp_ares_done_fn *done, void *arg);

/* There is a tick at `at_us` (of sp_now_us()), or before: then say so again. */
void sp_ares_client_wake_at(sp_ares_client_t *client, uint64_t at_us);

/* How long an answer takes at most, when a packet is lost and its hedge is not: two hedge delays,
 * 20 ms at least; a whole try without hedging. 0: every resolver is down. */
uint64_t sp_ares_client_hedged_try_us(const sp_ares_client_t *client);

/* Is it time to try one that is down again? Any question will do. */
bool sp_ares_client_wants_probe(const sp_ares_client_t *client, uint64_t now_us);

#endif
