/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/lookup.h"

#include "dns/ares_client.h"
#include "dns/cache.h"
#include "dns/inflight.h"
#include "dns/ready_answers.h"
#include "dns/stats.h"
#include "dns/timer_heap.h"
#include "dns/zone_client.h"
#include <stdlib.h>

struct sp_lookups {
    const sp_zones_t *zones;
    sp_cache_t *cache;
    sp_inflight_t *inflight;
    sp_ares_client_t *client; /* NULL: no resolvers */
    sp_ready_answers_t ready;
    sp_lookup_guard_fn *guard; /* NULL: everybody may cause queries */
    sp_dns_stats_t *stats;     /* NULL: none */
    sp_timer_heap_t timers;    /* one for each lookup that waits */
    unsigned calling;          /* callbacks under way */
    bool doomed;               /* destroyed by one of them: freed at the end of the turn */
};

struct sp_lookup {
    sp_waiter_t waiter; /* first: the flights know nothing else */
    sp_timer_t timer;   /* when it gets what there is */
    sp_lookups_t *lookups;
    sp_lookup_done_fn *done;
    void *arg;
    const sp_answer_t *stale; /* a reference: better than a failure; NULL: none */
    uint64_t started_us;
    uint32_t ttl_max_s; /* of the CNAMEs in a zone file that led to the question */
    sp_source_t source;
};

/* A question on its way through zones, cache and flights. */
typedef struct question {
    sp_str_t name;
    uint64_t deadline_ms;
    uint64_t started_us; /* once it has left the zones */
    uint32_t ttl_max_s;
    const sp_answer_t *stale; /* a reference, or NULL */
    void *arg;                /* of the caller, for the guard */
} question_t;

/* Of an answer that was there at once. */
static sp_lookup_result_t make_result(const sp_answer_t *answer, sp_source_t source, uint32_t ttl_s,
                                      uint32_t ttl_max_s)
{
    return (sp_lookup_result_t){.answer = answer,
                                .source = source,
                                .ttl_s = ttl_s < ttl_max_s ? ttl_s : ttl_max_s,
                                .waited_us = 0};
}

/* It waits for nothing any more. */
static void detach(sp_lookups_t *lookups, sp_lookup_t *lookup)
{
    sp_timer_heap_remove(&lookups->timers, &lookup->timer);
    sp_flight_leave(&lookup->waiter);
}

static void free_lookup(sp_lookup_t *lookup)
{
    sp_answer_release(lookup->stale);
    free(lookup);
}

/* A stale answer is better than a failure (RFC 8767). */
static sp_lookup_result_t choose(const sp_lookup_t *lookup, const sp_answer_t *answer)
{
    if (answer->kind == SP_ANSWER_FAILURE && lookup->stale != NULL) {
        return make_result(lookup->stale, SP_SOURCE_STALE, 0, 0);
    }
    return make_result(answer, lookup->source, answer->ttl_s, lookup->ttl_max_s);
}

static void deliver(sp_lookups_t *lookups, sp_lookup_t *lookup, const sp_answer_t *answer)
{
    sp_lookup_result_t result = choose(lookup, answer);

    result.waited_us = sp_now_us() - lookup->started_us;
    detach(lookups, lookup);
    sp_dns_stats_lookup(lookups->stats, result.source);
    lookups->calling += 1;
    lookup->done(lookup->arg, &result);
    lookups->calling -= 1;
    free_lookup(lookup);
}

/* Who waits for the flight may cancel others that do, ask anew, or end the whole service. */
static void on_answer(void *arg, const sp_answer_t *answer)
{
    sp_flight_t *flight = arg;
    sp_lookups_t *lookups = sp_flight_owner(flight);
    sp_waiter_t *waiter;

    if (lookups->cache != NULL && !lookups->doomed &&
        !sp_cache_is_outdated(lookups->cache, answer, sp_flight_began_us(flight) / 1000)) {
        sp_cache_store(lookups->cache, sp_flight_name(flight), answer, sp_now_ms());
    }
    sp_inflight_land(lookups->inflight, flight);
    sp_dns_stats_inflight(lookups->stats, -1);
    while ((waiter = sp_flight_first(flight)) != NULL) {
        deliver(lookups, (sp_lookup_t *)waiter, answer);
    }
    sp_flight_free(flight);
}

static void on_tick(void *arg, uint64_t now_us)
{
    sp_lookups_t *lookups = arg;
    sp_timer_t *timer;

    while ((timer = sp_timer_heap_first(&lookups->timers)) != NULL && timer->due_us <= now_us) {
        deliver(lookups, timer->owner, lookups->ready.timeout);
    }
    if (timer != NULL) {
        sp_ares_client_wake_at(lookups->client, timer->due_us);
    }
}

static void on_back(void *arg)
{
    const sp_lookups_t *lookups = arg;

    if (lookups->cache != NULL) {
        sp_cache_resolver_is_back(lookups->cache, sp_now_ms());
    }
}

