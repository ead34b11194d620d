/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/issuer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "unit/tls/store_world.h"

static store_world_t world;

static void init(void)
{
    store_world_init(&world, NULL);
    store_world_use_issuer(&world);
}

static void clear(void)
{
    store_world_clear(&world);
}

TestSuite(issuer, .init = init, .fini = clear);

/* What the store says of a.example. */
static void find_why(void *arg, const sp_tls_item_t *item)
{
    if (sp_str_eq(item->name, SP_STR("a.example"))) {
        (void)strncpy(arg, item->why, 100);
    }
}

static void expect_why(const char *expected)
{
    char why[101] = "";

    sp_tls_store_list(world.store, time(NULL), 100, find_why, why);
    cr_expect_str_eq(why, expected);
}

Test(issuer, is_asked_for_what_is_missing)
{
    world.issuer = WORLD_DELIVERS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_eq(world.wanted, 1);
}

Test(issuer, is_not_asked_for_what_is_there)
{
    maker_add(world.root, "a.example", "a.example");
    maker_add(world.root, "*.b.example", "*.b.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "x.b.example"), "*.b.example");
    cr_expect_str_eq(store_world_find(&world, ""), "none");
    cr_expect_eq(world.wanted, 0);
}

Test(issuer, may_refuse_at_once)
{
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    expect_why("the test says no");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    cr_expect_eq(world.wanted, 1, "asked again only after a while");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    cr_expect_eq(world.wanted, 2);
}

Test(issuer, may_limit_one_client_and_look_for_the_next)
{
    world.issuer = WORLD_LIMITS;
    world.asker = 1;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    expect_why("not for them");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    cr_expect_eq(world.wanted, 2, "it is not remembered");
    world.asker = WORLD_GUEST;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_eq(world.wanted, 3);
    world.asker = 1;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example", "it is there for all");
    cr_expect_eq(world.wanted, 3);
}

/* Who asks for a name that others keep asking for must not be refused with them. */
Test(issuer, is_told_all_who_wait_and_each_once)
{
    store_wait_t waits[40];
    store_wait_t first;

    world.issuer = WORLD_BLOCKS;
    store_world_begin(&world, "first.example", &first);
    store_world_await_question(&world);
    world.issuer = WORLD_LIMITS;
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        world.asker = i == 30 ? WORLD_GUEST : 1 + i % 2;
        store_world_begin(&world, "a.example", &waits[i]);
    }
    cr_assert_eq(sem_post(&world.gate), 0);
    store_world_await(&world, &first);
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        store_world_await(&world, &waits[i]);
        cr_expect_str_eq(waits[i].name, "a.example");
    }
    cr_expect_eq(world.askers, 3);
}

/* However many keep coming, each waits for one look at the most. */
Test(issuer, is_asked_once_for_those_who_come_meanwhile)
{
    store_wait_t waits[20];

    world.issuer = WORLD_BLOCKS;
    store_world_begin(&world, "a.example", &waits[0]);
    store_world_await_question(&world);
    for (size_t i = 1; i != SP_COUNT(waits); ++i) {
        store_world_begin(&world, "a.example", &waits[i]);
    }
    cr_assert_eq(sem_post(&world.gate), 0);
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        store_world_await(&world, &waits[i]);
    }
    cr_expect_eq(world.wanted, 1);
}

/* Names that have a certificate, and one that has none, all to be looked at: the thread comes to
 * know when the gate is opened. */
Test(issuer, is_not_waited_for_by_those_who_have_a_certificate)
{
    static const char *const known[] = {"a.example", "b.example", "c.example", "d.example"};
    store_wait_t waits[SP_COUNT(known)];
    store_wait_t first;
    store_wait_t unknown;

    for (size_t i = 0; i != SP_COUNT(known); ++i) {
        maker_add(world.root, known[i], known[i]);
        cr_expect_str_eq(store_world_find(&world, known[i]), known[i]);
    }
    world.issuer = WORLD_BLOCKS;
    world.ahead_ms += SP_TLS_FRESH_MS;
    store_world_begin(&world, "first.example", &first);
    store_world_await_question(&world);
    store_world_begin(&world, "unknown.example", &unknown);
    for (size_t i = 0; i != SP_COUNT(known); ++i) {
        store_world_begin(&world, known[i], &waits[i]);
    }
    cr_assert_eq(sem_post(&world.gate), 0);
    for (size_t i = 0; i != 3; ++i) {
        store_world_await(&world, &waits[i]);
        cr_expect_str_eq(waits[i].name, known[i]);
    }
    /* Nor does the one that has none wait for ever. */
    store_world_await_question(&world);
    cr_expect_not(waits[3].is_done);
    cr_assert_eq(sem_post(&world.gate), 0);
    store_world_await(&world, &unknown);
    store_world_await(&world, &waits[3]);
    cr_expect_str_eq(waits[3].name, "d.example");
}

