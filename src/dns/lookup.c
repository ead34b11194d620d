/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/lookup.h"

#include "dns/ares_client.h"
#include "dns/cache.h"
#include "dns/inflight.h"
#include "dns/stats.h"
#include "dns/zone_client.h"
#include <stdlib.h>
#include <time.h>

/* Made once, so that a question which fails at once needs no memory. */
typedef struct ready_answers {
    const sp_answer_t *overload;
    const sp_answer_t *no_resolver;
    const sp_answer_t *timeout;
    const sp_answer_t *nxdomain; /* outside the zones, when there are zones and no resolver */
} ready_answers_t;

struct sp_lookups {
    const sp_zones_t *zones;
    sp_cache_t *cache;
    sp_inflight_t *inflight;
    sp_ares_client_t *client; /* NULL: no resolvers */
    ready_answers_t ready;
    sp_lookup_guard_fn *guard; /* NULL: everybody may cause queries */
    sp_lookup_counters_t counters;
    sp_dns_stats_t *stats; /* NULL: none */
    sp_lookup_t *first;    /* all that wait, the next deadline first */
    sp_lookup_t *last;
    unsigned calling; /* callbacks under way */
    bool doomed;      /* destroyed by one of them: freed at the end of the turn */
};

struct sp_lookup {
    sp_waiter_t waiter; /* first: the flights know nothing else */
    sp_lookups_t *lookups;
    sp_lookup_t *previous;
    sp_lookup_t *next;
    sp_lookup_done_fn *done;
    void *arg;
    uint64_t deadline_ms;
    uint64_t started_us;
    uint32_t ttl_max_s; /* of the CNAMEs in a zone file that led to the question */
    sp_source_t source;
};

/* A question on its way through zones, cache and flights. */
typedef struct question {
    sp_str_t name;
    uint64_t deadline_ms;
    uint64_t started_us;
    uint32_t ttl_max_s;
    void *arg; /* of the caller, for the guard */
} question_t;

static uint64_t monotonic(uint64_t per_second)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* that clock is always there */
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec / (1000000000U / per_second);
}

uint64_t sp_now_ms(void)
{
    return monotonic(1000);
}

uint64_t sp_now_us(void)
{
    return monotonic(1000000);
}

static sp_lookup_result_t make_result(const sp_answer_t *answer, sp_source_t source, uint32_t ttl_s,
                                      uint32_t ttl_max_s, uint64_t started_us)
{
    return (sp_lookup_result_t){.answer = answer,
                                .source = source,
                                .ttl_s = ttl_s < ttl_max_s ? ttl_s : ttl_max_s,
                                .waited_us = sp_now_us() - started_us};
}

/* In order of deadlines; a new one is nearly always the last. */
static void link_deadline(sp_lookups_t *lookups, sp_lookup_t *lookup)
{
    sp_lookup_t *before = lookups->last;

    while (before != NULL && before->deadline_ms > lookup->deadline_ms) {
        before = before->previous;
    }
    lookup->previous = before;
    lookup->next = before != NULL ? before->next : lookups->first;
    *(before != NULL ? &before->next : &lookups->first) = lookup;
    *(lookup->next != NULL ? &lookup->next->previous : &lookups->last) = lookup;
}

/* It waits for nothing any more. */
static void detach(sp_lookups_t *lookups, sp_lookup_t *lookup)
{
    if (lookup == lookups->first) {
        lookups->first = lookup->next;
    } else {
        lookup->previous->next = lookup->next;
    }
    *(lookup->next != NULL ? &lookup->next->previous : &lookups->last) = lookup->previous;
    sp_flight_leave(&lookup->waiter);
}

static void deliver(sp_lookups_t *lookups, sp_lookup_t *lookup, const sp_answer_t *answer)
{
    sp_lookup_result_t result =
        make_result(answer, lookup->source, answer->ttl_s, lookup->ttl_max_s, lookup->started_us);

    detach(lookups, lookup);
    lookups->calling += 1;
    lookup->done(lookup->arg, &result);
    lookups->calling -= 1;
    free(lookup);
}