static void free_lookups(sp_lookups_t *lookups)
{
    sp_ares_client_destroy(lookups->client);
    if (lookups->inflight != NULL) {
        sp_dns_stats_inflight(lookups->stats, -(int64_t)sp_inflight_count(lookups->inflight));
    }
    sp_inflight_destroy(lookups->inflight);
    sp_timer_heap_clear(&lookups->timers);
    sp_ready_answers_clear(&lookups->ready);
    free(lookups);
}

static void on_end(void *arg)
{
    sp_lookups_t *lookups = arg;

    if (lookups->doomed) {
        free_lookups(lookups);
    }
}

sp_status_t sp_lookups_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                              const sp_zones_t *zones, sp_cache_t *cache,
                              sp_lookups_t **ret_lookups, sp_error_t *err)
{
    sp_lookups_t *lookups = calloc(1, sizeof(*lookups));
    sp_ares_callbacks_t callbacks = {on_tick, on_back, on_end, lookups};
    sp_status_t status = SP_NO_MEMORY;

    if (lookups == NULL) {
        return SP_NO_MEMORY;
    }
    lookups->zones = zones;
    lookups->cache = cache;
    lookups->stats = options->stats;
    status = sp_ready_answers_make(&lookups->ready);
    if (status == SP_OK) {
        status = sp_inflight_create(options->max_inflight, &lookups->inflight);
    }
    if (status == SP_OK && options->resolver_count != 0) {
        status = sp_ares_client_create(loop, options, &callbacks, &lookups->client, err);
    }
    if (status != SP_OK) {
        free_lookups(lookups);
        return status;
    }
    *ret_lookups = lookups;
    return SP_OK;
}

void sp_lookups_guard(sp_lookups_t *lookups, sp_lookup_guard_fn *guard)
{
    lookups->guard = guard;
}

void sp_lookups_destroy(sp_lookups_t *lookups)
{
    sp_timer_t *timer;

    if (lookups == NULL) {
        return;
    }
    while ((timer = sp_timer_heap_first(&lookups->timers)) != NULL) {
        sp_lookup_cancel(timer->owner);
    }
    if (lookups->calling != 0) {
        lookups->doomed = true;
        return;
    }
    free_lookups(lookups);
}

/* True when the zones decide; else question->name may have become the end of a CNAME chain that
 * leaves them. */
static bool ask_zones(const sp_lookups_t *lookups, question_t *question,
                      const sp_answer_t **ret_answer)
{
    const sp_answer_t *answer;
    bool leaves;

    if (lookups->zones == NULL) {
        return false;
    }
    if (sp_zones_answer(lookups->zones, question->name, &answer) != SP_OK) {
        if (lookups->client != NULL) {
            return false;
        }
        *ret_answer = sp_answer_retain(lookups->ready.nxdomain);
        return true;
    }
    leaves = answer->kind == SP_ANSWER_NODATA && answer->canonical.len != 0 &&
             lookups->client != NULL && !sp_zones_covers(lookups->zones, answer->canonical);
    if (leaves) {
        question->name = answer->canonical; /* the zones keep it */
        question->ttl_max_s = answer->ttl_s;
        sp_answer_release(answer);
        return false;
    }
    *ret_answer = answer;
    return true;
}

/* Asks for a name, now. NULL: there is no room for it. */
static sp_flight_t *start_flight(sp_lookups_t *lookups, sp_str_t name, uint64_t patient_until_ms)
{
    sp_flight_t *flight;

    if (lookups->doomed ||
        sp_inflight_start(lookups->inflight, name, lookups, sp_now_us(), &flight) != SP_OK) {
        return NULL;
    }
    if (sp_ares_client_ask(lookups->client, name, patient_until_ms, on_answer, flight) != SP_OK) {
        sp_inflight_land(lookups->inflight, flight);
        sp_flight_free(flight);
        return NULL;
    }
    sp_dns_stats_inflight(lookups->stats, 1);
    return flight;
}

/* Asks without anybody who waits: the answer goes to the cache. */
static void refresh(sp_lookups_t *lookups, sp_str_t name)
{
    if (sp_inflight_find(lookups->inflight, name) == NULL) {
        (void)start_flight(lookups, name, 0);
    }
}

/* Is there reason to expect an answer within a hedged try? Not while every resolver is down, nor
 * when the same question has been out for longer. */
static bool is_worth_waiting(const sp_lookups_t *lookups, sp_str_t name)
{
    const sp_flight_t *flight = sp_inflight_find(lookups->inflight, name);
    uint64_t patience_us = sp_ares_client_hedged_try_us(lookups->client);

    return patience_us != 0 &&
           (flight == NULL || sp_now_us() - sp_flight_began_us(flight) < patience_us);
}

