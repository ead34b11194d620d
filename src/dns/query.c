/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/query.h"

#include "dns/stats.h"

#include <stdlib.h>
#include <string.h>

#define GIVE_UP 2 /* strikes after which a resolver is not asked again in this query */
#define NEVER UINT64_MAX
#define SECOND_HEDGE 3           /* hedge delays after the first hedge */
#define TCP_REFUSED_US 1000000   /* no hedge over TCP for so long after nobody listened */
#define US_PER_MS UINT64_C(1000) /* microseconds */

typedef struct query {
    sp_question_t question; /* first: the attempts know nothing else */
    sp_timer_t timer;
    uint64_t check_us; /* when the latest try has waited long enough */
    uint64_t hedge_us; /* when it is to be hedged; NEVER: not again */
    uint64_t end_us;
    uint64_t latest_us; /* when the latest try was sent */
    unsigned sends;
    unsigned hedges;
    size_t latest; /* resolver of the latest try */
    uint8_t strikes[SP_RESOLVERS_MAX];
    bool truncated;       /* UDP won't do */
    bool tcp_lost;        /* a hedge's connection was closed under it */
    sp_failure_t failure; /* the last that a resolver reported */
    sp_ares_done_fn *done;
    void *arg;
} query_t;

static bool is_tcp_only(const sp_query_env_t *env)
{
    return env->options.transport == SP_TRANSPORT_TCP;
}

static void wake_for(sp_query_env_t *env, query_t *query)
{
    uint64_t due_us = query->check_us < query->hedge_us ? query->check_us : query->hedge_us;

    sp_timer_heap_move(&env->timers, &query->timer, due_us);
    sp_poller_wake_at(env->poller, due_us);
}

static void finish(sp_query_env_t *env, query_t *query, const sp_answer_t *answer)
{
    sp_timer_heap_remove(&env->timers, &query->timer);
    sp_query_abandon(&query->question);
    query->done(query->arg, answer);
    free(query);
}

static void finish_failed(sp_query_env_t *env, query_t *query)
{
    sp_answer_parts_t parts = {.kind = SP_ANSWER_FAILURE,
                               .failure = query->failure != SP_FAILURE_NONE ? query->failure
                                                                            : SP_FAILURE_TIMEOUT};
    const sp_answer_t *answer;

    if (sp_answer_create(&parts, &answer) != SP_OK) {
        finish(env, query, env->no_memory);
        return;
    }
    finish(env, query, answer);
    sp_answer_release(answer);
}

static void check_later(sp_query_env_t *env, query_t *query, uint64_t now_us)
{
    query->latest_us = now_us;
    query->check_us = now_us + env->options.try_ms * US_PER_MS;
    wake_for(env, query);
}

/* A try at this resolver. One for which there is no room is as good as one that failed. */
static bool try_at(sp_query_env_t *env, query_t *query, size_t resolver)
{
    if (!sp_query_send(env, &query->question, resolver, is_tcp_only(env))) {
        query->failure = SP_FAILURE_OVERLOAD;
        query->strikes[resolver] = GIVE_UP;
        return false;
    }
    query->latest = resolver;
    query->sends += 1;
    check_later(env, query, sp_now_us());
    return true;
}

/* Is an answer still to be expected? Not from a resolver that was struck out: what it owes to an
 * earlier try will be no better. */
static bool has_hope(const query_t *query)
{
    for (const sp_query_attempt_t *attempt = query->question.attempts; attempt != NULL;
         attempt = attempt->next) {
        if (query->strikes[attempt->resolver] < GIVE_UP) {
            return true;
        }
    }
    return false;
}

/* Sends to the next resolver that is worth asking, one that is down last; `fresh`: only to one that
 * owes no answer, and to one that is down only where nothing else is to be hoped for. False when
 * there is none, or every try is used up. */
static bool send_next(sp_query_env_t *env, query_t *query, bool fresh)
{
    size_t count = env->options.resolver_count;
    size_t most = fresh && has_hope(query) ? count : 2 * count;

    if (count == 0 || query->sends >= env->options.tries * count) {
        return false;
    }
    for (size_t i = 1; i <= most; ++i) {
        size_t resolver = (query->latest + i) % count;
        bool is_down = env->resolvers[resolver].health.is_down;

        if (is_down == (i > count) && query->strikes[resolver] < GIVE_UP &&
            !(fresh && sp_query_listens(&query->question, resolver)) &&
            try_at(env, query, resolver)) {
            return true;
        }
    }
    return false;
}

static void go_on(sp_query_env_t *env, query_t *query)
{
    if (!send_next(env, query, true) && !has_hope(query)) {
        finish_failed(env, query);
    }
}

size_t sp_query_first_choice(const sp_query_env_t *env)
{
    size_t resolver = 0;

    while (resolver != env->options.resolver_count && env->resolvers[resolver].health.is_down) {
        ++resolver;
    }
    return resolver != env->options.resolver_count ? resolver : 0;
}

