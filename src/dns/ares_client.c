/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_client.h"

#include "dns/ares_attempt.h"
#include "dns/stats.h"
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MIN_MS 2000 /* a cold cache behind the resolver may take that long */
#define PATIENCE_MAX_MS 60000
#define GIVE_UP 2 /* strikes after which a resolver is not asked again in this query */

typedef struct query query_t;

/* One sending. In its query's list, until its outcome has been dealt with, and there once more in
 * the client's list of outcomes to deal with. */
typedef struct attempt {
    sp_ares_client_t *client;
    query_t *query; /* NULL: the query is over, or asks for something else by now */
    struct attempt *next;
    struct attempt *next_settled;
    size_t resolver;
    bool tcp;
    uint64_t sent_us;
    sp_attempt_outcome_t outcome;
} attempt_t;

/* One question to be answered. */
struct query {
    query_t *previous; /* the client's list, in order of `check_ms` */
    query_t *next;
    sp_asked_t asked;
    attempt_t *attempts;
    uint64_t check_ms; /* when the latest try has waited long enough */
    uint64_t end_ms;
    unsigned sends;
    size_t latest; /* resolver asked last */
    uint8_t strikes[SP_RESOLVERS_MAX];
    sp_failure_t failure; /* the last that a resolver reported */
    sp_ares_done_fn *done;
    void *arg;
};

struct sp_ares_client {
    sp_dns_options_t options;
    sp_ares_callbacks_t callbacks;
    sp_lookup_counters_t *counters;
    sp_poller_t *poller;
    sp_ares_channel_t *channels[2 * SP_RESOLVERS_MAX]; /* UDP, then TCP, of each resolver */
    query_t *first;
    query_t *last;
    attempt_t *settled; /* oldest first */
    attempt_t **settled_end;
    const sp_answer_t *no_memory; /* for when there is none to say so */
    bool in_turn;                 /* of the loop: the outcomes are dealt with at its end */
};

/* Outcomes are dealt with outside of c-ares' own loops, and never inside of a call by our user. */
static void settle(sp_ares_client_t *client, attempt_t *attempt)
{
    attempt->next_settled = NULL;
    *client->settled_end = attempt;
    client->settled_end = &attempt->next_settled;
    if (!client->in_turn) {
        sp_poller_wake(client->poller);
    }
}

static void count_end(const attempt_t *attempt, sp_wire_result_t wire, sp_str_t message)
{
    sp_dns_stats_t *stats = attempt->client->options.stats;
    uint64_t us = sp_now_us() - attempt->sent_us;

    switch (wire) {
    case SP_WIRE_REPLY:
        sp_dns_stats_query(stats, attempt->tcp, sp_dns_result_of(message), us);
        break;
    case SP_WIRE_TIMEOUT:
        sp_dns_stats_query(stats, attempt->tcp, SP_DNS_TIMEOUT, us);
        break;
    case SP_WIRE_CONNECTION:
        sp_dns_stats_query(stats, attempt->tcp, SP_DNS_REFUSED_CONNECTION, us);
        break;
    case SP_WIRE_NO_NAME: /* never sent */
    case SP_WIRE_NO_MEMORY:
    case SP_WIRE_CANCELLED:
        break;
    }
}

static void on_wire(void *arg, sp_wire_result_t wire, sp_str_t message)
{
    attempt_t *attempt = arg;

    count_end(attempt, wire, message);
    if (attempt->query == NULL) {
        free(attempt);
        return;
    }
    attempt->outcome = sp_attempt_judge(&attempt->query->asked, wire, message);
    settle(attempt->client, attempt);
}

static void unlink_query(sp_ares_client_t *client, query_t *query)
{
    if (query == client->first) {
        client->first = query->next;
    } else {
        query->previous->next = query->next;
    }
    *(query->next != NULL ? &query->next->previous : &client->last) = query->previous;
}

static void link_last(sp_ares_client_t *client, query_t *query)
{
    query->previous = client->last;
    query->next = NULL;
    *(client->last != NULL ? &client->last->next : &client->first) = query;
    client->last = query;
}

