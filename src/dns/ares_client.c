/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_client.h"

#include "dns/query.h"
#include <stdlib.h>

#define PATIENCE_MIN_MS 2000 /* a cold cache behind the resolver may take that long */
#define PATIENCE_MAX_MS 60000
#define HOUSEKEEPING_US 20000
#define HEDGED_TRY_MIN_US 20000

struct sp_ares_client {
    sp_query_env_t env;
    sp_ares_callbacks_t callbacks;
    uint64_t housekeeping_us; /* when c-ares may free what waits no more */
};

static void on_ready(void *arg, uint32_t tag, int fd, bool readable, bool writable)
{
    sp_ares_client_t *client = arg;
    const sp_resolver_t *resolver = &client->env.resolvers[tag / SP_RESOLVER_CHANNELS_MAX];

    client->env.in_turn = true;
    sp_ares_channel_ready(sp_resolver_tagged(resolver, tag % SP_RESOLVER_CHANNELS_MAX), fd,
                          readable, writable);
}

static void keep_house(sp_ares_client_t *client, uint64_t now_us)
{
    bool waits = false;

    if (now_us < client->housekeeping_us) {
        return;
    }
    for (size_t i = 0; i != client->env.options.resolver_count; ++i) {
        waits = sp_resolver_tick(&client->env.resolvers[i]) || waits;
    }
    client->housekeeping_us = now_us + HOUSEKEEPING_US;
    if (waits) {
        sp_poller_wake_at(client->env.poller, client->housekeeping_us);
    }
}

static void on_tick(void *arg)
{
    sp_ares_client_t *client = arg;
    uint64_t now_us = sp_now_us();

    client->env.in_turn = true;
    keep_house(client, now_us);
    sp_query_take_due(&client->env, now_us);
    client->callbacks.on_tick(client->callbacks.arg, now_us);
}

static void on_end(void *arg)
{
    sp_ares_client_t *client = arg;

    sp_query_take_settled(&client->env);
    client->env.in_turn = false;
    client->callbacks.on_end(client->callbacks.arg);
}

static sp_status_t init_resolvers(sp_ares_client_t *client, sp_error_t *err)
{
    const sp_dns_options_t *options = &client->env.options;
    uint64_t patience = sp_query_plan_ms(options);
    sp_status_t status = SP_OK;

    patience = patience < PATIENCE_MIN_MS ? PATIENCE_MIN_MS : patience;
    patience = patience > PATIENCE_MAX_MS ? PATIENCE_MAX_MS : patience;
    for (uint32_t i = 0; i != options->resolver_count && status == SP_OK; ++i) {
        sp_resolver_options_t of_resolver = {.address = options->resolvers[i],
                                             .patience_ms = (unsigned)patience,
                                             .max_inflight = options->max_inflight,
                                             .tag = i * SP_RESOLVER_CHANNELS_MAX};

        status = sp_resolver_init(&client->env.resolvers[i], client->env.poller, &of_resolver, err);
    }
    return status;
}

sp_status_t sp_ares_client_create(h2o_loop_t *loop, const sp_dns_options_t *options,
                                  const sp_ares_callbacks_t *callbacks,
                                  sp_ares_client_t **ret_client, sp_error_t *err)
{
    sp_ares_client_t *client = calloc(1, sizeof(*client));
    sp_poller_callbacks_t poller_callbacks = {on_ready, on_tick, on_end, client};
    sp_status_t status;

    if (client == NULL) {
        return SP_NO_MEMORY;
    }
    client->callbacks = *callbacks;
    client->env.options = *options;
    client->env.options.tries = options->tries != 0 ? options->tries : 1;
    client->env.options.try_ms = options->try_ms != 0 ? options->try_ms : 1;
    client->env.settled_end = &client->env.settled;
    client->env.on_back = callbacks->on_back;
    client->env.arg = callbacks->arg;
    status = sp_answer_create(
        &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_OVERLOAD},
        &client->env.no_memory);
    if (status == SP_OK) {
        status = sp_poller_create(loop, &poller_callbacks, &client->env.poller, err);
    }
    if (status == SP_OK) {
        status = init_resolvers(client, err);
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
    client->env.in_turn = true; /* nobody needs to be woken */
    client->env.on_back = NULL;
    sp_query_drop_all(&client->env);
    for (size_t i = 0; i != client->env.options.resolver_count; ++i) {
        sp_resolver_clear(&client->env.resolvers[i]);
    }
    sp_timer_heap_clear(&client->env.timers);
    sp_poller_destroy(client->env.poller);
    sp_answer_release(client->env.no_memory);
    free(client);
}

sp_status_t sp_ares_client_ask(sp_ares_client_t *client, sp_str_t name, uint64_t patient_until_ms,
                               sp_ares_done_fn *done, void *arg)
{
    return sp_query_start(&client->env, name, patient_until_ms, done, arg);
}

void sp_ares_client_wake_at(sp_ares_client_t *client, uint64_t at_us)
{
    sp_poller_wake_at(client->env.poller, at_us);
}

uint64_t sp_ares_client_hedged_try_us(const sp_ares_client_t *client)
{
    const sp_query_env_t *env = &client->env;
    const sp_health_t *health = &env->resolvers[sp_query_first_choice(env)].health;
    uint64_t hedge_us = sp_health_hedge_us(health, env->options.hedge_ms, env->options.try_ms);

    if (health->is_down) {
        return 0;
    }
    if (hedge_us == UINT64_MAX) {
        return (uint64_t)env->options.try_ms * 1000;
    }
    return 2 * hedge_us > HEDGED_TRY_MIN_US ? 2 * hedge_us : HEDGED_TRY_MIN_US;
}

bool sp_ares_client_wants_probe(const sp_ares_client_t *client, uint64_t now_us)
{
    for (size_t i = 0; i != client->env.options.resolver_count; ++i) {
        if (sp_health_wants_probe(&client->env.resolvers[i].health, now_us)) {
            return true;
        }
    }
    return false;
}