/* Who waits for the flight may cancel others that do, ask anew, or end the whole service. */
static void on_answer(void *arg, const sp_answer_t *answer)
{
    sp_flight_t *flight = arg;
    sp_lookups_t *lookups = sp_flight_owner(flight);
    sp_waiter_t *waiter;

    if (lookups->cache != NULL && !lookups->doomed) {
        sp_cache_store(lookups->cache, sp_flight_name(flight), answer, sp_now_ms());
    }
    sp_inflight_land(lookups->inflight, flight);
    lookups->counters.inflight = sp_inflight_count(lookups->inflight);
    sp_dns_stats_inflight(lookups->stats, -1);
    while ((waiter = sp_flight_first(flight)) != NULL) {
        deliver(lookups, (sp_lookup_t *)waiter, answer);
    }
    sp_flight_free(flight);
}

static void on_tick(void *arg, uint64_t now_ms)
{
    sp_lookups_t *lookups = arg;

    while (lookups->first != NULL && lookups->first->deadline_ms <= now_ms) {
        deliver(lookups, lookups->first, lookups->ready.timeout);
    }
}

static void free_lookups(sp_lookups_t *lookups)
{
    sp_ares_client_destroy(lookups->client);
    if (lookups->inflight != NULL) {
        sp_dns_stats_inflight(lookups->stats, -(int64_t)sp_inflight_count(lookups->inflight));
    }
    sp_inflight_destroy(lookups->inflight);
    sp_answer_release(lookups->ready.overload);
    sp_answer_release(lookups->ready.no_resolver);
    sp_answer_release(lookups->ready.timeout);
    sp_answer_release(lookups->ready.nxdomain);
    free(lookups);
}

static void on_end(void *arg)
{
    sp_lookups_t *lookups = arg;

    if (lookups->doomed) {
        free_lookups(lookups);
    }
}

static sp_status_t make_failure(sp_failure_t failure, const sp_answer_t **ret_answer)
{
    return sp_answer_create(&(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = failure},
                            ret_answer);
}

static sp_status_t make_ready_answers(ready_answers_t *ready)
{
    sp_status_t status = make_failure(SP_FAILURE_OVERLOAD, &ready->overload);

    if (status == SP_OK) {
        status = make_failure(SP_FAILURE_NO_RESOLVER, &ready->no_resolver);
    }
    if (status == SP_OK) {
        status = make_failure(SP_FAILURE_TIMEOUT, &ready->timeout);
    }
    if (status == SP_OK) {
        status =
            sp_answer_create(&(sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN}, &ready->nxdomain);
    }
    return status;
}

