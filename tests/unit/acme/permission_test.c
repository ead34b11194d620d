/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/permission.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acme/ledger.h"
#include "dns/resolver_address.h"
#include "dns/zone_client.h"

static const char zone_text[] =
    "_redirect.good.example.com. 60 IN TXT \"v=txtv0;to=https://target.example.net/\"\n"
    "_redirect.faulty.example.com. 60 IN TXT \"v=txtv0;code=999\"\n"
    "_redirect.nowhere.example.com. 60 IN TXT \"v=txtv0;type=host\"\n"
    "_redirect.path.example.com. 60 IN TXT \"v=txtv0;type=path\"\n"
    "_redirect.x.path.example.com. 60 IN TXT \"v=txtv0;to=https://target.example.net/\"\n"
    "_redirect.used.example.com. 60 IN TXT \"v=txtv0;use=_redirect.good.example.com\"\n"
    "_redirect._.wild.example.com. 60 IN TXT \"v=txtv0;to=https://target.example.net/\"\n";

static char folder[] = "/tmp/signpost-permission-XXXXXX";
static sp_storage_t *storage;
static sp_zones_t *zones;
static h2o_loop_t *loop;
static sp_lookups_t *lookups;
static sp_caa_client_t *caa;
static sp_policy_t policy;
static sp_acme_settings_t settings;

static void create(void)
{
    const sp_dns_options_t options = {.try_ms = 100, .tries = 1, .max_inflight = 100};
    char path[64];
    const char *paths[] = {path};
    FILE *file = NULL;

    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/zone", folder);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(zone_text, file), 0);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(sp_zones_load(paths, 1, NULL, NULL, &zones, NULL), SP_OK);
    cr_assert_eq(sp_storage_open(folder, true, &storage, NULL), SP_OK);
    loop = h2o_evloop_create();
    cr_assert_eq(sp_lookups_create(loop, &options, zones, NULL, &lookups, NULL), SP_OK);
    cr_assert_eq(sp_caa_client_create(loop, &options, zones, &caa, NULL), SP_OK);
    sp_policy_init(&policy);
    settings = (sp_acme_settings_t){
        .directory = SP_STR(SP_ACME_LETS_ENCRYPT), .per_domain_per_week = 2, .per_hour = 3};
}

