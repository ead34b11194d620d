/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/orders.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "dns/zone_client.h"
#include "unit/tls/maker.h"

/* Who gets a place. An order for what has a valid certificate ends as soon as it has one, and no
 * authority is asked; one for a name that another process is at keeps it. */

#define DOMAIN "all.example.com"
#define NAME_MAX_LEN 64

static const char zone_text[] =
    "_redirect._." DOMAIN ". 60 IN TXT \"v=txtv0;to=https://target.example.net/\"\n";

static char root[MAKER_ROOT_MAX];
static sp_storage_t *storage;
static sp_zones_t *zones;
static h2o_loop_t *loop;
static sp_lookups_t *lookups;
static sp_caa_client_t *caa;
static sp_policy_t policy;
static sp_acme_settings_t settings;
static sp_orders_t *orders;
static int locks[SP_ORDERS_RENEWALS_MAX];
static char ended[SP_ORDERS_RENEWALS_MAX][NAME_MAX_LEN];
static size_t ended_count;

static sp_orders_view_t enter(void *arg)
{
    (void)arg;
    return (sp_orders_view_t){.settings = &settings,
                              .policy = &policy,
                              .lookups = lookups,
                              .caa = caa,
                              .timeout_ms = 2000};
}

static void leave(void *arg, void *holder)
{
    (void)arg;
    (void)holder;
}

static void on_end(void *arg, const sp_order_end_t *end)
{
    (void)arg;
    cr_expect_eq(end->result, SP_ORDER_PRESENT, "%s", end->why);
    (void)snprintf(ended[ended_count++], NAME_MAX_LEN, "%.*s", (int)end->name.len, end->name.ptr);
}

static void create(void)
{
    const sp_dns_options_t options = {.try_ms = 100, .tries = 1, .max_inflight = 100};
    const sp_orders_callbacks_t callbacks = {.enter = enter, .leave = leave, .on_end = on_end};
    char path[MAKER_PATH_MAX];
    const char *paths[] = {path};

    maker_create_root(root);
    cr_assert_eq(sp_storage_open(root, true, &storage, NULL), SP_OK);
    maker_write(root, "zones", "zone", zone_text);
    (void)snprintf(path, sizeof(path), "%s/zones/zone", root);
    cr_assert_eq(sp_zones_load(paths, 1, NULL, NULL, &zones, NULL), SP_OK);
    loop = h2o_evloop_create();
    cr_assert_eq(sp_lookups_create(loop, &options, zones, NULL, &lookups, NULL), SP_OK);
    cr_assert_eq(sp_caa_client_create(loop, &options, zones, &caa, NULL), SP_OK);
    cr_assert_eq(sp_orders_create(loop, storage, &callbacks, &orders, NULL), SP_OK);
    sp_policy_init(&policy);
    settings = (sp_acme_settings_t){
        .directory = SP_STR(SP_ACME_LETS_ENCRYPT), .per_domain_per_week = 100, .per_hour = 100};
}

static void destroy(void)
{
    sp_orders_destroy(orders);
    sp_caa_client_destroy(caa);
    sp_lookups_destroy(lookups);
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    sp_storage_close(storage);
    sp_zones_destroy(zones);
    maker_remove(root);
}

TestSuite(orders, .init = create, .fini = destroy);

static const char *name_of(size_t i, char name[NAME_MAX_LEN])
{
    (void)snprintf(name, NAME_MAX_LEN, "n%zu." DOMAIN, i);
    return name;
}

static void install(size_t i)
{
    static maker_pair_t pair;
    char name[NAME_MAX_LEN];

    maker_make(&pair, MAKER_P256, name_of(i, name), -1, 90L * MAKER_DAY);
    cr_assert_eq(sp_storage_install(storage, sp_str_from(name), sp_str_from(pair.chain),
                                    sp_str_from(pair.key), NULL),
                 SP_OK);
}

static bool want(size_t i, sp_order_kind_t kind)
{
    char name[NAME_MAX_LEN];

    return sp_orders_want(orders, sp_str_from(name_of(i, name)), kind, 0);
}

static bool has_ended(size_t i)
{
    char name[NAME_MAX_LEN];

    (void)name_of(i, name);
    for (size_t at = 0; at != ended_count; ++at) {
        if (strcmp(ended[at], name) == 0) {
            return true;
        }
    }
    return false;
}

static void await(size_t i)
{
    uint64_t end_ms = sp_now_ms() + 20000;

    while (!has_ended(i)) {
        cr_assert_lt(sp_now_ms(), end_ms, "n%zu does not end", i);
        (void)h2o_evloop_run(loop, 20);
    }
}

static void hold(size_t i)
{
    char name[NAME_MAX_LEN];
    sp_storage_name_t at =
        sp_storage_name(SP_STORAGE_STATE "/locks/", sp_str_from(name_of(i, name)), "");

    cr_assert_eq(sp_storage_lock(storage, at.text, false, &locks[i]), SP_OK);
}

static void let_go(size_t i)
{
    char name[NAME_MAX_LEN];
    sp_storage_name_t at =
        sp_storage_name(SP_STORAGE_STATE "/locks/", sp_str_from(name_of(i, name)), "");

    sp_storage_unlock(storage, at.text, locks[i]);
}

Test(orders, take_some_renewals_at_a_time_and_others_beside_them)
{
    for (size_t i = 0; i != SP_ORDERS_RENEWALS_MAX; ++i) {
        cr_assert(want(i, SP_ORDER_RENEWAL), "%zu", i);
    }
    cr_expect_not(want(SP_ORDERS_RENEWALS_MAX, SP_ORDER_RENEWAL));
    cr_expect(want(0, SP_ORDER_RENEWAL), "it is under way");
    cr_expect(want(SP_ORDERS_RENEWALS_MAX, SP_ORDER_DEMAND));
    cr_expect(want(SP_ORDERS_RENEWALS_MAX + 1, SP_ORDER_FORCED));
    cr_expect_eq(sp_orders_count(orders), SP_ORDERS_RENEWALS_MAX + 2);
}

Test(orders, keep_places_for_those_who_wait)
{
    const size_t busy = SP_ORDERS_RENEWALS_RUNNING_MAX;

    for (size_t i = 0; i != 3; ++i) {
        install(busy + i);
    }
    for (size_t i = 0; i != busy; ++i) {
        hold(i);
        cr_assert(want(i, SP_ORDER_RENEWAL));
    }
    for (int i = 0; i != 10; ++i) {
        (void)h2o_evloop_run(loop, 20);
    }
    cr_assert(want(busy, SP_ORDER_RENEWAL));
    cr_assert(want(busy + 1, SP_ORDER_DEMAND));
    cr_assert(want(busy + 2, SP_ORDER_RENEWAL));
    await(busy + 1);
    cr_expect_not(has_ended(busy), "renewals have had their places");
    cr_assert(want(busy + 2, SP_ORDER_DEMAND), "somebody waits for it now");
    await(busy + 2);
    cr_expect_not(has_ended(busy));
    install(0); /* by the other process */
    await(0);
    await(busy);
    for (size_t i = 0; i != busy; ++i) {
        let_go(i);
    }
}