/* True: the cache decides. Else question->stale may have become what to use if need be. */
static bool ask_cache(sp_lookups_t *lookups, question_t *question, sp_lookup_result_t *ret_result)
{
    sp_cached_t cached;
    sp_source_t source = SP_SOURCE_STALE;

    if (lookups->cache == NULL ||
        !sp_cache_look(lookups->cache, question->name, question->started_us / 1000, &cached)) {
        return false;
    }
    switch (cached.state) {
    case SP_CACHED_FRESH:
    case SP_CACHED_REFRESH:
        source = SP_SOURCE_HIT;
        break;
    case SP_CACHED_STALE:
        if (is_worth_waiting(lookups, question->name)) {
            question->stale = cached.answer;
            return false;
        }
        break;
    case SP_CACHED_BLOCKED:
        break;
    }
    if (cached.state == SP_CACHED_REFRESH || cached.state == SP_CACHED_STALE ||
        ((cached.state == SP_CACHED_BLOCKED || cached.answer->kind == SP_ANSWER_FAILURE) &&
         sp_ares_client_wants_probe(lookups->client, question->started_us))) {
        refresh(lookups, question->name);
    }
    *ret_result = make_result(cached.answer, source, cached.ttl_s, question->ttl_max_s);
    return true;
}

/* Whatever needs no waiting. */
static bool answer_now(sp_lookups_t *lookups, question_t *question, sp_lookup_result_t *ret_result)
{
    const sp_answer_t *answer = NULL;

    if (ask_zones(lookups, question, &answer)) {
        sp_dns_stats_lookup(lookups->stats, SP_SOURCE_ZONE);
        *ret_result = make_result(answer, SP_SOURCE_ZONE, answer->ttl_s, UINT32_MAX);
        return true;
    }
    question->started_us = sp_now_us();
    if (lookups->client == NULL) {
        sp_dns_stats_lookup(lookups->stats, SP_SOURCE_MISS);
        *ret_result =
            make_result(sp_answer_retain(lookups->ready.no_resolver), SP_SOURCE_MISS, 0, 0);
        return true;
    }
    if (!ask_cache(lookups, question, ret_result)) {
        return false;
    }
    sp_dns_stats_lookup(lookups->stats, ret_result->source);
    return true;
}

/* There is no room for the question. */
static sp_lookup_result_t refuse(sp_lookups_t *lookups, const question_t *question)
{
    sp_dns_stats_overload(lookups->stats);
    if (question->stale != NULL) {
        sp_dns_stats_lookup(lookups->stats, SP_SOURCE_STALE);
        return make_result(question->stale, SP_SOURCE_STALE, 0, 0);
    }
    return make_result(sp_answer_retain(lookups->ready.overload), SP_SOURCE_MISS, 0, 0);
}

/* One that has something stale waits for a hedged try, from now on. */
static uint64_t due_us(const sp_lookups_t *lookups, const question_t *question)
{
    uint64_t deadline_us = question->deadline_ms * 1000;
    uint64_t patient_until_us;

    if (question->stale == NULL) {
        return deadline_us;
    }
    patient_until_us = question->started_us + sp_ares_client_hedged_try_us(lookups->client);
    return patient_until_us < deadline_us ? patient_until_us : deadline_us;
}

/* Joins the flight for the question, or begins one. False: no room. */
static bool board(sp_lookups_t *lookups, const question_t *question, sp_lookup_t *lookup)
{
    sp_flight_t *flight = sp_inflight_find(lookups->inflight, question->name);

    if (!sp_timer_heap_add(&lookups->timers, &lookup->timer, due_us(lookups, question))) {
        return false;
    }
    lookup->source = flight != NULL ? SP_SOURCE_COALESCED : SP_SOURCE_MISS;
    if (flight == NULL && (lookups->guard == NULL || lookups->guard(question->arg))) {
        flight = start_flight(lookups, question->name, question->deadline_ms);
    }
    if (flight == NULL) {
        sp_timer_heap_remove(&lookups->timers, &lookup->timer);
        return false;
    }
    sp_flight_board(flight, &lookup->waiter);
    sp_ares_client_wake_at(lookups->client, lookup->timer.due_us);
    return true;
}

/* NOLINTNEXTLINE(readability-function-size): what a caller gives and gets, in one call */
bool sp_lookup_start(sp_lookups_t *lookups, sp_str_t name, uint64_t deadline_ms,
                     sp_lookup_done_fn *done, void *arg, sp_lookup_result_t *ret_result,
                     sp_lookup_t **ret_lookup)
{
    question_t question = {
        .name = name, .deadline_ms = deadline_ms, .ttl_max_s = UINT32_MAX, .arg = arg};
    sp_lookup_t *lookup;

    if (answer_now(lookups, &question, ret_result)) {
        return true;
    }
    lookup = calloc(1, sizeof(*lookup));
    if (lookup == NULL || !board(lookups, &question, lookup)) {
        free(lookup);
        *ret_result = refuse(lookups, &question);
        return true;
    }
    lookup->timer.owner = lookup;
    lookup->lookups = lookups;
    lookup->done = done;
    lookup->arg = arg;
    lookup->stale = question.stale;
    lookup->started_us = question.started_us;
    lookup->ttl_max_s = question.ttl_max_s;
    *ret_lookup = lookup;
    return false;
}

void sp_lookup_cancel(sp_lookup_t *lookup)
{
    if (lookup->waiter.flight == NULL) {
        return; /* its callback is under way */
    }
    detach(lookup->lookups, lookup);
    free_lookup(lookup);
}
