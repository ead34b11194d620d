/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/nested_folders.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A working directory with the folders a, a/in, ab, and a link to a. */
static char root[] = "/tmp/signpost-nested-XXXXXX";

static void create(void)
{
    cr_assert_not_null(mkdtemp(root));
    cr_assert_eq(chdir(root), 0);
    cr_assert_eq(mkdir("a", 0700), 0);
    cr_assert_eq(mkdir("a/in", 0700), 0);
    cr_assert_eq(mkdir("ab", 0700), 0);
    cr_assert_eq(symlink("a", "link"), 0);
}

static void destroy(void)
{
    cr_expect_eq(unlink("link"), 0);
    cr_expect_eq(rmdir("ab"), 0);
    cr_expect_eq(rmdir("a/in"), 0);
    cr_expect_eq(rmdir("a"), 0);
    cr_expect_eq(rmdir(root), 0);
}

TestSuite(nested_folders, .init = create, .fini = destroy);

static void expect(const char *a, const char *b, bool are_nested)
{
    cr_expect_eq(sp_folders_are_nested(a, b), are_nested, "%s, %s", a, b);
    cr_expect_eq(sp_folders_are_nested(b, a), are_nested, "%s, %s", b, a);
}

Test(nested_folders, are_found_however_they_are_written)
{
    char absolute[PATH_MAX];

    (void)snprintf(absolute, sizeof(absolute), "%s/a/", root);
    expect("a", "a", true);
    expect("a", absolute, true);
    expect("a", "./link", true);
    expect("a/in", "link", true);
    expect("a", "ab/../a//in/", true);
    expect("/", "a", true);
    expect("a", "ab", false);
    expect("a/in", "ab", false);
}

Test(nested_folders, are_found_before_they_are_there)
{
    expect("new", "new", true);
    expect("link/new", "a/new", true);
    expect("a", "link/new/er", true);
    expect(".new", ".", true);
    expect("new", "a", false);
    expect("new", "newer", false);
    expect("link/new", "ab", false);
}

Test(nested_folders, are_none_where_nothing_can_be_seen)
{
    char too_long[PATH_MAX + 2];

    (void)memset(too_long, 'x', sizeof(too_long));
    too_long[sizeof(too_long) - 1] = '\0';
    expect(too_long, "a", false);
    cr_assert_eq(symlink("circle", "circle"), 0);
    expect("circle", "a", false);
    cr_expect_eq(unlink("circle"), 0);
}
