/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/store.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "unit/tls/store_world.h"

static store_world_t world;

static void init(void)
{
    store_world_init(&world, NULL);
}

static void clear(void)
{
    store_world_clear(&world);
}

TestSuite(store, .init = init, .fini = clear);

/* The state and the reason of the name used last. */
static void keep_first(void *arg, const sp_tls_item_t *item)
{
    char *text = arg;

    if (text[0] == '\0') {
        (void)snprintf(text, 400, "%.*s %s %s", (int)item->name.len, item->name.ptr,
                       sp_tls_state_name(item->state), item->why);
    }
}

static const char *last_used(void)
{
    static char text[400];

    text[0] = '\0';
    sp_tls_store_list(world.store, time(NULL), 1, keep_first, text);
    return text;
}

Test(store, finds_by_name)
{
    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "b.example"), "none");
    cr_expect_str_eq(store_world_find(&world, ""), "none", "no name, no default");
    cr_expect_eq(world.loaded, 1, "read once");
}

Test(store, looks_in_the_second_folder_too)
{
    maker_add(world.second_root, "a.example", "second.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "second.example");
    world.ahead_ms += SP_TLS_FRESH_MS;
    maker_add(world.root, "a.example", "first.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "first.example");
}

Test(store, takes_a_wildcard_where_there_is_nothing_closer)
{
    maker_add(world.root, "*.a.example", "*.a.example");
    maker_add(world.root, "_.b.example", "*.b.example");
    maker_add(world.root, "_wildcard.c.example", "*.c.example");
    maker_add(world.root, "x.a.example", "x.a.example");
    cr_expect_str_eq(store_world_find(&world, "x.a.example"), "x.a.example");
    cr_expect_str_eq(store_world_find(&world, "y.a.example"), "*.a.example");
    cr_expect_str_eq(store_world_find(&world, "z.a.example"), "*.a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    cr_expect_str_eq(store_world_find(&world, "x.y.a.example"), "none");
    cr_expect_str_eq(store_world_find(&world, "x.b.example"), "*.b.example");
    cr_expect_str_eq(store_world_find(&world, "x.c.example"), "*.c.example");
    cr_expect_eq(world.loaded, 4, "a wildcard is read once for all its names");
}

Test(store, looks_into_the_folder_of_the_parent_for_a_wildcard)
{
    char path[MAKER_PATH_MAX];

    maker_add(world.root, "a.example", "a.example,DNS:*.a.example");
    maker_add(world.root, "b.example", "b.example");
    maker_add(world.root, "*.a.example", "*.a.example");
    cr_expect_str_eq(store_world_find(&world, "x.a.example"), "*.a.example", "the closer one");
    cr_expect_str_eq(store_world_find(&world, "y.x.a.example"), "none");
    (void)snprintf(path, sizeof(path), "%s/*.a.example", world.root);
    maker_remove(path);
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "x.a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "x.b.example"), "none", "it does not hold for it");
    cr_expect_str_eq(store_world_find(&world, "b.example"), "b.example");
}

Test(store, reads_a_parent_once_for_all_the_names_that_it_does_not_hold_for)
{
    char name[32];

    maker_add(world.root, "b.example", "b.example");
    for (int i = 0; i != 50; ++i) {
        (void)snprintf(name, sizeof(name), "x%d.b.example", i);
        cr_expect_str_eq(store_world_find(&world, name), "none");
    }
    cr_expect_eq(world.loaded, 1);
}

Test(store, passes_over_a_parent_that_is_faulty)
{
    maker_write(world.root, "a.example", "fullchain.pem", "nonsense");
    maker_write(world.root, "a.example", "privkey.pem", "nonsense");
    cr_expect_str_eq(store_world_find(&world, "x.a.example"), "none");
    cr_expect_not_null(strstr(last_used(), "absent"), "%s", last_used());
}

Test(store, reads_a_changed_file_again)
{
    maker_add(world.root, "a.example", "old.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "old.example");
    maker_add(world.root, "a.example", "new.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "old.example", "it is fresh");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "new.example");
    cr_expect_eq(world.changed, 1);
}

Test(store, looks_behind_the_back_of_those_who_use_it_often)
{
    maker_add(world.root, "a.example", "old.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "old.example");
    maker_add(world.root, "a.example", "new.example");
    world.ahead_ms += SP_TLS_RECHECK_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "old.example");
    /* Another name's files are looked at after it. */
    cr_expect_str_eq(store_world_find(&world, "b.example"), "none");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "new.example");
}

Test(store, remembers_for_a_while_that_there_is_nothing)
{
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
}

Test(store, notices_that_a_certificate_has_gone)
{
    char path[MAKER_PATH_MAX];

    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    (void)snprintf(path, sizeof(path), "%s/a.example", world.root);
    maker_remove(path);
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
}

Test(store, keeps_what_it_has_while_the_files_are_faulty)
{
    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    maker_write(world.root, "a.example", "fullchain.pem", "half a certifi");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_eq(world.faults, 1);
    cr_expect_not_null(strstr(last_used(), "no certificate in PEM form"), "%s", last_used());
}

Test(store, tells_of_faulty_files_once)
{
    maker_write(world.root, "a.example", "fullchain.pem", "nonsense");
    maker_write(world.root, "a.example", "privkey.pem", "nonsense");
    for (int i = 0; i != 3; ++i) {
        cr_expect_str_eq(store_world_find(&world, "a.example"), "none");
        world.ahead_ms += SP_TLS_FRESH_MS;
    }
    cr_expect_eq(world.faults, 1);
    cr_expect_not_null(strstr(last_used(), "a.example faulty no certificate"), "%s", last_used());
}

Test(store, prefers_what_has_not_expired)
{
    maker_pair_t pair;

    maker_make(&pair, MAKER_P256, "expired.example", -2L * MAKER_DAY, -MAKER_DAY);
    maker_write(world.root, "x.a.example", "fullchain.pem", pair.chain);
    maker_write(world.root, "x.a.example", "privkey.pem", pair.key);
    cr_expect_str_eq(store_world_find(&world, "x.a.example"), "expired.example");
    cr_expect_not_null(strstr(last_used(), "expired"), "%s", last_used());
    maker_add(world.root, "*.a.example", "*.a.example");
    world.ahead_ms += SP_TLS_FRESH_MS;
    cr_expect_str_eq(store_world_find(&world, "x.a.example"), "*.a.example");
}

Test(store, looks_again_after_a_reload)
{
    sp_tls_store_options_t options = {.folders = {world.second_root, NULL}};

    maker_add(world.root, "a.example", "first.example");
    maker_add(world.second_root, "a.example", "second.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "first.example");
    cr_assert_eq(sp_tls_store_reload(world.store, &options), SP_OK);
    cr_expect_str_eq(store_world_find(&world, "a.example"), "second.example");
    options.folders[0] = NULL;
    options.folders[1] = world.root;
    cr_assert_eq(sp_tls_store_reload(world.store, &options), SP_OK);
    cr_assert_eq(sp_tls_store_reload(world.store, &options), SP_OK);
    cr_expect_str_eq(store_world_find(&world, "a.example"), "first.example");
}

Test(store, forgets_when_told)
{
    maker_add(world.root, "a.example", "old.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "old.example");
    maker_add(world.root, "a.example", "new.example");
    sp_tls_store_forget(world.store, SP_STR("a.example"));
    sp_tls_store_forget(world.store, SP_STR("unknown.example"));
    cr_expect_str_eq(store_world_find(&world, "a.example"), "new.example");
}

Test(store, falls_back_on_the_default)
{
    sp_tls_store_options_t options = {.folders = {world.root, NULL}, .fallback = "d.example"};

    cr_assert_eq(sp_tls_store_reload(world.store, &options), SP_OK);
    maker_add(world.root, "d.example", "d.example");
    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, ""), "d.example");
    cr_expect_str_eq(store_world_find(&world, "b.example"), "d.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_str_eq(store_world_find(&world, "d.example"), "d.example");
}

static void count_item(void *arg, const sp_tls_item_t *item)
{
    (void)item;
    ++*(size_t *)arg;
}

Test(store, counts)
{
    sp_tls_figures_t figures;
    size_t items = 0;

    maker_add(world.root, "*.a.example", "*.a.example");
    maker_write(world.root, "f.example", "fullchain.pem", "nonsense");
    (void)store_world_find(&world, "x.a.example");
    (void)store_world_find(&world, "y.a.example");
    (void)store_world_find(&world, "b.example");
    (void)store_world_find(&world, "f.example");
    sp_tls_store_count(world.store, time(NULL), &figures);
    cr_expect_eq(figures.names, 4);
    cr_expect_eq(figures.certificates[SP_TLS_STATE_VALID], 1);
    cr_expect_eq(figures.certificates[SP_TLS_STATE_ABSENT], 1);
    cr_expect_eq(figures.certificates[SP_TLS_STATE_FAULTY], 1);
    cr_expect_eq(figures.certificates[SP_TLS_STATE_WANTED], 0);
    cr_expect(figures.has_expiry);
    cr_expect_lt(figures.next_expiry, time(NULL) + 2L * MAKER_DAY);
    cr_expect_gt(figures.bytes, 1000);
    cr_expect_eq(figures.loads, 1);
    sp_tls_store_count(world.store, time(NULL) + 2L * MAKER_DAY, &figures);
    cr_expect_eq(figures.certificates[SP_TLS_STATE_EXPIRED], 1);
    sp_tls_store_list(world.store, time(NULL), 10, count_item, &items);
    cr_expect_eq(items, 4);
    items = 0;
    sp_tls_store_list(world.store, time(NULL), 3, count_item, &items);
    cr_expect_eq(items, 3);
}

Test(store, forgets_the_least_recently_used)
{
    sp_tls_figures_t figures;
    char name[32];

    maker_add(world.root, "a.example", "a.example");
    cr_expect_str_eq(store_world_find(&world, "a.example"), "a.example");
    for (size_t i = 0; i != SP_TLS_STORE_NAMES_MAX + 100; ++i) {
        (void)snprintf(name, sizeof(name), "n%zu.example", i);
        cr_assert_str_eq(store_world_find(&world, name), "none");
        if (i == SP_TLS_STORE_NAMES_MAX / 2) {
            cr_assert_str_eq(store_world_find(&world, "a.example"), "a.example");
        }
    }
    sp_tls_store_count(world.store, time(NULL), &figures);
    cr_expect_eq(figures.names, SP_TLS_STORE_NAMES_MAX);
    cr_assert_str_eq(store_world_find(&world, "a.example"), "a.example");
    cr_expect_eq(world.loaded, 1, "it was used in the meantime");
}
