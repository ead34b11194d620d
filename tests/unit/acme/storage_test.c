/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/storage.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/signpost-storage-XXXXXX";
static sp_storage_t *storage;
static sp_arena_t arena;

static void create(void)
{
    sp_error_t err = {.message = ""};

    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(sp_storage_open(folder, true, &storage, &err), SP_OK, "%s", err.message);
    sp_arena_init(&arena, NULL, 0, 4096);
}

static void destroy(void)
{
    char command[64];

    sp_storage_close(storage);
    sp_arena_clear(&arena);
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(storage, .init = create, .fini = destroy);

static void expect_mode(const char *at, mode_t mode)
{
    char path[256];
    struct stat about;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, at);
    cr_assert_eq(stat(path, &about), 0, "%s", path);
    cr_expect_eq(about.st_mode & 0777, mode, "%s", path);
}

static void expect_text(const char *at, const char *text)
{
    sp_str_t found = {0};

    cr_assert_eq(sp_storage_read(storage, at, &arena, &found), SP_OK, "%s", at);
    cr_expect(sp_str_eq(found, sp_str_from(text)), "%s", at);
}

Test(storage, writes_files_that_nobody_else_reads)
{
    cr_assert_eq(sp_storage_write(storage, ".signpost/account", SP_STR("one"), NULL), SP_OK);
    cr_assert_eq(sp_storage_write(storage, ".signpost/account", SP_STR("two"), NULL), SP_OK);
    expect_text(".signpost/account", "two");
    expect_mode(".signpost/account", 0600);
    expect_mode(".signpost", 0700);
}

Test(storage, that_is_not_there_is_made_or_not_found)
{
    sp_storage_t *other = NULL;
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/deeper", folder);
    cr_expect_eq(sp_storage_open(path, false, &other, NULL), SP_NOT_FOUND);
    cr_assert_eq(sp_storage_open(path, true, &other, NULL), SP_OK);
    sp_storage_close(other);
    expect_mode("deeper", 0700);
}

Test(storage, says_what_can_not_be_read)
{
    sp_str_t text;

    cr_expect_eq(sp_storage_read(storage, "none", &arena, &text), SP_NOT_FOUND);
    cr_expect_eq(sp_storage_read(storage, ".signpost", &arena, &text), SP_IO);
}

Test(storage, puts_a_pair_in_the_place_of_another)
{
    sp_str_t chain;
    sp_str_t key;
    sp_str_t name = SP_STR("www.example.com");

    cr_expect_eq(sp_storage_read_pair(storage, name, &arena, &chain, &key), SP_NOT_FOUND);
    cr_assert_eq(sp_storage_install(storage, name, SP_STR("c1"), SP_STR("k1"), NULL), SP_OK);
    expect_text("www.example.com/privkey.pem", "k1");
    cr_assert_eq(sp_storage_install(storage, name, SP_STR("c2"), SP_STR("k2"), NULL), SP_OK);
    cr_assert_eq(sp_storage_read_pair(storage, name, &arena, &chain, &key), SP_OK);
    cr_expect(sp_str_eq(chain, SP_STR("c2")));
    cr_expect(sp_str_eq(key, SP_STR("k2")));
    expect_mode("www.example.com", 0700);
    expect_mode("www.example.com/privkey.pem", 0600);
    cr_expect_eq(sp_storage_forget(storage, name), SP_OK);
    cr_expect_eq(sp_storage_forget(storage, name), SP_NOT_FOUND);
    cr_expect_eq(sp_storage_read_pair(storage, name, &arena, &chain, &key), SP_NOT_FOUND);
}

Test(storage, is_not_confused_by_what_was_left_half_done)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/.signpost/ready/a.example.com", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(
        sp_storage_write(storage, ".signpost/ready/a.example.com/privkey.pem", SP_STR("k0"), NULL),
        SP_OK);
    cr_assert_eq(
        sp_storage_install(storage, SP_STR("a.example.com"), SP_STR("c"), SP_STR("k"), NULL),
        SP_OK);
    expect_text("a.example.com/privkey.pem", "k");
    cr_expect_neq(access(path, F_OK), 0);
}

