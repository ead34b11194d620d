/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/query_attempt.h"

#include "dns/stats.h"

#include <stdlib.h>

#define HOUSEKEEPING_US 20000 /* c-ares frees what waits no more */

/* Outcomes are dealt with outside of c-ares' own loops, and never inside of a call by our user. */
static void settle(sp_query_env_t *env, sp_query_attempt_t *attempt)
{
    attempt->next_settled = NULL;
    *env->settled_end = attempt;
    env->settled_end = &attempt->next_settled;
    if (!env->in_turn) {
        sp_poller_wake(env->poller);
    }
}

static bool is_good_reply(sp_str_t message)
{
    unsigned rcode = message.len > 3 ? (unsigned char)message.ptr[3] & 0x0fU : 0x0fU;

    return rcode == 0 || rcode == 3; /* NOERROR, NXDOMAIN */
}

/* What an outcome says of the resolver: also when nobody waits for it any more. */
static void learn(const sp_query_attempt_t *attempt, sp_wire_result_t wire, sp_str_t message)
{
    sp_query_env_t *env = attempt->env;
    sp_health_t *health = &env->resolvers[attempt->resolver].health;
    uint64_t now_us = sp_now_us();

    switch (wire) {
    case SP_WIRE_REPLY:
        if (!is_good_reply(message)) {
            sp_health_fail(health, now_us);
        } else if (sp_health_answer(health, now_us,
                                    attempt->tcp ? 0 : now_us - attempt->sent_us + 1) &&
                   env->on_back != NULL) {
            env->on_back(env->arg);
        }
        break;
    case SP_WIRE_TIMEOUT:
        sp_health_silence(health, attempt->sent_us, now_us, true);
        break;
    case SP_WIRE_CONNECTION:
        if (!attempt->tcp) {
            sp_health_unreachable(health, now_us);
        }
        break;
    case SP_WIRE_NO_NAME:
    case SP_WIRE_NO_MEMORY:
    case SP_WIRE_CANCELLED:
        break;
    }
}

static void on_wire(void *arg, sp_wire_result_t wire, sp_str_t message)
{
    sp_query_attempt_t *attempt = arg;

    learn(attempt, wire, message);
    sp_dns_stats_end(attempt->env->options.stats, attempt->tcp, wire, message,
                     sp_now_us() - attempt->sent_us);
    if (attempt->question == NULL) {
        free(attempt);
        return;
    }
    attempt->outcome = sp_attempt_judge(&attempt->question->asked, wire, message);
    settle(attempt->env, attempt);
}

bool sp_query_send(sp_query_env_t *env, sp_question_t *question, size_t resolver, bool tcp)
{
    sp_ares_channel_t *channel = sp_resolver_channel(&env->resolvers[resolver], tcp);
    sp_query_attempt_t *attempt = channel != NULL ? calloc(1, sizeof(*attempt)) : NULL;

    if (attempt == NULL) {
        return false;
    }
    attempt->env = env;
    attempt->question = question;
    attempt->resolver = resolver;
    attempt->tcp = tcp;
    attempt->sent_us = sp_now_us();
    attempt->next = question->attempts;
    question->attempts = attempt;
    sp_poller_wake_at(env->poller, attempt->sent_us + HOUSEKEEPING_US);
    sp_ares_channel_send(channel, sp_wire_name_str(&question->asked.name), on_wire, attempt);
    return true;
}

bool sp_query_listens(const sp_question_t *question, size_t resolver)
{
    for (const sp_query_attempt_t *attempt = question->attempts; attempt != NULL;
         attempt = attempt->next) {
        if (attempt->resolver == resolver) {
            return true;
        }
    }
    return false;
}

bool sp_query_listens_over_tcp(const sp_question_t *question, size_t resolver)
{
    for (const sp_query_attempt_t *attempt = question->attempts; attempt != NULL;
         attempt = attempt->next) {
        if (attempt->resolver == resolver && attempt->tcp) {
            return true;
        }
    }
    return false;
}

void sp_query_abandon(sp_question_t *question)
{
    for (sp_query_attempt_t *attempt = question->attempts; attempt != NULL;
         attempt = attempt->next) {
        attempt->question = NULL;
    }
    question->attempts = NULL;
}

void sp_query_unlink(sp_query_attempt_t *attempt)
{
    sp_query_attempt_t **link = &attempt->question->attempts;

    while (*link != attempt) {
        link = &(*link)->next;
    }
    *link = attempt->next;
}

sp_query_attempt_t *sp_query_take_attempt(sp_query_attempt_t **list)
{
    sp_query_attempt_t *attempt = *list;

    if (attempt != NULL) {
        *list = attempt->next_settled;
    }
    return attempt;
}

void sp_query_free_attempt(sp_query_attempt_t *attempt)
{
    sp_attempt_outcome_clear(&attempt->outcome);
    free(attempt);
}
