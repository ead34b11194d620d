/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/tls/store_world.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dns/lookup.h"

#define PATIENCE_MS 20000

static void on_event(void *arg, sp_tls_event_t event, sp_str_t name, const char *message)
{
    store_world_t *world = arg;

    (void)name;
    (void)message;
    switch (event) {
    case SP_TLS_EVENT_LOADED:
        (void)atomic_fetch_add(&world->loaded, 1);
        return;
    case SP_TLS_EVENT_CHANGED:
        (void)atomic_fetch_add(&world->changed, 1);
        return;
    case SP_TLS_EVENT_FAULT:
        (void)atomic_fetch_add(&world->faults, 1);
        return;
    }
}

static bool has_guest(const sp_tls_askers_t *askers)
{
    size_t i = 0;

    while (i != askers->count && askers->list[i] != WORLD_GUEST) {
        ++i;
    }
    return i != askers->count;
}

static sp_tls_want_t want(void *arg, sp_str_t name, const sp_tls_askers_t *askers,
                          const char **ret_why)
{
    store_world_t *world = arg;
    char text[300];

    (void)atomic_fetch_add(&world->wanted, 1);
    atomic_store(&world->askers, (int)askers->count);
    (void)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.ptr);
    switch (atomic_load(&world->issuer)) {
    case WORLD_REFUSES:
        *ret_why = "the test says no";
        return SP_TLS_WANT_REFUSED;
    case WORLD_PROMISES:
        return SP_TLS_WANT_DUE;
    case WORLD_BLOCKS:
        (void)sem_post(&world->asked);
        while (sem_wait(&world->gate) != 0) {
        }
        *ret_why = "the test says no";
        return atomic_load(&world->issuer) == WORLD_LIMITS && !has_guest(askers)
                   ? SP_TLS_WANT_LIMITED
                   : SP_TLS_WANT_REFUSED;
    case WORLD_LIMITS:
        if (!has_guest(askers)) {
            *ret_why = "not for them";
            return SP_TLS_WANT_LIMITED;
        }
        break;
    case WORLD_DELIVERS:
        break;
    }
    maker_add(world->second_root, text, text);
    sp_tls_store_changed(world->store, name);
    return SP_TLS_WANT_DUE;
}

static sp_certificate_t *challenge(void *arg, sp_str_t name)
{
    store_world_t *world = arg;
    maker_pair_t pair;
    sp_certificate_pem_t pem;
    sp_certificate_t *certificate = NULL;

    (void)atomic_fetch_add(&world->challenged, 1);
    if (!sp_str_eq(name, SP_STR("due.example"))) {
        return NULL;
    }
    maker_make(&pair, MAKER_P256, "challenge.example", -1, MAKER_DAY);
    pem = (sp_certificate_pem_t){.chain = sp_str_from(pair.chain), .key = sp_str_from(pair.key)};
    cr_assert_eq(sp_certificate_read(&pem, 1, &certificate, NULL), SP_OK);
    return certificate;
}

void store_world_init(store_world_t *world, const char *fallback)
{
    sp_tls_store_options_t options = {.fallback = fallback, .on_event = on_event};

    *world = (store_world_t){.ahead_ms = 0};
    cr_assert_eq(sem_init(&world->asked, 0, 0), 0);
    cr_assert_eq(sem_init(&world->gate, 0, 0), 0);
    maker_create_root(world->root);
    maker_create_root(world->second_root);
    options.folders[0] = world->root;
    options.folders[1] = world->second_root;
    options.event_arg = world;
    cr_assert_eq(sp_tls_store_create(&options, &world->store, NULL), SP_OK);
    cr_assert_eq(sp_tls_inbox_create(world->store, &world->inbox), SP_OK);
}

void store_world_clear(store_world_t *world)
{
    sp_tls_inbox_destroy(world->inbox);
    sp_tls_store_destroy(world->store);
    maker_remove(world->root);
    maker_remove(world->second_root);
    (void)sem_destroy(&world->asked);
    (void)sem_destroy(&world->gate);
}

void store_world_use_issuer(store_world_t *world)
{
    sp_tls_issuer_t issuer = {.arg = world, .want = want, .challenge = challenge};

    sp_tls_store_set_issuer(world->store, &issuer);
}

static void on_done(sp_tls_wait_t *inner, sp_certificate_t *certificate)
{
    store_wait_t *wait = (store_wait_t *)(void *)((char *)inner - offsetof(store_wait_t, wait));
    sp_str_t name = SP_STR("none");

    if (certificate != NULL) {
        name = sp_certificate_name(certificate, 0);
    }
    (void)snprintf(wait->name, sizeof(wait->name), "%.*s", (int)name.len, name.ptr);
    wait->is_done = true;
    sp_certificate_release(certificate);
}

void store_world_await(store_world_t *world, store_wait_t *wait)
{
    while (!wait->is_done) {
        struct pollfd fd = {.fd = sp_tls_inbox_fd(world->inbox), .events = POLLIN};

        cr_assert_eq(poll(&fd, 1, PATIENCE_MS), 1, "the wait never ends");
        sp_tls_inbox_run(world->inbox);
    }
}

static sp_tls_found_t begin(store_world_t *world, const char *name, store_wait_t *wait)
{
    sp_certificate_t *certificate = NULL;
    sp_tls_found_t found = SP_TLS_BUSY;

    *wait = (store_wait_t){.wait = {.on_done = on_done, .asker = world->asker}};
    found = sp_tls_store_find(world->inbox, sp_str_from(name), sp_now_ms() + world->ahead_ms,
                              &wait->wait, &certificate);
    if (found == SP_TLS_FOUND) {
        on_done(&wait->wait, certificate);
    }
    return found;
}

const char *store_world_find(store_world_t *world, const char *name)
{
    static store_wait_t wait;

    switch (begin(world, name, &wait)) {
    case SP_TLS_FOUND:
        return wait.name;
    case SP_TLS_NONE:
        return "none";
    case SP_TLS_BUSY:
        return "busy";
    case SP_TLS_WAITING:
        break;
    }
    store_world_await(world, &wait);
    return wait.name;
}

void store_world_begin(store_world_t *world, const char *name, store_wait_t *wait)
{
    cr_assert_eq(begin(world, name, wait), SP_TLS_WAITING);
}

void store_world_await_question(store_world_t *world)
{
    while (sem_wait(&world->asked) != 0) {
    }
}

void store_world_reload(store_world_t *world)
{
    const sp_tls_store_options_t options = {.folders = {world->second_root}};

    cr_assert_eq(sp_tls_store_reload(world->store, &options), SP_OK);
}