static uint64_t hedge_delay_us(const sp_query_env_t *env, size_t resolver)
{
    return sp_health_hedge_us(&env->resolvers[resolver].health, env->options.hedge_ms,
                              env->options.try_ms);
}

/* One that is down is tried again beside the one that is asked, so that nobody waits for it. */
static void send_probes(sp_query_env_t *env, query_t *query, uint64_t now_us)
{
    for (size_t i = 0; i != env->options.resolver_count; ++i) {
        sp_health_t *health = &env->resolvers[i].health;

        if (sp_health_wants_probe(health, now_us)) {
            sp_health_probed(health, now_us);
            if (i != query->latest) {
                (void)sp_query_send(env, &query->question, i, is_tcp_only(env));
            }
        }
    }
}

/* Without an attempt, the first check ends it. */
static void begin(sp_query_env_t *env, query_t *query, size_t resolver)
{
    uint64_t now_us = sp_now_us();
    uint64_t delay_us;

    query->latest = resolver;
    query->hedge_us = NEVER;
    query->check_us = now_us;
    if (!try_at(env, query, resolver) && !send_next(env, query, true)) {
        wake_for(env, query);
        return;
    }
    send_probes(env, query, now_us);
    delay_us = hedge_delay_us(env, query->latest);
    if (delay_us != NEVER) {
        query->hedge_us = now_us + delay_us;
        wake_for(env, query);
    }
}

/* Two refused connections in a row are enough; the first may be an idle one that the resolver just
 * closed, and costs no try. */
static void take_failure(sp_query_env_t *env, query_t *query, size_t resolver, sp_failure_t failure)
{
    query->failure = failure;
    if (failure == SP_FAILURE_CONNECTION) {
        query->strikes[resolver] += 1;
        query->sends -= query->sends != 0 ? 1 : 0;
        if (query->strikes[resolver] >= GIVE_UP) {
            sp_health_unreachable(&env->resolvers[resolver].health, sp_now_us());
        }
    } else {
        query->strikes[resolver] = GIVE_UP;
    }
    go_on(env, query);
}

/* A hedge's connection was closed or refused: that is no try lost. It is repeated once, then over
 * UDP, and hedges leave TCP alone for a while. */
static void replace_hedge(sp_query_env_t *env, query_t *query, size_t resolver)
{
    bool again = !query->tcp_lost;

    query->tcp_lost = true;
    if (!again) {
        env->resolvers[resolver].tcp_after_us = sp_now_us() + TCP_REFUSED_US;
    }
    if (!sp_query_send(env, &query->question, resolver, again)) {
        go_on(env, query);
    }
}

static void ask_target(sp_query_env_t *env, query_t *query, size_t resolver, const sp_asked_t *next)
{
    query->question.asked = *next;
    sp_query_abandon(&query->question);
    memset(query->strikes, 0, sizeof(query->strikes));
    query->sends = 0;
    query->hedges = 0;
    query->truncated = false;
    query->tcp_lost = false;
    query->failure = SP_FAILURE_NONE;
    begin(env, query, resolver);
}

static void take_truncated(sp_query_env_t *env, query_t *query, const sp_query_attempt_t *attempt)
{
    if (attempt->tcp || env->options.transport != SP_TRANSPORT_AUTO) {
        take_failure(env, query, attempt->resolver, SP_FAILURE_MALFORMED);
        return;
    }
    query->truncated = true;
    if (!sp_query_listens_over_tcp(&query->question, attempt->resolver) &&
        !sp_query_send(env, &query->question, attempt->resolver, true)) {
        take_failure(env, query, attempt->resolver, SP_FAILURE_OVERLOAD);
    }
}

static query_t *query_of(const sp_query_attempt_t *attempt)
{
    return (query_t *)attempt->question;
}

static bool is_lost_hedge(const sp_query_env_t *env, const sp_query_attempt_t *attempt)
{
    return attempt->tcp && attempt->outcome.failure == SP_FAILURE_CONNECTION &&
           env->options.transport == SP_TRANSPORT_AUTO && !query_of(attempt)->truncated;
}

static void deal_with(sp_query_env_t *env, sp_query_attempt_t *attempt)
{
    query_t *query = query_of(attempt);

    sp_query_unlink(attempt);
    switch (attempt->outcome.result) {
    case SP_ATTEMPT_ANSWERED:
        finish(env, query, attempt->outcome.answer);
        break;
    case SP_ATTEMPT_ALIAS:
        ask_target(env, query, attempt->resolver, attempt->outcome.next);
        break;
    case SP_ATTEMPT_TRUNCATED:
        take_truncated(env, query, attempt);
        break;
    case SP_ATTEMPT_FAILED:
        if (is_lost_hedge(env, attempt)) {
            replace_hedge(env, query, attempt->resolver);
        } else {
            take_failure(env, query, attempt->resolver, attempt->outcome.failure);
        }
        break;
    case SP_ATTEMPT_SILENT:
    case SP_ATTEMPT_CANCELLED:
        go_on(env, query);
        break;
    }
}

