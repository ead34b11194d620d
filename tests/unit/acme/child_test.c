/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/child.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char result[] = "/tmp/signpost-child-XXXXXX";

/* Until it has ended; what it prints is taken meanwhile. */
static void wait_for(sp_child_t *child)
{
    struct pollfd fd = {.fd = child->output, .events = POLLIN};

    while (sp_child_read(child)) {
        (void)poll(&fd, 1, -1);
    }
    while (!sp_child_has_ended(child)) {
        (void)poll(NULL, 0, 1);
    }
}

static void start(sp_child_t *child, const char *script, int lock)
{
    const char *arguments[] = {"/bin/sh", "-c", script, NULL};
    const sp_child_command_t command = {.arguments = arguments,
                                        .path = "/usr/bin:/bin",
                                        .home = "/nowhere",
                                        .result = result,
                                        .lock = lock};
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_child_start(&command, child, &err), SP_OK, "%s", err.message);
}

static void create_result(void)
{
    int fd = mkstemp(result);

    cr_assert_neq(fd, -1);
    (void)close(fd);
}

static void remove_result(void)
{
    (void)unlink(result);
}

TestSuite(child, .init = create_result, .fini = remove_result);

Test(child, keeps_what_is_printed_and_how_it_ended)
{
    sp_child_t child;
    char text[64] = "";
    FILE *file = NULL;

    start(&child, "echo wrong >&2; echo right; exit 3", -1);
    wait_for(&child);
    cr_expect_not(sp_child_succeeded(&child));
    cr_expect(sp_str_eq(sp_child_output(&child), SP_STR("wrong\n")));
    file = fopen(result, "r");
    cr_assert_not_null(file);
    cr_expect_not_null(fgets(text, sizeof(text), file));
    (void)fclose(file);
    cr_expect_str_eq(text, "right\n");
}

Test(child, has_a_clean_environment)
{
    sp_child_t child;

    (void)setenv("SECRET", "1", 1);
    start(&child, "env | sort >&2", -1);
    wait_for(&child);
    cr_expect(sp_child_succeeded(&child));
    cr_expect_eq(sp_str_search(sp_child_output(&child), SP_STR("SECRET")), child.len);
    cr_expect_neq(sp_str_search(sp_child_output(&child), SP_STR("HOME=/nowhere\n")), child.len);
}

Test(child, drops_what_is_too_much)
{
    sp_child_t child;

    start(&child, "head -c 100000 /dev/zero >&2", -1);
    wait_for(&child);
    cr_expect(sp_child_succeeded(&child));
    cr_expect_eq(child.len, SP_CHILD_OUTPUT_MAX);
}

Test(child, is_ended_with_all_that_it_has_started)
{
    sp_child_t child;

    start(&child, "trap '' TERM; sleep 1000 & sleep 1000", -1);
    sp_child_clear(&child);
    cr_expect_eq(child.pid, 0);
    cr_expect_eq(child.output, -1);
    cr_expect_not(sp_child_succeeded(&child));
}

Test(child, holds_a_lock_as_long_as_it_lives)
{
    sp_child_t child;
    char path[] = "/tmp/signpost-lock-XXXXXX";
    int lock = mkstemp(path);
    int other = open(path, O_RDWR | O_CLOEXEC);

    cr_assert_neq(other, -1);
    (void)fcntl(lock, F_SETFD, FD_CLOEXEC);
    cr_assert_eq(flock(lock, LOCK_EX), 0);
    start(&child, "echo started >&2; sleep 1000", lock);
    (void)close(lock);
    cr_expect_neq(flock(other, LOCK_EX | LOCK_NB), 0);
    sp_child_clear(&child);
    cr_expect_eq(flock(other, LOCK_EX), 0);
    (void)close(other);
    (void)unlink(path);
}

Test(child, that_is_not_there_is_an_error)
{
    sp_child_t child;
    const char *arguments[] = {"/nowhere/at/all", NULL};
    const sp_child_command_t command = {
        .arguments = arguments, .path = "/bin", .home = "/", .result = result, .lock = -1};
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_child_start(&command, &child, &err), SP_IO);
    cr_expect_str_eq(err.message, "/nowhere/at/all: No such file or directory");
    sp_child_clear(&child);
}