static void destroy(void)
{
    char command[64];

    sp_caa_client_destroy(caa);
    sp_lookups_destroy(lookups);
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    sp_storage_close(storage);
    sp_zones_destroy(zones);
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(permission, .init = create, .fini = destroy);

static void on_done(void *arg)
{
    ++*(unsigned *)arg;
}

/* Orders that the asker may still cause; negative: nobody is limited. */
static int orders_left = -1;

#define ASKER 5

static bool take_share(void *arg, uint64_t asker)
{
    int *left = arg;

    cr_expect_eq(asker, ASKER);
    return *left > 0 && (*left)-- > 0;
}

/* Judges a name, and expects this. */
static void expect(const char *name, bool is_renewal, sp_permit_t permit, const char *words)
{
    const sp_permission_with_t with = {.settings = &settings,
                                       .policy = &policy,
                                       .lookups = lookups,
                                       .caa = caa,
                                       .storage = storage,
                                       .timeout_ms = 2000,
                                       .is_renewal = is_renewal,
                                       .take_share = orders_left < 0 ? NULL : take_share,
                                       .share_arg = &orders_left,
                                       .asker = ASKER};
    sp_permission_t permission;
    sp_arena_t arena;
    unsigned calls = 0;
    bool at_once = false;

    sp_arena_init(&arena, NULL, 0, 4096);
    sp_permission_start(sp_str_from(name), &with, &arena, on_done, &calls, &permission);
    at_once = permission.is_done;
    while (!permission.is_done) {
        (void)h2o_evloop_run(loop, 20);
    }
    cr_expect_eq(calls, at_once ? 0 : 1, "%s", name);
    cr_expect_eq(permission.permit, permit, "%s: %s", name, sp_permit_name(permission.permit));
    cr_expect_not_null(strstr(permission.reason, words), "%s: %s", name, permission.reason);
    sp_permission_clear(&permission);
    sp_arena_clear(&arena);
}

Test(permission, is_granted_to_names_with_a_record_that_leads_somewhere)
{
    expect("good.example.com", false, SP_PERMIT_GRANTED, "");
    expect("GOOD.example.com.", false, SP_PERMIT_GRANTED, "");
    expect("used.example.com", false, SP_PERMIT_GRANTED, "");
    expect("a.wild.example.com", false, SP_PERMIT_GRANTED, "");
    expect("path.example.com", false, SP_PERMIT_GRANTED, ""); /* though `/` leads nowhere */
}

/* Nothing listens at that port, or what does is no DNS server. */
Test(permission, says_which_domain_s_caa_records_are_not_known)
{
    sp_dns_options_t options = {.try_ms = 50, .tries = 1, .max_inflight = 100, .resolver_count = 1};

    cr_assert_eq(sp_resolver_parse(SP_STR("127.0.0.1:1"), &options.resolvers[0], NULL), SP_OK);
    sp_caa_client_destroy(caa);
    cr_assert_eq(sp_caa_client_create(loop, &options, zones, &caa, NULL), SP_OK);
    expect("good.example.com", false, SP_PERMIT_CAA_FAILURE,
           "the CAA records of example.com, which count below it as well, can't be looked up (");
}

Test(permission, is_refused_to_others)
{
    expect("faulty.example.com", false, SP_PERMIT_FAULTY_RECORD, "code must be");
    policy.fallback_www = true;
    policy.fallback_redirect = SP_STR("https://fallback.example.net/");
    expect("none.example.com", false, SP_PERMIT_NO_RECORD, "_redirect.none.example.com");
    expect("faulty.example.com", false, SP_PERMIT_FAULTY_RECORD, "code must be");
    expect("nowhere.example.com", false, SP_PERMIT_FAULTY_RECORD, "_redirect.nowhere.example.com");
    expect("192.0.2.1", false, SP_PERMIT_BAD_NAME, "addresses");
    expect("*.example.com", false, SP_PERMIT_BAD_NAME, "wildcards");
    expect("com", false, SP_PERMIT_BAD_NAME, "needs a dot");
    expect("_redirect.good.example.com", false, SP_PERMIT_BAD_NAME, "no '_'");
    expect("", false, SP_PERMIT_BAD_NAME, "no host name");
}

Test(permission, takes_orders_from_the_share_of_who_asks)
{
    orders_left = 2;
    expect("none.example.com", false, SP_PERMIT_NO_RECORD, "");
    expect("good.example.com", true, SP_PERMIT_GRANTED, "");
    cr_expect_eq(orders_left, 2, "neither is an order of theirs");
    expect("good.example.com", false, SP_PERMIT_GRANTED, "");
    expect("used.example.com", false, SP_PERMIT_GRANTED, "");
    expect("good.example.com", false, SP_PERMIT_CLIENT_BUDGET, "half of tls.acme.per_hour");
    expect("good.example.com", true, SP_PERMIT_GRANTED, "");
}

Test(permission, waits_after_failures)
{
    uint64_t now_s = (uint64_t)time(NULL);

    sp_ledger_fail(storage, SP_STR("good.example.com"), now_s, 0, SP_STR("connection refused"));
    expect("good.example.com", false, SP_PERMIT_BACK_OFF, "connection refused");
    expect("good.example.com", true, SP_PERMIT_GRANTED, ""); /* who renews heeds it elsewhere */
    sp_ledger_clear(storage, SP_STR("good.example.com"));
    expect("good.example.com", false, SP_PERMIT_GRANTED, "");
    sp_ledger_postpone(storage, SP_STR("good.example.com"), now_s + 3600, SP_STR("no record"));
    expect("good.example.com", false, SP_PERMIT_GRANTED, "");
}

Test(permission, keeps_to_the_budgets)
{
    const sp_budget_t budget = {settings.per_domain_per_week, settings.per_hour};
    uint64_t now_s = (uint64_t)time(NULL);

    cr_assert_eq(sp_ledger_spend(storage, &budget, SP_STR("a.example.com"), now_s, NULL), SP_OK);
    expect("good.example.com", false, SP_PERMIT_GRANTED, "");
    cr_assert_eq(sp_ledger_spend(storage, &budget, SP_STR("b.example.com"), now_s, NULL), SP_OK);
    expect("good.example.com", false, SP_PERMIT_DOMAIN_BUDGET, "example.com has had its 2");
    expect("good.example.com", true, SP_PERMIT_GRANTED, "");
    cr_expect_eq(sp_ledger_spend(storage, &budget, SP_STR("c.example.com"), now_s, NULL),
                 SP_TOO_LONG);
    settings.per_domain_per_week = 100;
    cr_assert_eq(sp_ledger_spend(storage, &budget, SP_STR("example.org"), now_s, NULL), SP_OK);
    expect("good.example.com", false, SP_PERMIT_HOUR_BUDGET, "3 certificates were ordered");
}
