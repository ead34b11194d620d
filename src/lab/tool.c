/* SPDX-License-Identifier: Apache-2.0 */

/* Tools that run and end: their input is a file in memory, their outputs are read as they come. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/spawn.h"

#define DEFAULT_TIMEOUT_MS 10000
#define ERRORS_MAX 4096
#define PIECE 4096

typedef struct streams {
    int output[2], errors[2]; /* pipes */
    sp_buf_t *text;           /* NULL: thrown away */
    char complaint[ERRORS_MAX];
    size_t complaint_len;
} streams_t;

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static void take_piece(streams_t *streams, bool is_output, const char *piece, size_t len)
{
    if (is_output) {
        if (streams->text != NULL) {
            sp_buf_append(streams->text, (sp_str_t){.ptr = piece, .len = len});
        }
        return;
    }
    if (len > ERRORS_MAX - streams->complaint_len) {
        len = ERRORS_MAX - streams->complaint_len;
    }
    memcpy(streams->complaint + streams->complaint_len, piece, len);
    streams->complaint_len += len;
}

/* What can be read now; an end closes the pipe. */
static void read_stream(streams_t *streams, bool is_output)
{
    int *fd = is_output ? &streams->output[0] : &streams->errors[0];
    char piece[PIECE];
    ssize_t len = read(*fd, piece, sizeof(piece));

    if (len > 0) {
        take_piece(streams, is_output, piece, (size_t)len);
    } else if (len == 0 || errno != EINTR) {
        close_fd(fd);
    }
}

/* Reads both pipes until their ends. False when the time is over. */
static bool read_streams(streams_t *streams, int timeout_ms)
{
    int64_t end = sp_clock_ms() + timeout_ms;

    while (streams->output[0] >= 0 || streams->errors[0] >= 0) {
        struct pollfd fds[2] = {{.fd = streams->output[0], .events = POLLIN},
                                {.fd = streams->errors[0], .events = POLLIN}};
        int64_t left = end - sp_clock_ms();
        int got = left <= 0 ? 0 : poll(fds, 2, (int)left);

        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        for (int i = 0; got > 0 && i != 2; ++i) {
            if (fds[i].revents != 0) {
                read_stream(streams, i == 0);
            }
        }
    }
    return true;
}

/* Its first line that is not empty. */
static sp_str_t first_complaint(const streams_t *streams)
{
    sp_str_t text = {.ptr = streams->complaint, .len = streams->complaint_len};
    sp_str_t line = SP_STR("");

    while (text.ptr != NULL && line.len == 0) {
        line = sp_str_trim(sp_str_cut(text, '\n', &text));
    }
    return line;
}

/* Which line of a batch it was, by what `ip` says at last: "Command failed -:7". Empty when it says
 * nothing of that kind. */
static sp_str_t failed_line(const streams_t *streams, sp_str_t input)
{
    sp_str_t text = {.ptr = streams->complaint, .len = streams->complaint_len};
    size_t at = sp_str_search(text, SP_STR("Command failed -:"));
    sp_str_t rest = sp_str_skip(text, at + strlen("Command failed -:"));
    sp_str_t line = SP_STR("");
    uint64_t number = 0;

    rest = sp_str_trim(sp_str_cut(rest, '\n', &text));
    if (!sp_str_to_uint(rest, ERRORS_MAX, &number)) {
        return line;
    }
    for (uint64_t i = 0; i != number && input.ptr != NULL; ++i) {
        line = sp_str_cut(input, '\n', &input);
    }
    return line;
}

static sp_status_t judge(const sp_tool_t *tool, const sp_process_t *process,
                         const streams_t *streams, sp_error_t *err)
{
    char command[96] = "";
    char says[48];
    sp_str_t line = first_complaint(streams);
    sp_str_t batch;

    if (process->status == 0) {
        return SP_OK;
    }
    for (size_t i = 0, at = 0; tool->argv[i] != NULL && at < sizeof(command); ++i) {
        int len =
            snprintf(command + at, sizeof(command) - at, i == 0 ? "%s" : " %s", tool->argv[i]);

        at += len > 0 ? (size_t)len : 0;
    }
    if (line.len == 0) {
        line = sp_str_from(sp_process_says(process, says, sizeof(says)));
    }
    batch = failed_line(streams, tool->input);
    return sp_fail(err, SP_IO, 0, "'%s%s%.*s': %.*s", batch.len == 0 ? command : tool->argv[0],
                   batch.len == 0 ? "" : " ", (int)batch.len, batch.ptr, (int)line.len, line.ptr);
}

/* The input as a file that can be read from its beginning; -1 and errno. */
static int make_input(sp_str_t input)
{
    int fd = memfd_create("lab-input", MFD_CLOEXEC);
    size_t at = 0;

    while (fd >= 0 && at != input.len) {
        ssize_t done = write(fd, input.ptr + at, input.len - at);

        if (done < 0 && errno != EINTR) {
            close_fd(&fd);
        }
        at += done > 0 ? (size_t)done : 0;
    }
    return fd;
}

static sp_status_t run_tool(const sp_tool_t *tool, streams_t *streams, int input, sp_error_t *err)
{
    char path[48];
    sp_process_t process = {.pid = 0, .pidfd = -1};
    sp_spawn_options_t options = {.argv = tool->argv, .netns = tool->netns, .input = path};
    int timeout_ms = tool->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : tool->timeout_ms;
    sp_status_t status;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", input);
    options.output_fd = streams->output[1];
    options.errors_fd = streams->errors[1];
    status = sp_spawn(&options, &process, err);
    close_fd(&streams->output[1]);
    close_fd(&streams->errors[1]);
    if (status != SP_OK) {
        return status;
    }
    if (!read_streams(streams, timeout_ms) ||
        sp_process_wait(&process, timeout_ms, -1) != SP_WAIT_ENDED) {
        sp_process_end(&process, SIGKILL, 0);
        return sp_fail(err, SP_IO, 0, "'%s' did not end within %d ms", tool->argv[0], timeout_ms);
    }
    return judge(tool, &process, streams, err);
}

sp_status_t sp_tool_run(const sp_tool_t *tool, sp_buf_t *output, sp_error_t *err)
{
    streams_t streams = {.output = {-1, -1}, .errors = {-1, -1}, .text = output};
    int input = make_input(tool->input);
    sp_status_t status;

    if (input < 0 || pipe2(streams.output, O_CLOEXEC) != 0 ||
        pipe2(streams.errors, O_CLOEXEC) != 0) {
        status = sp_fail(err, SP_IO, 0, "'%s' cannot be run: %s", tool->argv[0], strerror(errno));
    } else {
        status = run_tool(tool, &streams, input, err);
    }
    for (int i = 0; i != 2; ++i) {
        close_fd(&streams.output[i]);
        close_fd(&streams.errors[i]);
    }
    close_fd(&input);
    return status == SP_OK && output != NULL && output->status != SP_OK
               ? sp_fail(err, output->status, 0, "'%s' wrote more than was expected", tool->argv[0])
               : status;
}
