/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/reopen.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    char directory[64];
    char path[80];
    char moved[80];
    int fd;
} place_t;

static void open_place(place_t *place)
{
    strcpy(place->directory, "/tmp/signpost-reopen-XXXXXX");
    cr_assert_not_null(mkdtemp(place->directory));
    (void)snprintf(place->path, sizeof(place->path), "%s/log", place->directory);
    (void)snprintf(place->moved, sizeof(place->moved), "%s/log.1", place->directory);
    place->fd = open(place->path, O_WRONLY | O_CREAT, 0600);
    cr_assert_neq(place->fd, -1);
}

static void close_place(place_t *place)
{
    (void)close(place->fd);
    (void)unlink(place->path);
    (void)unlink(place->moved);
    cr_expect_eq(rmdir(place->directory), 0);
}

static off_t size_of(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 ? file.st_size : -1;
}

Test(reopen, goes_on_in_a_new_file_at_the_old_path)
{
    place_t place;
    sp_reopen_t reopen;
    struct stat file;

    open_place(&place);
    sp_reopen_init(&reopen, place.fd);
    cr_assert_eq(write(place.fd, "old", 3), 3);
    cr_assert_eq(rename(place.path, place.moved), 0);
    cr_expect_eq(sp_reopen_again(&reopen, NULL), SP_OK);
    cr_assert_eq(write(place.fd, "fresh", 5), 5);
    cr_expect_eq(size_of(place.moved), 3);
    cr_expect_eq(size_of(place.path), 5);
    cr_assert_eq(stat(place.path, &file), 0);
    cr_expect_eq(file.st_mode & 0777, 0600, "as readable as the old one");
    close_place(&place);
}

Test(reopen, appends_to_a_file_that_is_still_there)
{
    place_t place;
    sp_reopen_t reopen;

    open_place(&place);
    sp_reopen_init(&reopen, place.fd);
    cr_assert_eq(write(place.fd, "old", 3), 3);
    cr_expect_eq(sp_reopen_again(&reopen, NULL), SP_OK);
    cr_assert_eq(write(place.fd, "more", 4), 4);
    cr_expect_eq(size_of(place.path), 7);
    close_place(&place);
}

Test(reopen, keeps_the_old_file_when_there_can_be_no_new_one)
{
    place_t place;
    sp_reopen_t reopen;
    sp_error_t err;

    open_place(&place);
    sp_reopen_init(&reopen, place.fd);
    cr_assert_eq(rename(place.path, place.moved), 0);
    cr_assert_eq(mkdir(place.path, 0700), 0);
    cr_expect_eq(sp_reopen_again(&reopen, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, place.path));
    cr_assert_eq(write(place.fd, "on", 2), 2);
    cr_expect_eq(size_of(place.moved), 2);
    cr_assert_eq(rmdir(place.path), 0);
    close_place(&place);
}

Test(reopen, leaves_pipes_alone)
{
    sp_reopen_t reopen;
    int fds[2];

    cr_assert_eq(pipe(fds), 0);
    sp_reopen_init(&reopen, fds[1]);
    cr_expect_eq(reopen.path[0], '\0');
    cr_expect_eq(sp_reopen_again(&reopen, NULL), SP_OK);
    cr_expect_eq(write(fds[1], "x", 1), 1);
    (void)close(fds[0]);
    (void)close(fds[1]);
}
