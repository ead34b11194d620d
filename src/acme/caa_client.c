/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_client.h"

#include <stdlib.h>
#include <string.h>

#include "acme/caa_reply.h"
#include "dns/ares_channel.h"
#include "dns/stats.h"
#include "dns/wire_message.h"
#include "dns/wire_name.h"
#include "dns/zone_client.h"

#define TICK_US 20000 /* c-ares sees that time passes */
#define ALIASES_MAX 8 /* replies that only point on, to one question */
#define ARENA_CHUNK 2048

/* One sending. What comes of it is dealt with outside of c-ares' own loops. */
typedef struct attempt {
    sp_caa_client_t *client;
    sp_caa_lookup_t *lookup; /* NULL: nobody waits */
    sp_wire_result_t wire;
    bool is_tcp;
    uint64_t sent_us;
    sp_str_t message; /* malloc'ed */
    struct attempt *next_settled;
} attempt_t;

struct sp_caa_lookup {
    sp_caa_client_t *client;
    sp_caa_lookup_t *next;
    sp_arena_t arena;
    sp_str_t climb; /* the name whose turn it is, in `arena` */
    sp_str_t asked; /* the same, or where its CNAMEs lead */
    unsigned aliases;
    size_t tries; /* of this question so far */
    attempt_t *attempt;
    uint64_t deadline_ms;
    bool is_settled; /* `found` is to be told */
    sp_caa_found_t found;
    sp_caa_done_fn *done;
    void *arg;
};

struct sp_caa_client {
    sp_poller_t *poller;
    sp_dns_options_t options;
    const sp_zones_t *zones;
    sp_ares_channel_t *channels[SP_RESOLVERS_MAX][2]; /* UDP, TCP; opened when needed */
    sp_caa_lookup_t *lookups;
    attempt_t *settled;
    bool is_ending;
};

static void attempt_free(attempt_t *attempt)
{
    free((void *)(uintptr_t)attempt->message.ptr);
    free(attempt);
}

static void lookup_free(sp_caa_lookup_t *lookup)
{
    if (lookup->attempt != NULL) {
        lookup->attempt->lookup = NULL;
    }
    sp_arena_clear(&lookup->arena);
    free(lookup);
}

static void unlink_lookup(sp_caa_lookup_t *lookup)
{
    sp_caa_lookup_t **link = &lookup->client->lookups;

    while (*link != lookup) {
        link = &(*link)->next;
    }
    *link = lookup->next;
}

static void settle(sp_caa_lookup_t *lookup, const sp_caa_found_t *found)
{
    lookup->found = *found;
    lookup->is_settled = true;
    sp_poller_wake(lookup->client->poller);
}

static void fail(sp_caa_lookup_t *lookup, const char *why)
{
    const sp_caa_found_t found = {.failure = why, .owner = lookup->climb};

    settle(lookup, &found);
}

/* May run before the sending returns, and while channels are destroyed. */
static void on_wire(void *arg, sp_wire_result_t wire, sp_str_t message)
{
    attempt_t *attempt = arg;
    sp_caa_client_t *client = attempt->client;
    char *copy = NULL;

    sp_dns_stats_end(client->options.stats, attempt->is_tcp, wire, message,
                     sp_now_us() - attempt->sent_us);
    attempt->wire = wire;
    if (wire == SP_WIRE_REPLY) {
        copy = malloc(message.len == 0 ? 1 : message.len);
        attempt->wire = copy == NULL ? SP_WIRE_NO_MEMORY : wire;
    }
    if (copy != NULL) {
        memcpy(copy, message.ptr, message.len);
        attempt->message = (sp_str_t){.ptr = copy, .len = message.len};
    }
    attempt->next_settled = client->settled;
    client->settled = attempt;
    if (!client->is_ending) {
        sp_poller_wake(client->poller);
    }
}

/* NULL when it can't be opened. */
static sp_ares_channel_t *channel_of(sp_caa_client_t *client, size_t resolver, bool tcp)
{
    sp_ares_channel_t **channel = &client->channels[resolver][tcp ? 1 : 0];
    sp_ares_channel_options_t options = {.address = client->options.resolvers[resolver],
                                         .tcp = tcp,
                                         .patience_ms = client->options.try_ms,
                                         .tag = (uint32_t)(resolver * 2 + (tcp ? 1 : 0))};

    if (*channel == NULL &&
        sp_ares_channel_create(client->poller, &options, channel, NULL) != SP_OK) {
        *channel = NULL;
    }
    return *channel;
}