Test(storage, locks_out_others_of_the_same_process_too)
{
    int first = -1;
    int second = -1;

    cr_assert_eq(sp_storage_lock(storage, ".signpost/locks/a", false, &first), SP_OK);
    cr_expect_eq(sp_storage_lock(storage, ".signpost/locks/a", false, &second), SP_NOT_FOUND);
    sp_storage_unlock(storage, ".signpost/locks/a", first);
    cr_assert_eq(sp_storage_lock(storage, ".signpost/locks/a", false, &second), SP_OK);
    sp_storage_unlock(storage, ".signpost/locks/a", second);
}

/* Many take the lock in turn, each adding one: nothing gets lost, though each takes the file of the
 * lock away. */
Test(storage, lock_holds_between_processes)
{
    enum { CHILDREN = 8, TURNS = 50 };
    sp_str_t text;
    uint64_t sum = 0;

    cr_assert_eq(sp_storage_write(storage, "sum", SP_STR("0"), NULL), SP_OK);
    for (int i = 0; i != CHILDREN; ++i) {
        if (fork() == 0) {
            for (int turn = 0; turn != TURNS; ++turn) {
                char number[24];
                int lock = -1;

                if (sp_storage_lock(storage, ".signpost/locks/sum", true, &lock) != SP_OK ||
                    sp_storage_read(storage, "sum", &arena, &text) != SP_OK ||
                    !sp_str_to_uint(text, UINT64_MAX, &sum)) {
                    _Exit(1);
                }
                (void)snprintf(number, sizeof(number), "%d", (int)sum + 1);
                (void)sp_storage_write(storage, "sum", sp_str_from(number), NULL);
                sp_storage_unlock(storage, ".signpost/locks/sum", lock);
            }
            _Exit(0);
        }
    }
    for (int i = 0; i != CHILDREN; ++i) {
        int status = -1;

        cr_assert_geq(wait(&status), 0);
        cr_expect_eq(status, 0);
    }
    cr_assert_eq(sp_storage_read(storage, "sum", &arena, &text), SP_OK);
    cr_assert(sp_str_to_uint(text, UINT64_MAX, &sum));
    cr_expect_eq(sum, CHILDREN * TURNS);
}

Test(storage, is_walked_without_its_state)
{
    sp_storage_walk_t *walk = NULL;
    char text[256];
    sp_str_t name;
    unsigned count = 0;

    cr_assert_eq(sp_storage_install(storage, SP_STR("a.example"), SP_STR("c"), SP_STR("k"), NULL),
                 SP_OK);
    cr_assert_eq(sp_storage_install(storage, SP_STR("b.example"), SP_STR("c"), SP_STR("k"), NULL),
                 SP_OK);
    walk = sp_storage_walk_begin(storage, ".");
    cr_assert_not_null(walk);
    while (sp_storage_walk_next(walk, text, &name)) {
        cr_expect(sp_str_ends_with(name, SP_STR(".example")));
        ++count;
    }
    sp_storage_walk_end(walk);
    cr_expect_eq(count, 2);
    cr_expect_null(sp_storage_walk_begin(storage, "nowhere"));
}

Test(storage, sweeps_what_is_old)
{
    time_t now = time(NULL);
    sp_str_t text;

    cr_assert_eq(sp_storage_write(storage, ".signpost/challenges/x", SP_STR("1"), NULL), SP_OK);
    sp_storage_sweep(storage, ".signpost/challenges", now, 3600);
    expect_text(".signpost/challenges/x", "1");
    sp_storage_sweep(storage, ".signpost/challenges", now + 3700, 3600);
    cr_expect_eq(sp_storage_read(storage, ".signpost/challenges/x", &arena, &text), SP_NOT_FOUND);
}