/* From now on. Since every query waits equally long, the list stays in order. */
static void check_later(sp_ares_client_t *client, query_t *query)
{
    unlink_query(client, query);
    query->check_ms = sp_now_ms() + client->options.try_ms;
    link_last(client, query);
}

static void abandon_attempts(query_t *query)
{
    for (attempt_t *attempt = query->attempts; attempt != NULL; attempt = attempt->next) {
        attempt->query = NULL;
    }
    query->attempts = NULL;
}

static void finish(sp_ares_client_t *client, query_t *query, const sp_answer_t *answer)
{
    unlink_query(client, query);
    abandon_attempts(query);
    query->done(query->arg, answer);
    free(query);
}

static void finish_failed(sp_ares_client_t *client, query_t *query)
{
    sp_answer_parts_t parts = {.kind = SP_ANSWER_FAILURE,
                               .failure = query->failure != SP_FAILURE_NONE ? query->failure
                                                                            : SP_FAILURE_TIMEOUT};
    const sp_answer_t *answer;

    if (sp_answer_create(&parts, &answer) != SP_OK) {
        finish(client, query, client->no_memory);
        return;
    }
    finish(client, query, answer);
    sp_answer_release(answer);
}

static void send_to(sp_ares_client_t *client, query_t *query, size_t resolver, bool tcp)
{
    sp_ares_channel_t *channel = client->channels[2 * resolver + (tcp ? 1 : 0)];
    attempt_t *attempt = calloc(1, sizeof(*attempt));

    query->latest = resolver;
    if (attempt == NULL || sp_ares_channel_outstanding(channel) >= SP_CHANNEL_OUTSTANDING_MAX) {
        query->failure = SP_FAILURE_OVERLOAD;
        query->strikes[resolver] = GIVE_UP;
        free(attempt);
        return;
    }
    attempt->client = client;
    attempt->query = query;
    attempt->resolver = resolver;
    attempt->tcp = tcp;
    attempt->sent_us = sp_now_us();
    attempt->next = query->attempts;
    query->attempts = attempt;
    client->counters->queries += 1;
    client->counters->queries_tcp += tcp ? 1 : 0;
    sp_ares_channel_send(channel, sp_wire_name_str(&query->asked.name), on_wire, attempt);
}

static bool is_listened_to(const query_t *query, size_t resolver)
{
    for (const attempt_t *attempt = query->attempts; attempt != NULL; attempt = attempt->next) {
        if (attempt->resolver == resolver) {
            return true;
        }
    }
    return false;
}

/* Sends to the next resolver that is worth asking; `fresh`: only to one that owes no answer. False
 * when there is none, or every try is used up. */
static bool send_next(sp_ares_client_t *client, query_t *query, bool fresh)
{
    size_t count = client->options.resolver_count;

    for (size_t i = 1; i <= count && query->sends < client->options.tries * count; ++i) {
        size_t resolver = (query->latest + i) % count;

        if (query->strikes[resolver] < GIVE_UP && !(fresh && is_listened_to(query, resolver))) {
            query->sends += 1;
            check_later(client, query);
            send_to(client, query, resolver, client->options.transport == SP_TRANSPORT_TCP);
            return true;
        }
    }
    return false;
}

/* Is an answer still to be expected? Not from a resolver that was struck out: what it owes to an
 * earlier try will be no better. */
static bool has_hope(const query_t *query)
{
    for (const attempt_t *attempt = query->attempts; attempt != NULL; attempt = attempt->next) {
        if (query->strikes[attempt->resolver] < GIVE_UP) {
            return true;
        }
    }
    return false;
}

static void go_on(sp_ares_client_t *client, query_t *query)
{
    if (!send_next(client, query, true) && !has_hope(query)) {
        finish_failed(client, query);
    }
}

/* A refused connection may be an idle one that the resolver just closed: it costs no try, but a
 * second one in a row is enough. */