void sp_query_take_settled(sp_query_env_t *env)
{
    sp_query_attempt_t *list = env->settled;
    sp_query_attempt_t *attempt;

    env->settled = NULL;
    env->settled_end = &env->settled;
    while ((attempt = sp_query_take_attempt(&list)) != NULL) {
        if (attempt->question != NULL) {
            deal_with(env, attempt);
        }
        sp_query_free_attempt(attempt);
    }
    if (env->settled != NULL) {
        sp_poller_wake(env->poller);
    }
}

/* One more sending, beside those that are listened to. */
static void send_hedge(sp_query_env_t *env, query_t *query, size_t resolver, bool tcp)
{
    if (sp_query_send(env, &query->question, resolver, tcp)) {
        sp_dns_stats_hedge(env->options.stats);
    }
}

/* To one that has not been asked, and is up: unless all are down, then the next may be back. */
static void hedge_elsewhere(sp_query_env_t *env, query_t *query)
{
    bool all_down = env->resolvers[sp_query_first_choice(env)].health.is_down;

    for (size_t i = 0; i != env->options.resolver_count; ++i) {
        if ((all_down || !env->resolvers[i].health.is_down) && query->strikes[i] < GIVE_UP &&
            !sp_query_listens(&query->question, i)) {
            send_hedge(env, query, i, is_tcp_only(env));
            return;
        }
    }
}

/* The latest try has gone without an answer for as long as answers take. */
static void hedge(sp_query_env_t *env, query_t *query, uint64_t now_us)
{
    size_t resolver = query->latest;
    bool first = query->hedges == 0;
    bool tcp = first && now_us >= env->resolvers[resolver].tcp_after_us;

    query->hedges += 1;
    sp_health_silence(&env->resolvers[resolver].health, query->latest_us, now_us, false);
    query->hedge_us = NEVER;
    if (env->options.transport == SP_TRANSPORT_AUTO && query->strikes[resolver] < GIVE_UP) {
        if (!query->truncated) {
            send_hedge(env, query, resolver, tcp);
        }
        query->hedge_us = first ? now_us + SECOND_HEDGE * hedge_delay_us(env, resolver) : NEVER;
    }
    hedge_elsewhere(env, query);
    wake_for(env, query);
}

/* The latest try of the query has gone without an answer for good. */
static void check(sp_query_env_t *env, query_t *query, uint64_t now_us)
{
    if (query->sends != 0) {
        sp_health_silence(&env->resolvers[query->latest].health, query->latest_us, now_us, true);
    }
    check_later(env, query, now_us);
    if (now_us >= query->end_us || (!send_next(env, query, false) && !has_hope(query))) {
        finish_failed(env, query);
    }
}

void sp_query_take_due(sp_query_env_t *env, uint64_t now_us)
{
    sp_timer_t *timer;

    while ((timer = sp_timer_heap_first(&env->timers)) != NULL && timer->due_us <= now_us) {
        query_t *query = timer->owner;

        if (query->check_us <= now_us) {
            check(env, query, now_us);
        } else {
            hedge(env, query, now_us);
        }
    }
    if (timer != NULL) {
        sp_poller_wake_at(env->poller, timer->due_us);
    }
}

void sp_query_drop_all(sp_query_env_t *env)
{
    sp_query_attempt_t *attempt;
    sp_timer_t *timer;

    while ((timer = sp_timer_heap_first(&env->timers)) != NULL) {
        query_t *query = timer->owner;

        sp_timer_heap_remove(&env->timers, timer);
        sp_query_abandon(&query->question);
        free(query);
    }
    while ((attempt = sp_query_take_attempt(&env->settled)) != NULL) {
        sp_query_free_attempt(attempt);
    }
    env->settled_end = &env->settled;
}

uint64_t sp_query_plan_ms(const sp_dns_options_t *options)
{
    return (uint64_t)options->try_ms * options->tries * options->resolver_count;
}

sp_status_t sp_query_start(sp_query_env_t *env, sp_str_t name, uint64_t patient_until_ms,
                           sp_ares_done_fn *done, void *arg)
{
    uint64_t end_ms = sp_now_ms() + sp_query_plan_ms(&env->options);
    query_t *query;

    if (name.len >= SP_NAME_TEXT_MAX) {
        return SP_NO_MEMORY;
    }
    query = calloc(1, sizeof(*query));
    if (query == NULL || !sp_timer_heap_add(&env->timers, &query->timer, NEVER)) {
        free(query);
        return SP_NO_MEMORY;
    }
    query->timer.owner = query;
    memcpy(query->question.asked.name.text, name.ptr, name.len);
    query->question.asked.name.len = name.len;
    query->question.asked.ttl_s = UINT32_MAX;
    query->end_us = (end_ms > patient_until_ms ? end_ms : patient_until_ms) * US_PER_MS;
    query->done = done;
    query->arg = arg;
    begin(env, query, sp_query_first_choice(env));
    return SP_OK;
}
