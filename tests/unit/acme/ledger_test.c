/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/ledger.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOW UINT64_C(1800000000)
#define NAME SP_STR("www.example.com")

static const sp_budget_t budget = {.per_domain_per_week = 2, .per_hour = 3};

static char folder[] = "/tmp/signpost-ledger-XXXXXX";
static sp_storage_t *storage;

static void create(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(sp_storage_open(folder, true, &storage, NULL), SP_OK);
}

static void destroy(void)
{
    char command[64];

    sp_storage_close(storage);
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(ledger, .init = create, .fini = destroy);

static sp_status_t spend(sp_str_t name, uint64_t now_s)
{
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = sp_ledger_spend(storage, &budget, name, now_s, &err);

    cr_expect_eq(err.status, status, "a failure has a reason: %s", err.message);
    return status;
}

Test(ledger, counts_orders_until_the_budget_is_spent)
{
    uint64_t free_s = 0;

    cr_expect_eq(spend(NAME, NOW), SP_OK);
    cr_expect_eq(sp_ledger_check(storage, &budget, NAME, NOW, &free_s), SP_BUDGET_LEFT);
    cr_expect_eq(spend(SP_STR("example.com"), NOW + 1), SP_OK);
    cr_expect_eq(spend(NAME, NOW + 2), SP_TOO_LONG);
    cr_expect_eq(sp_ledger_check(storage, &budget, NAME, NOW + 2, &free_s), SP_BUDGET_DOMAIN_SPENT);
    cr_expect_eq(free_s, NOW + SP_BUDGET_WEEK_S);
}

Test(ledger, takes_back_what_was_no_order)
{
    uint64_t free_s = 0;

    cr_expect_eq(spend(NAME, NOW), SP_OK);
    cr_expect_eq(spend(NAME, NOW + 1), SP_OK);
    sp_ledger_take_back(storage, NAME, NOW);
    cr_expect_eq(sp_ledger_check(storage, &budget, NAME, NOW + 2, &free_s), SP_BUDGET_LEFT);
    sp_ledger_take_back(storage, NAME, NOW + 5);
    sp_ledger_take_back(storage, SP_STR("other.example"), NOW + 1);
    cr_expect_eq(spend(NAME, NOW + 2), SP_OK);
    cr_expect_eq(spend(NAME, NOW + 3), SP_TOO_LONG, "nothing else was taken back");
}

/* Whatever the reason: an empty list would be written over it, and the budget begin anew. */
Test(ledger, counts_nothing_where_the_orders_before_cannot_be_read)
{
    char path[128];
    char kept[128];

    cr_expect_eq(spend(NAME, NOW), SP_OK);
    (void)snprintf(path, sizeof(path), "%s/" SP_STORAGE_STATE "/budget", folder);
    (void)snprintf(kept, sizeof(kept), "%s/kept", folder);
    cr_assert_eq(rename(path, kept), 0);
    cr_assert_eq(symlink(path, path), 0, "a link that leads nowhere but to itself");
    cr_expect_eq(spend(NAME, NOW), SP_IO);
    sp_ledger_take_back(storage, NAME, NOW);
    cr_expect_eq(spend(NAME, NOW), SP_IO, "it is as it was");
    cr_assert_eq(rename(kept, path), 0);
    cr_expect_eq(spend(NAME, NOW), SP_OK);
    cr_expect_eq(spend(NAME, NOW), SP_TOO_LONG);
}