static void take_failure(sp_ares_client_t *client, query_t *query, size_t resolver,
                         sp_failure_t failure)
{
    query->failure = failure;
    if (failure == SP_FAILURE_CONNECTION) {
        query->strikes[resolver] += 1;
        query->sends -= query->sends != 0 ? 1 : 0;
    } else {
        query->strikes[resolver] = GIVE_UP;
    }
    go_on(client, query);
}

static void ask_target(sp_ares_client_t *client, query_t *query, const sp_asked_t *next)
{
    query->asked = *next;
    abandon_attempts(query);
    memset(query->strikes, 0, sizeof(query->strikes));
    query->sends = 0;
    query->failure = SP_FAILURE_NONE;
    query->latest += client->options.resolver_count - 1; /* the same resolver is next */
    go_on(client, query);
}

static void unlink_attempt(attempt_t *attempt)
{
    attempt_t **link = &attempt->query->attempts;

    while (*link != attempt) {
        link = &(*link)->next;
    }
    *link = attempt->next;
}

static void deal_with(sp_ares_client_t *client, attempt_t *attempt)
{
    query_t *query = attempt->query;

    unlink_attempt(attempt);
    switch (attempt->outcome.result) {
    case SP_ATTEMPT_ANSWERED:
        finish(client, query, attempt->outcome.answer);
        break;
    case SP_ATTEMPT_ALIAS:
        ask_target(client, query, attempt->outcome.next);
        break;
    case SP_ATTEMPT_TRUNCATED:
        if (!attempt->tcp && client->options.transport == SP_TRANSPORT_AUTO) {
            send_to(client, query, attempt->resolver, true);
        } else {
            take_failure(client, query, attempt->resolver, SP_FAILURE_MALFORMED);
        }
        break;
    case SP_ATTEMPT_FAILED:
        take_failure(client, query, attempt->resolver, attempt->outcome.failure);
        break;
    case SP_ATTEMPT_SILENT:
    case SP_ATTEMPT_CANCELLED:
        go_on(client, query);
        break;
    }
}

/* What settles meanwhile waits for the next turn, so that a caller who asks again and again at each
 * answer can't hold the loop. */
static void deal_with_settled(sp_ares_client_t *client)
{
    attempt_t *attempt = client->settled;

    client->settled = NULL;
    client->settled_end = &client->settled;
    while (attempt != NULL) {
        attempt_t *next = attempt->next_settled;

        if (attempt->query != NULL) {
            deal_with(client, attempt);
        }
        sp_attempt_outcome_clear(&attempt->outcome);
        free(attempt);
        attempt = next;
    }
    if (client->settled != NULL) {
        sp_poller_wake(client->poller);
    }
}

static void on_ready(void *arg, uint32_t tag, int fd, bool readable, bool writable)
{
    sp_ares_client_t *client = arg;

    client->in_turn = true;
    sp_ares_channel_ready(client->channels[tag], fd, readable, writable);
}

/* The latest try of the query has gone without an answer. */
static void check(sp_ares_client_t *client, query_t *query, uint64_t now_ms)
{
    client->counters->timeouts += 1;
    check_later(client, query);
    if (now_ms >= query->end_ms || (!send_next(client, query, false) && !has_hope(query))) {
        finish_failed(client, query);
    }
}

static void on_tick(void *arg)
{
    sp_ares_client_t *client = arg;
    uint64_t now_ms = sp_now_ms();
    bool busy = false;

    client->in_turn = true;
    for (size_t i = 0; i != 2 * client->options.resolver_count; ++i) {
        if (sp_ares_channel_outstanding(client->channels[i]) != 0) {
            sp_ares_channel_tick(client->channels[i]);
            busy = true;
        }
    }
    while (client->first != NULL && client->first->check_ms <= now_ms) {
        check(client, client->first, now_ms);
    }
    client->callbacks.on_tick(client->callbacks.arg, now_ms);
    if (!busy && client->first == NULL) {
        sp_poller_set_ticking(client->poller, false);
    }
}

static void on_end(void *arg)
{
    sp_ares_client_t *client = arg;

    deal_with_settled(client);
    client->in_turn = false;
    client->callbacks.on_end(client->callbacks.arg);
}