/* However many names are made up, and wait to be looked at. */
Test(issuer, is_heard_when_too_many_names_are_unknown)
{
    static store_wait_t waits[SP_TLS_STORE_JOBS_MAX];
    store_wait_t first;
    store_wait_t wanted;
    store_wait_t known;
    maker_pair_t pair;
    char name[32];

    maker_make(&pair, MAKER_P256, "old.example", -2L * MAKER_DAY, -MAKER_DAY);
    maker_write(world.root, "a.example", "fullchain.pem", pair.chain);
    maker_write(world.root, "a.example", "privkey.pem", pair.key);
    maker_add(world.root, "b.example", "b.example");
    cr_expect_str_eq(store_world_find(&world, "b.example"), "b.example");
    world.issuer = WORLD_PROMISES;
    store_world_begin(&world, "a.example", &wanted);
    cr_expect_str_eq(store_world_find(&world, ""), "none", "looked at after it");
    world.issuer = WORLD_BLOCKS;
    store_world_begin(&world, "first.example", &first);
    store_world_await_question(&world);
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        (void)snprintf(name, sizeof(name), "n%zu.example", i);
        store_world_begin(&world, name, &waits[i]);
    }
    cr_expect_str_eq(store_world_find(&world, "more.example"), "busy");
    world.ahead_ms += SP_TLS_FRESH_MS;
    store_world_begin(&world, "b.example", &known);
    sp_tls_store_refused(world.store, SP_STR("a.example"), "no");
    world.issuer = WORLD_REFUSES;
    cr_assert_eq(sem_post(&world.gate), 0);
    store_world_await(&world, &wanted);
    cr_expect_str_eq(wanted.name, "old.example", "what there is is better than nothing");
    store_world_await(&world, &known);
    cr_expect_str_eq(known.name, "b.example");
    store_world_await(&world, &first);
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        store_world_await(&world, &waits[i]);
    }
}

/* The question is asked in the middle of a look, whose result is outdated then. */
static void outdate_while_it_is_looked_at(bool is_reload)
{
    store_wait_t wait;

    world.issuer = WORLD_BLOCKS;
    store_world_begin(&world, "a.example", &wait);
    store_world_await_question(&world);
    maker_add(world.second_root, "a.example", "a.example");
    if (is_reload) {
        store_world_reload(&world);
    } else {
        sp_tls_store_forget(world.store, SP_STR("a.example"));
    }
    cr_assert_eq(sem_post(&world.gate), 0);
    store_world_await(&world, &wait);
    cr_expect_str_eq(wait.name, "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
}

Test(issuer, may_be_overtaken_by_a_reload)
{
    outdate_while_it_is_looked_at(true);
}

Test(issuer, may_be_overtaken_by_an_operator_who_has_the_name_forgotten)
{
    outdate_while_it_is_looked_at(false);
}

/* One who is limited must not take others along who came while that was found out. */
Test(issuer, is_told_who_came_while_others_were_limited)
{
    store_wait_t first;
    store_wait_t guest;

    world.issuer = WORLD_BLOCKS;
    world.asker = 1;
    store_world_begin(&world, "a.example", &first);
    store_world_await_question(&world);
    world.issuer = WORLD_LIMITS;
    world.asker = WORLD_GUEST;
    store_world_begin(&world, "a.example", &guest);
    cr_assert_eq(sem_post(&world.gate), 0);
    store_world_await(&world, &first);
    cr_expect_str_eq(first.name, "none");
    store_world_await(&world, &guest);
    cr_expect_str_eq(guest.name, "a.example");
    cr_expect_eq(world.wanted, 2);
}

Test(issuer, is_told_more_clients_than_it_hears_of_at_once)
{
    store_wait_t waits[SP_TLS_ASKERS_MAX + 10];
    store_wait_t first;

    world.issuer = WORLD_BLOCKS;
    store_world_begin(&world, "first.example", &first);
    store_world_await_question(&world);
    world.issuer = WORLD_LIMITS;
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        world.asker = i == 0 ? WORLD_GUEST : 100 + i;
        store_world_begin(&world, "a.example", &waits[i]);
    }
    cr_assert_eq(sem_post(&world.gate), 0);
    store_world_await(&world, &first);
    store_world_await(&world, &waits[0]);
    cr_expect_str_eq(waits[0].name, "a.example");
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        store_world_await(&world, &waits[i]);
    }
    cr_expect_leq(world.wanted, 3);
}

