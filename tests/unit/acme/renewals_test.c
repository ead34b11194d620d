/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/renewals.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acme/ledger.h"
#include "unit/tls/maker.h"

/* What becomes of certificates whose names are refused. The rounds, and the orders that they make,
 * are tested with a real authority. */

#define NAME "gone.example.com"

static char root[MAKER_ROOT_MAX];
static sp_storage_t *storage;
static sp_renewals_t renewals;
static time_t not_after;

static void create(void)
{
    static maker_pair_t pair;
    sp_inventory_item_t item;

    maker_create_root(root);
    cr_assert_eq(sp_storage_open(root, true, &storage, NULL), SP_OK);
    maker_make(&pair, MAKER_P256, NAME, -MAKER_DAY, MAKER_DAY);
    cr_assert_eq(sp_storage_install(storage, SP_STR(NAME), sp_str_from(pair.chain),
                                    sp_str_from(pair.key), NULL),
                 SP_OK);
    sp_inventory_look(storage, SP_STR(NAME), time(NULL), &item);
    not_after = item.not_after;
    sp_renewals_init(&renewals, storage, NULL);
}

static void destroy(void)
{
    sp_renewals_clear(&renewals);
    sp_storage_close(storage);
    maker_remove(root);
}

TestSuite(renewals, .init = create, .fini = destroy);

static bool is_there(const char *at)
{
    char path[MAKER_PATH_MAX];
    struct stat about;

    (void)snprintf(path, sizeof(path), "%s/%s", root, at);
    return lstat(path, &about) == 0;
}

/* A renewal was refused so long after the certificate's end. */
static bool note(sp_permit_t permit, time_t after_s)
{
    const sp_order_end_t end = {.name = SP_STR(NAME),
                                .result = SP_ORDER_REFUSED,
                                .permit = permit,
                                .why = "there is no record",
                                .is_renewal = true};

    return sp_renewals_note(&renewals, &end, not_after + after_s);
}

static uint64_t postponed_until(void)
{
    sp_backoff_t backoff;

    sp_ledger_backoff(storage, SP_STR(NAME), (uint64_t)not_after + SP_RENEWALS_KEEP_S, &backoff);
    return backoff.until_s;
}

Test(renewals, delete_what_expired_thirty_days_ago_and_is_not_permitted)
{
    cr_expect_not(note(SP_PERMIT_NO_RECORD, SP_RENEWALS_KEEP_S));
    cr_expect(is_there(NAME "/fullchain.pem"));
    cr_expect_eq(postponed_until(),
                 (uint64_t)(not_after + SP_RENEWALS_KEEP_S + SP_RENEWALS_REFUSED_S));
    cr_expect(note(SP_PERMIT_NO_RECORD, SP_RENEWALS_KEEP_S + 1));
    cr_expect_not(is_there(NAME));
    cr_expect_eq(postponed_until(), 0, "what was known of the name goes with it");
    cr_expect_not(is_there(".signpost/old/" NAME));
    cr_expect_not(is_there(".signpost/locks/" NAME));
}

Test(renewals, delete_nothing_for_reasons_that_pass)
{
    const sp_permit_t passing[] = {SP_PERMIT_BACK_OFF,      SP_PERMIT_DNS_FAILURE,
                                   SP_PERMIT_DOMAIN_BUDGET, SP_PERMIT_HOUR_BUDGET,
                                   SP_PERMIT_CAA_FAILURE,   SP_PERMIT_NO_MEMORY};

    for (size_t i = 0; i != SP_COUNT(passing); ++i) {
        cr_expect_not(note(passing[i], 10 * SP_RENEWALS_KEEP_S), "%s", sp_permit_name(passing[i]));
    }
    cr_expect(is_there(NAME "/privkey.pem"));
}

Test(renewals, delete_nothing_when_the_authority_fails)
{
    const sp_order_end_t end = {
        .name = SP_STR(NAME), .result = SP_ORDER_FAILED, .why = "no", .is_renewal = true};

    cr_expect_not(sp_renewals_note(&renewals, &end, not_after + 10 * SP_RENEWALS_KEEP_S));
    cr_expect(is_there(NAME));
}

Test(renewals, delete_nothing_that_is_being_ordered)
{
    int lock = -1;

    cr_assert_eq(sp_storage_lock(storage, ".signpost/locks/" NAME, false, &lock), SP_OK);
    cr_expect_not(note(SP_PERMIT_CAA, 2 * SP_RENEWALS_KEEP_S));
    cr_expect(is_there(NAME));
    sp_storage_unlock(storage, ".signpost/locks/" NAME, lock);
    cr_expect(note(SP_PERMIT_CAA, 2 * SP_RENEWALS_KEEP_S));
}

Test(renewals, delete_no_folder_with_something_else_in_it)
{
    maker_write(root, NAME, ".note", "mine");
    cr_expect_not(note(SP_PERMIT_NO_RECORD, 2 * SP_RENEWALS_KEEP_S));
    cr_expect(is_there(NAME "/fullchain.pem"));
}

Test(renewals, delete_nothing_behind_links)
{
    char path[MAKER_PATH_MAX];
    char moved[MAKER_PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/" NAME, root);
    (void)snprintf(moved, sizeof(moved), "%s/elsewhere", root);
    cr_assert_eq(rename(path, moved), 0);
    cr_assert_eq(symlink("elsewhere", path), 0);
    cr_expect_not(note(SP_PERMIT_NO_RECORD, 2 * SP_RENEWALS_KEEP_S));
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/" NAME "/fullchain.pem", root);
    cr_assert_eq(symlink("../elsewhere/fullchain.pem", path), 0);
    (void)snprintf(path, sizeof(path), "%s/" NAME "/privkey.pem", root);
    cr_assert_eq(symlink("../elsewhere/privkey.pem", path), 0);
    cr_expect_not(note(SP_PERMIT_NO_RECORD, 2 * SP_RENEWALS_KEEP_S));
    cr_expect(is_there(NAME "/fullchain.pem"));
    cr_expect(is_there("elsewhere/fullchain.pem"));
}

Test(renewals, count_again_at_once_when_a_certificate_was_got)
{
    const sp_order_end_t end = {.name = SP_STR(NAME), .result = SP_ORDER_ISSUED};
    time_t now = not_after - MAKER_DAY;

    cr_assert(sp_renewals_step(&renewals, 1000, now));
    cr_expect(renewals.figures.is_known);
    cr_expect_eq(renewals.figures.names[SP_INVENTORY_VALID], 1);
    cr_expect_eq(renewals.figures.next_expiry, not_after);
    cr_expect_not(sp_renewals_step(&renewals, 2000, now));
    cr_expect_not(sp_renewals_note(&renewals, &end, now));
    cr_expect(sp_renewals_step(&renewals, 2000, now));
    cr_expect_not(sp_renewals_step(&renewals, 2000 + SP_RENEWALS_PAUSE_MS - 1, now));
    cr_expect(sp_renewals_step(&renewals, 2000 + SP_RENEWALS_PAUSE_MS, now));
}
