/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_QUERY_H
#define SIGNPOST_DNS_QUERY_H

/* One question to be answered, whatever it takes: which resolver is asked, over what, and when
 * again. The inside of ares_client.
 *
 * First the best resolver that is up; with it one that is down, when it is time to try that again.
 * Unanswered after the hedge delay: the same resolver over TCP, and another one at once. Unanswered
 * for three more delays: over UDP once more. After each try_ms: the next try. */

#include "dns/ares_client.h"
#include "dns/query_attempt.h"

/* See sp_ares_client_ask. */
sp_status_t sp_query_start(sp_query_env_t *env, sp_str_t name, uint64_t patient_until_ms,
                           sp_ares_done_fn *done, void *arg);

/* All tries at all resolvers, one after the other. */
uint64_t sp_query_plan_ms(const sp_dns_options_t *options);

/* The resolver that a new question goes to. */
size_t sp_query_first_choice(const sp_query_env_t *env);

/* Does what is due. */
void sp_query_take_due(sp_query_env_t *env, uint64_t now_us);

/* Deals with outcomes. What settles meanwhile waits for the next turn, so that a caller who asks
 * again and again at each answer can't hold the loop. */
void sp_query_take_settled(sp_query_env_t *env);

/* Drops every query without calling back, then what had settled: to be called before and after the
 * channels go. */
void sp_query_drop_all(sp_query_env_t *env);

#endif