Test(issuer, is_asked_once_for_all_who_wait)
{
    store_wait_t waits[50];

    world.issuer = WORLD_PROMISES;
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        store_world_begin(&world, "a.example", &waits[i]);
    }
    /* The store's thread works in order: after this the first question has been asked. */
    world.issuer = WORLD_PROMISES;
    maker_add(world.root, "b.example", "b.example");
    cr_expect_str_eq(store_world_find(&world, "b.example"), "b.example");
    cr_expect_eq(world.wanted, 1);
    expect_why("being got from the certificate authority");
    maker_add(world.second_root, "a.example", "a.example");
    sp_tls_store_changed(world.store, SP_STR("a.example"));
    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        store_world_await(&world, &waits[i]);
        cr_expect_str_eq(waits[i].name, "a.example");
    }
    cr_expect_eq(world.wanted, 1);
}

Test(issuer, may_refuse_later)
{
    store_wait_t waits[2];

    world.issuer = WORLD_PROMISES;
    store_world_begin(&world, "a.example", &waits[0]);
    store_world_begin(&world, "a.example", &waits[1]);
    cr_expect_str_eq(store_world_find(&world, ""), "none", "looked at after it");
    cr_expect_eq(world.wanted, 1);
    sp_tls_store_refused(world.store, SP_STR("a.example"), "no record");
    for (size_t i = 0; i != 2; ++i) {
        store_world_await(&world, &waits[i]);
        cr_expect_str_eq(waits[i].name, "none");
    }
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    expect_why("no record");
    cr_expect_eq(world.wanted, 1);
}

Test(issuer, does_not_hold_up_those_who_leave)
{
    store_wait_t wait;
    store_wait_t other;

    world.issuer = WORLD_PROMISES;
    store_world_begin(&world, "a.example", &wait);
    store_world_begin(&world, "a.example", &other);
    cr_expect_str_eq(store_world_find(&world, ""), "none", "looked at after it");
    cr_expect_null(sp_tls_store_cancel(&wait.wait));
    sp_tls_store_refused(world.store, SP_STR("a.example"), "no");
    store_world_await(&world, &other);
    cr_expect_not(wait.is_done);
}

Test(issuer, leaves_an_expired_certificate_to_those_who_give_up)
{
    maker_pair_t pair;
    store_wait_t wait;
    sp_certificate_t *certificate = NULL;

    maker_make(&pair, MAKER_P256, "old.example", -2L * MAKER_DAY, -MAKER_DAY);
    maker_write(world.root, "a.example", "fullchain.pem", pair.chain);
    maker_write(world.root, "a.example", "privkey.pem", pair.key);
    world.issuer = WORLD_PROMISES;
    store_world_begin(&world, "a.example", &wait);
    cr_expect_str_eq(store_world_find(&world, ""), "none", "looked at after it");
    certificate = sp_tls_store_cancel(&wait.wait);
    cr_assert_not_null(certificate);
    sp_certificate_release(certificate);
    cr_expect_eq(world.wanted, 1);
}

Test(issuer, lets_go_of_all_when_it_leaves)
{
    store_wait_t wait;

    world.issuer = WORLD_PROMISES;
    store_world_begin(&world, "a.example", &wait);
    cr_expect_str_eq(store_world_find(&world, ""), "none", "asked before");
    sp_tls_store_set_issuer(world.store, NULL);
    store_world_await(&world, &wait);
    cr_expect_str_eq(wait.name, "none");
    expect_why("no certificates are got on demand any more");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    cr_expect_eq(world.wanted, 1);
}

Test(issuer, is_told_of_names_that_nobody_asked_for)
{
    sp_tls_store_changed(world.store, SP_STR("a.example"));
    sp_tls_store_refused(world.store, SP_STR("a.example"), "no");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
}

/* The end of a renewal is told as well, whether anybody waits or not. */
Test(issuer, is_not_heard_on_what_nobody_wants_of_it)
{
    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    sp_tls_store_refused(world.store, SP_STR("a.example"), "no record");
    expect_why("");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
}

static const char *find_challenge(const char *name)
{
    static store_wait_t wait;
    sp_certificate_t *certificate = NULL;

    /* Borrows the callback of an ordinary wait. */
    world.issuer = WORLD_REFUSES;
    (void)certificate;
    store_world_begin(&world, "unknown.example", &wait);
    store_world_await(&world, &wait);
    wait.is_done = false;
    cr_assert_eq(sp_tls_store_find_challenge(world.inbox, sp_str_from(name), &wait.wait),
                 SP_TLS_WAITING);
    store_world_await(&world, &wait);
    return wait.name;
}

Test(issuer, answers_challenges)
{
    cr_expect_str_eq(find_challenge("due.example"), "challenge.example");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(find_challenge("other.example"), "none");
    cr_expect_eq(world.challenged, 2);
}

Test(issuer, answers_no_challenge_when_there_is_none)
{
    store_wait_t wait = {.is_done = false};

    sp_tls_store_set_issuer(world.store, NULL);
    cr_expect_eq(sp_tls_store_find_challenge(world.inbox, SP_STR("due.example"), &wait.wait),
                 SP_TLS_NONE);
}
