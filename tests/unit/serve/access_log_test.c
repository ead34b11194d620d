/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/access_log.h"

static const sp_report_t report = {.was_answered = true,
                                   .kind = SP_OUTCOME_NOT_FOUND,
                                   .status = 404,
                                   .method = {.ptr = "GET", .len = 3},
                                   .scheme = {.ptr = "http", .len = 4},
                                   .host = {.ptr = "a", .len = 1},
                                   .target = {.ptr = "/", .len = 1},
                                   .version = 0x101};

typedef struct ends {
    int read_fd;
    int write_fd;
} ends_t;

static ends_t open_pipe(void)
{
    int fds[2] = {-1, -1};

    cr_assert_eq(pipe(fds), 0);
    return (ends_t){.read_fd = fds[0], .write_fd = fds[1]};
}

/* Lines until the end of the file. */
static size_t count_lines(int fd)
{
    static char text[65536];
    size_t count = 0;
    ssize_t len = 0;

    while ((len = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i != len; ++i) {
            count += text[i] == '\n';
        }
    }
    return count;
}

Test(access_log, writes_the_lines_of_all_workers)
{
    ends_t ends = open_pipe();
    sp_access_log_t *log = NULL;

    cr_assert_eq(sp_access_log_create(ends.write_fd, 2, &log), SP_OK);
    sp_access_buffer_add(sp_access_log_buffer(log, 0), SP_ACCESS_JSON, &report);
    cr_assert_eq(sp_access_log_start(log, NULL), SP_OK);
    sp_access_buffer_add(sp_access_log_buffer(log, 1), SP_ACCESS_COMBINED, &report);
    sp_access_buffer_add(sp_access_log_buffer(log, 1), SP_ACCESS_JSON, &report);
    cr_expect_eq(sp_access_log_dropped(log), 0);
    sp_access_log_destroy(log);
    (void)close(ends.write_fd);
    cr_expect_eq(count_lines(ends.read_fd), 3);
    (void)close(ends.read_fd);
}

Test(access_log, writes_without_being_told_to_end)
{
    ends_t ends = open_pipe();
    sp_access_log_t *log = NULL;
    char first = '\0';

    cr_assert_eq(sp_access_log_create(ends.write_fd, 1, &log), SP_OK);
    cr_assert_eq(sp_access_log_start(log, NULL), SP_OK);
    for (int i = 0; i != 3; ++i) {
        sp_access_buffer_add(sp_access_log_buffer(log, 0), SP_ACCESS_JSON, &report);
        do {
            cr_assert_eq(read(ends.read_fd, &first, 1), 1); /* waits for the line */
        } while (first != '\n');
    }
    sp_access_log_destroy(log);
    (void)close(ends.write_fd);
    (void)close(ends.read_fd);
}

Test(access_log, drops_and_counts_when_nobody_reads)
{
    const size_t count = 20000; /* more than both buffers and the pipe hold */
    ends_t ends = open_pipe();
    sp_access_log_t *log = NULL;
    uint64_t dropped = 0;

    cr_assert_eq(sp_access_log_create(ends.write_fd, 1, &log), SP_OK);
    cr_assert_eq(sp_access_log_start(log, NULL), SP_OK);
    for (size_t i = 0; i != count; ++i) {
        sp_access_buffer_add(sp_access_log_buffer(log, 0), SP_ACCESS_JSON, &report);
    }
    dropped = sp_access_log_dropped(log);
    cr_expect_gt(dropped, 0);
    cr_expect_lt(dropped, count);
    sp_access_log_destroy(log); /* gives up after a second */
    (void)close(ends.write_fd);
    cr_expect_gt(count_lines(ends.read_fd), 0);
    (void)close(ends.read_fd);
}

Test(access_log, survives_a_reader_that_goes_away)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    ends_t ends = open_pipe();
    sp_access_log_t *log = NULL;

    cr_assert_eq(sigaction(SIGPIPE, &ignore, NULL), 0);
    cr_assert_eq(sp_access_log_create(ends.write_fd, 1, &log), SP_OK);
    (void)close(ends.read_fd);
    cr_assert_eq(sp_access_log_start(log, NULL), SP_OK);
    sp_access_buffer_add(sp_access_log_buffer(log, 0), SP_ACCESS_JSON, &report);
    sp_access_log_destroy(log);
    (void)close(ends.write_fd);
}