sp_status_t sp_lookups_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                              const sp_zones_t *zones, sp_cache_t *cache,
                              sp_lookups_t **ret_lookups, sp_error_t *err)
{
    sp_lookups_t *lookups = calloc(1, sizeof(*lookups));
    sp_ares_callbacks_t callbacks = {on_tick, on_end, lookups};
    sp_status_t status = SP_NO_MEMORY;

    if (lookups == NULL) {
        return SP_NO_MEMORY;
    }
    lookups->zones = zones;
    lookups->cache = cache;
    lookups->stats = options->stats;
    status = make_ready_answers(&lookups->ready);
    if (status == SP_OK) {
        status = sp_inflight_create(options->max_inflight, &lookups->inflight);
    }
    if (status == SP_OK && options->resolver_count != 0) {
        status = sp_ares_client_create(loop, options, &callbacks, &lookups->counters,
                                       &lookups->client, err);
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
    if (lookups == NULL) {
        return;
    }
    for (sp_lookup_t *lookup = lookups->first, *next; lookup != NULL; lookup = next) {
        next = lookup->next;
        sp_lookup_cancel(lookup);
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

/* Whatever needs no waiting. */
static bool answer_now(sp_lookups_t *lookups, question_t *question, sp_lookup_result_t *ret_result)
{
    const sp_answer_t *answer = NULL;
    uint32_t ttl_s;

    if (ask_zones(lookups, question, &answer)) {
        *ret_result =
            make_result(answer, SP_SOURCE_ZONE, answer->ttl_s, UINT32_MAX, question->started_us);
        return true;
    }
    if (lookups->client == NULL) {
        *ret_result = make_result(sp_answer_retain(lookups->ready.no_resolver), SP_SOURCE_MISS, 0,
                                  0, question->started_us);
        return true;
    }
    if (lookups->cache != NULL) {
        answer = sp_cache_find(lookups->cache, question->name, sp_now_ms(), &ttl_s);
    }
    if (answer == NULL) {
        return false;
    }
    lookups->counters.hits += 1;
    *ret_result =
        make_result(answer, SP_SOURCE_HIT, ttl_s, question->ttl_max_s, question->started_us);
    return true;
}

/* The flight for the question, under way or begun here; NULL when there can be none. */
static sp_flight_t *find_flight(sp_lookups_t *lookups, const question_t *question,
                                sp_source_t *ret_source)
{
    sp_flight_t *flight = sp_inflight_find(lookups->inflight, question->name);

    *ret_source = SP_SOURCE_COALESCED;
    if (flight != NULL) {
        lookups->counters.coalesced += 1;
        return flight;
    }
    *ret_source = SP_SOURCE_MISS;
    if (lookups->guard != NULL && !lookups->guard(question->arg)) {
        return NULL;
    }
    if (sp_inflight_start(lookups->inflight, question->name, lookups, &flight) != SP_OK) {
        return NULL;
    }
    if (sp_ares_client_ask(lookups->client, question->name, question->deadline_ms, on_answer,
                           flight) != SP_OK) {
        sp_inflight_land(lookups->inflight, flight);
        sp_flight_free(flight);
        return NULL;
    }
    lookups->counters.misses += 1;
    lookups->counters.inflight = sp_inflight_count(lookups->inflight);
    sp_dns_stats_inflight(lookups->stats, 1);
    return flight;
}

/* NOLINTNEXTLINE(readability-function-size): what a caller gives and gets, in one call */
bool sp_lookup_start(sp_lookups_t *lookups, sp_str_t name, uint64_t deadline_ms,
                     sp_lookup_done_fn *done, void *arg, sp_lookup_result_t *ret_result,
                     sp_lookup_t **ret_lookup)
{
    question_t question = {name, deadline_ms, sp_now_us(), UINT32_MAX, arg};
    sp_source_t source = SP_SOURCE_MISS;
    sp_flight_t *flight = NULL;
    sp_lookup_t *lookup;

    if (answer_now(lookups, &question, ret_result)) {
        sp_dns_stats_lookup(lookups->stats, ret_result->source);
        return true;
    }
    lookup = calloc(1, sizeof(*lookup));
    if (lookup != NULL && !lookups->doomed) {
        flight = find_flight(lookups, &question, &source);
    }
    if (flight == NULL) {
        free(lookup);
        lookups->counters.overloads += 1;
        sp_dns_stats_overload(lookups->stats);
        *ret_result = make_result(sp_answer_retain(lookups->ready.overload), SP_SOURCE_MISS, 0, 0,
                                  question.started_us);
        return true;
    }
    *lookup = (sp_lookup_t){.lookups = lookups,
                            .done = done,
                            .arg = arg,
                            .deadline_ms = deadline_ms,
                            .started_us = question.started_us,
                            .ttl_max_s = question.ttl_max_s,
                            .source = source};
    sp_dns_stats_lookup(lookups->stats, source);
    sp_flight_board(flight, &lookup->waiter);
    link_deadline(lookups, lookup);
    *ret_lookup = lookup;
    return false;
}

void sp_lookup_cancel(sp_lookup_t *lookup)
{
    if (lookup->waiter.flight == NULL) {
        return; /* its callback is under way */
    }
    detach(lookup->lookups, lookup);
    free(lookup);
}

const sp_lookup_counters_t *sp_lookups_counters(const sp_lookups_t *lookups)
{
    return &lookups->counters;
}