static void send_question(sp_caa_lookup_t *lookup, bool tcp)
{
    sp_caa_client_t *client = lookup->client;
    size_t resolver = lookup->tries % client->options.resolver_count;
    bool is_tcp = tcp || client->options.transport == SP_TRANSPORT_TCP;
    sp_ares_channel_t *channel = channel_of(client, resolver, is_tcp);
    attempt_t *attempt = channel == NULL ? NULL : calloc(1, sizeof(*attempt));

    if (attempt == NULL) {
        fail(lookup, "no memory, or no socket");
        return;
    }
    attempt->client = client;
    attempt->lookup = lookup;
    attempt->is_tcp = is_tcp;
    attempt->sent_us = sp_now_us();
    lookup->attempt = attempt;
    sp_poller_wake_at(client->poller, sp_now_us() + TICK_US);
    sp_ares_channel_send_for(channel, lookup->asked, SP_TYPE_CAA, on_wire, attempt);
}

/* Asks for the name whose turn it is, or for its first parent that somebody can be asked for. */
static void ask(sp_caa_lookup_t *lookup)
{
    const sp_caa_client_t *client = lookup->client;
    const sp_caa_found_t nothing = {.failure = NULL};

    while (lookup->climb.len != 0 &&
           (client->options.resolver_count == 0 ||
            (client->zones != NULL && sp_zones_covers(client->zones, lookup->climb)))) {
        lookup->climb = sp_name_parent(lookup->climb);
    }
    if (lookup->climb.len == 0) {
        settle(lookup, &nothing);
        return;
    }
    lookup->asked = lookup->climb;
    lookup->aliases = 0;
    lookup->tries = 0;
    send_question(lookup, false);
}

static void try_again(sp_caa_lookup_t *lookup, const char *why)
{
    const sp_dns_options_t *options = &lookup->client->options;

    if (++lookup->tries >= options->tries * options->resolver_count) {
        fail(lookup, why);
    } else {
        send_question(lookup, false);
    }
}

static void follow_alias(sp_caa_lookup_t *lookup, sp_str_t alias)
{
    if (++lookup->aliases > ALIASES_MAX) {
        fail(lookup, "its CNAMEs are too many");
        return;
    }
    lookup->asked = alias;
    lookup->tries = 0;
    send_question(lookup, false);
}

static void take_reply(sp_caa_lookup_t *lookup, const attempt_t *attempt)
{
    sp_str_t copy = sp_arena_copy(&lookup->arena, attempt->message);
    sp_caa_reply_t reply;

    if (copy.ptr == NULL ||
        sp_caa_reply_read(copy, lookup->asked, &lookup->arena, &reply) != SP_OK) {
        fail(lookup, "no memory");
        return;
    }
    switch (reply.kind) {
    case SP_CAA_REPLY_RECORDS:
        if (reply.count != 0) {
            const sp_caa_found_t found = {
                .owner = lookup->climb, .records = reply.records, .count = reply.count};

            settle(lookup, &found);
        } else {
            lookup->climb = sp_name_parent(lookup->climb);
            ask(lookup);
        }
        break;
    case SP_CAA_REPLY_ALIAS:
        follow_alias(lookup, reply.alias);
        break;
    case SP_CAA_REPLY_TRUNCATED:
        if (attempt->is_tcp) { /* which has room for any reply */
            try_again(lookup, "a truncated reply over TCP");
        } else {
            send_question(lookup, true);
        }
        break;
    case SP_CAA_REPLY_FAILED:
        try_again(lookup, reply.why);
        break;
    }
}

static void take_attempt(attempt_t *attempt)
{
    sp_caa_lookup_t *lookup = attempt->lookup;

    if (lookup == NULL || lookup->is_settled) {
        return;
    }
    lookup->attempt = NULL;
    switch (attempt->wire) {
    case SP_WIRE_REPLY:
        take_reply(lookup, attempt);
        break;
    case SP_WIRE_TIMEOUT:
        try_again(lookup, "no answer in time");
        break;
    case SP_WIRE_CONNECTION:
        try_again(lookup, "the resolver can't be reached");
        break;
    case SP_WIRE_NO_NAME:
        fail(lookup, "no such name can be asked for");
        break;
    case SP_WIRE_NO_MEMORY:
    case SP_WIRE_CANCELLED:
        fail(lookup, "no memory");
        break;
    }
}

static void take_settled(sp_caa_client_t *client)
{
    while (client->settled != NULL) {
        attempt_t *attempt = client->settled;

        client->settled = attempt->next_settled;
        take_attempt(attempt);
        if (attempt->lookup != NULL && attempt->lookup->attempt == attempt) {
            attempt->lookup->attempt = NULL;
        }
        attempt_free(attempt);
    }
}