/* All tries at all resolvers, one after the other. */
static uint64_t plan_ms(const sp_dns_options_t *options)
{
    return (uint64_t)options->try_ms * options->tries * options->resolver_count;
}

static sp_status_t create_channels(sp_ares_client_t *client, sp_error_t *err)
{
    uint64_t patience = plan_ms(&client->options);
    sp_status_t status = SP_OK;

    patience = patience < PATIENCE_MIN_MS ? PATIENCE_MIN_MS : patience;
    patience = patience > PATIENCE_MAX_MS ? PATIENCE_MAX_MS : patience;
    for (uint32_t i = 0; i != 2 * client->options.resolver_count && status == SP_OK; ++i) {
        sp_ares_channel_options_t options = {.address = client->options.resolvers[i / 2],
                                             .tcp = i % 2 == 1,
                                             .patience_ms = (unsigned)patience,
                                             .tag = i};

        status = sp_ares_channel_create(client->poller, &options, &client->channels[i], err);
    }
    return status;
}

sp_status_t sp_ares_client_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                                  const sp_ares_callbacks_t *callbacks,
                                  sp_lookup_counters_t *counters, sp_ares_client_t **ret_client,
                                  sp_error_t *err)
{
    sp_ares_client_t *client = calloc(1, sizeof(*client));
    sp_poller_callbacks_t poller_callbacks = {on_ready, on_tick, on_end, client};
    sp_status_t status;

    if (client == NULL) {
        return SP_NO_MEMORY;
    }
    client->options = *options;
    client->options.tries = options->tries != 0 ? options->tries : 1;
    client->options.try_ms = options->try_ms != 0 ? options->try_ms : 1;
    client->callbacks = *callbacks;
    client->counters = counters;
    client->settled_end = &client->settled;
    status = sp_answer_create(
        &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_OVERLOAD},
        &client->no_memory);
    if (status == SP_OK) {
        status = sp_poller_create(loop, &poller_callbacks, &client->poller, err);
    }
    if (status == SP_OK) {
        status = create_channels(client, err);
    }
    if (status != SP_OK) {
        sp_ares_client_destroy(client);
        return status;
    }
    *ret_client = client;
    return SP_OK;
}

void sp_ares_client_destroy(sp_ares_client_t *client)
{
    if (client == NULL) {
        return;
    }
    client->in_turn = true; /* nobody needs to be woken */
    for (query_t *query = client->first, *next; query != NULL; query = next) {
        next = query->next;
        abandon_attempts(query);
        free(query);
    }
    for (attempt_t *attempt = client->settled, *next; attempt != NULL; attempt = next) {
        next = attempt->next_settled;
        sp_attempt_outcome_clear(&attempt->outcome);
        free(attempt);
    }
    for (size_t i = 0; i != SP_COUNT(client->channels); ++i) {
        sp_ares_channel_destroy(client->channels[i]);
    }
    sp_poller_destroy(client->poller);
    sp_answer_release(client->no_memory);
    free(client);
}

sp_status_t sp_ares_client_ask(sp_ares_client_t *client, sp_str_t name, uint64_t patient_until_ms,
                               sp_ares_done_fn *done, void *arg)
{
    uint64_t end_ms = sp_now_ms() + plan_ms(&client->options);
    query_t *query;

    if (name.len >= SP_NAME_TEXT_MAX) {
        return SP_NO_MEMORY;
    }
    query = calloc(1, sizeof(*query));
    if (query == NULL) {
        return SP_NO_MEMORY;
    }
    memcpy(query->asked.name.text, name.ptr, name.len);
    query->asked.name.len = name.len;
    query->asked.ttl_s = UINT32_MAX;
    query->latest = client->options.resolver_count - 1;
    query->end_ms = end_ms > patient_until_ms ? end_ms : patient_until_ms;
    query->done = done;
    query->arg = arg;
    link_last(client, query);
    check_later(client, query);
    sp_poller_set_ticking(client->poller, true);
    (void)send_next(client, query, true); /* without an attempt, the first check ends it */
    return SP_OK;
}
