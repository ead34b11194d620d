/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/zone_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/files.h"
#include "load/targets.h"

#define PATH "zone_writer_test.XXXXXX"

/* A name for a file of this test, which is gone again when it is written to. */
static void make_path(char path[sizeof(PATH)])
{
    int fd = -1;

    memcpy(path, PATH, sizeof(PATH));
    fd = mkstemp(path);
    cr_assert_neq(fd, -1);
    (void)close(fd);
}

static size_t count_lines(sp_str_t text)
{
    size_t lines = 0;

    for (size_t i = 0; i != text.len; ++i) {
        lines += text.ptr[i] == '\n' ? 1U : 0U;
    }
    return lines;
}

/* What the zone's records say is what the generator expects: worked out by the program itself. */
Test(lab_zone_writer, targets_are_what_the_records_give)
{
    const sp_lab_zone_t zone = {.names = 3, .ttl_s = 7};
    char zone_path[sizeof(PATH)];
    char targets_path[sizeof(PATH)];
    sp_load_targets_t written = {.count = 0};
    sp_load_targets_t decided = {.count = 0};
    sp_error_t err = {.message = ""};

    make_path(zone_path);
    make_path(targets_path);
    cr_assert_eq(sp_lab_zone_write(&zone, zone_path, &err), SP_OK, "%s", err.message);
    cr_assert_eq(sp_lab_targets_write(&zone, targets_path, &err), SP_OK, "%s", err.message);
    cr_assert_eq(sp_load_targets_read(targets_path, &written, &err), SP_OK, "%s", err.message);
    cr_assert_eq(sp_load_targets_from_zone(zone_path, false, &decided, &err), SP_OK, "%s",
                 err.message);
    cr_assert_eq(written.count, 3);
    cr_assert_eq(decided.count, 3);
    for (size_t i = 0; i != 3; ++i) {
        cr_expect(sp_str_eq(written.list[i].host, decided.list[i].host));
        cr_expect(sp_str_eq(written.list[i].path, decided.list[i].path));
        cr_expect_eq(written.list[i].status, decided.list[i].status);
        cr_expect(sp_str_eq(written.list[i].location, decided.list[i].location));
    }
    sp_load_targets_clear(&written);
    sp_load_targets_clear(&decided);
    (void)unlink(zone_path);
    (void)unlink(targets_path);
}

Test(lab_zone_writer, negative_answers_live_as_long_as_the_others)
{
    const sp_lab_zone_t zone = {.names = 1, .ttl_s = 42};
    char path[sizeof(PATH)];
    sp_str_t text;

    make_path(path);
    cr_assert_eq(sp_lab_zone_write(&zone, path, NULL), SP_OK);
    cr_assert_eq(sp_lab_file_read(path, &text, NULL), SP_OK);
    cr_expect_eq(sp_str_search(text, SP_STR("$TTL 42\n")), 0);
    cr_expect_lt(sp_str_search(text, SP_STR("604800 42\n")), text.len);
    cr_expect_lt(sp_str_search(text, SP_STR("\nd00000.redir.test. A ")), text.len);
    sp_lab_file_free(text);
    (void)unlink(path);
}

Test(lab_zone_writer, asks_each_name_once_in_another_order)
{
    const sp_lab_zone_t zone = {.names = 200, .ttl_s = 1};
    char path[sizeof(PATH)];
    sp_str_t text;
    unsigned in_place = 0;

    make_path(path);
    cr_assert_eq(sp_lab_queries_write(&zone, 1, path, NULL), SP_OK);
    cr_assert_eq(sp_lab_file_read(path, &text, NULL), SP_OK);
    cr_expect_eq(count_lines(text), 200);
    for (unsigned i = 0; i != zone.names; ++i) {
        char host[SP_LAB_HOST_MAX];
        char line[64];
        sp_str_t needle;
        size_t at = 0;

        (void)snprintf(line, sizeof(line), "_redirect.%s TXT\n", sp_lab_host(i, host));
        needle = sp_str_from(line);
        at = sp_str_search(text, needle);
        cr_expect_lt(at, text.len, "%s", line);
        cr_expect_eq(sp_str_search(sp_str_skip(text, at + 1), needle), text.len - at - 1);
        in_place += at == i * needle.len ? 1U : 0U;
    }
    cr_expect_lt(in_place, 20);
    sp_lab_file_free(text);
    (void)unlink(path);
}

Test(lab_zone_writer, says_why_it_cannot_write)
{
    const sp_lab_zone_t zone = {.names = 1, .ttl_s = 1};
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_lab_zone_write(&zone, "/nowhere/zone", &err), SP_IO);
    cr_expect(strstr(err.message, "/nowhere/zone") != NULL);
}

Test(lab_files, a_tree_is_removed_and_what_links_lead_to_is_not)
{
    char keep[sizeof(PATH)];
    char folder[sizeof(PATH)];
    char inner[64];
    char path[96];
    sp_error_t err;

    make_path(keep);
    memcpy(folder, PATH, sizeof(PATH));
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(inner, sizeof(inner), "%s/inner", folder);
    cr_assert_eq(mkdir(inner, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/file", inner);
    cr_assert_eq(sp_lab_file_write(path, SP_STR("x"), &err), SP_OK);
    (void)snprintf(path, sizeof(path), "%s/link", inner);
    cr_assert_eq(symlink(keep, path), 0);
    sp_lab_file_remove_tree(folder);
    cr_expect_neq(access(folder, F_OK), 0);
    cr_expect_eq(access(keep, F_OK), 0);
    sp_lab_file_remove_tree(folder);
    (void)unlink(keep);
}