/* Takes one out of the list whose result is to be told. */
static sp_caa_lookup_t *take_settled_lookup(sp_caa_client_t *client)
{
    for (sp_caa_lookup_t **link = &client->lookups; *link != NULL; link = &(*link)->next) {
        sp_caa_lookup_t *lookup = *link;

        if (lookup->is_settled) {
            *link = lookup->next;
            return lookup;
        }
    }
    return NULL;
}

/* A callback may start and cancel others: the list is looked at anew after each. */
static void tell_settled(sp_caa_client_t *client)
{
    for (sp_caa_lookup_t *lookup = take_settled_lookup(client); lookup != NULL;
         lookup = take_settled_lookup(client)) {
        lookup->done(lookup->arg, &lookup->found);
        lookup_free(lookup);
    }
}

static void on_ready(void *arg, uint32_t tag, int fd, bool readable, bool writable)
{
    sp_caa_client_t *client = arg;
    sp_ares_channel_t *channel = client->channels[tag / 2][tag % 2];

    if (channel != NULL) {
        sp_ares_channel_ready(channel, fd, readable, writable);
    }
}

static void on_tick(void *arg)
{
    sp_caa_client_t *client = arg;
    uint64_t now_ms = sp_now_ms();

    for (size_t i = 0; i != 2 * SP_RESOLVERS_MAX; ++i) {
        if (client->channels[i / 2][i % 2] != NULL) {
            sp_ares_channel_tick(client->channels[i / 2][i % 2]);
        }
    }
    for (sp_caa_lookup_t *lookup = client->lookups; lookup != NULL; lookup = lookup->next) {
        if (!lookup->is_settled && now_ms >= lookup->deadline_ms) {
            fail(lookup, "no answer in time");
        }
    }
    if (client->lookups != NULL) {
        sp_poller_wake_at(client->poller, sp_now_us() + TICK_US);
    }
}

static void on_end(void *arg)
{
    sp_caa_client_t *client = arg;

    take_settled(client);
    tell_settled(client);
}

sp_status_t sp_caa_client_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                                 const sp_zones_t *zones, sp_caa_client_t **ret_client,
                                 sp_error_t *err)
{
    sp_caa_client_t *client = calloc(1, sizeof(*client));
    const sp_poller_callbacks_t callbacks = {on_ready, on_tick, on_end, client};
    sp_status_t status = SP_OK;

    if (client == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    client->options = *options;
    client->zones = zones;
    status = sp_poller_create(loop, &callbacks, &client->poller, err);
    if (status != SP_OK) {
        free(client);
        return status;
    }
    *ret_client = client;
    return SP_OK;
}

void sp_caa_client_destroy(sp_caa_client_t *client)
{
    if (client == NULL) {
        return;
    }
    client->is_ending = true;
    while (client->lookups != NULL) {
        sp_caa_lookup_t *lookup = client->lookups;

        client->lookups = lookup->next;
        lookup_free(lookup);
    }
    for (size_t i = 0; i != 2 * SP_RESOLVERS_MAX; ++i) {
        sp_ares_channel_destroy(client->channels[i / 2][i % 2]);
    }
    while (client->settled != NULL) {
        attempt_t *attempt = client->settled;

        client->settled = attempt->next_settled;
        attempt_free(attempt);
    }
    sp_poller_destroy(client->poller);
    free(client);
}

sp_status_t sp_caa_lookup_start(sp_caa_client_t *client, sp_str_t name, uint64_t deadline_ms,
                                sp_caa_done_fn *done, void *arg, sp_caa_lookup_t **ret_lookup)
{
    sp_caa_lookup_t *lookup = calloc(1, sizeof(*lookup));

    if (lookup == NULL) {
        return SP_NO_MEMORY;
    }
    sp_arena_init(&lookup->arena, NULL, 0, ARENA_CHUNK);
    lookup->client = client;
    lookup->deadline_ms = deadline_ms;
    lookup->done = done;
    lookup->arg = arg;
    lookup->climb = sp_arena_copy(&lookup->arena, name);
    if (lookup->climb.ptr == NULL) {
        lookup_free(lookup);
        return SP_NO_MEMORY;
    }
    lookup->next = client->lookups;
    client->lookups = lookup;
    ask(lookup);
    *ret_lookup = lookup;
    return SP_OK;
}

void sp_caa_lookup_cancel(sp_caa_lookup_t *lookup)
{
    unlink_lookup(lookup);
    lookup_free(lookup);
}
