/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define READY_MS 5000
#define TEXT_MAX 512

/* One octet or more, or the end of all that could write to it. */
static bool read_more(int fd, char text[TEXT_MAX], size_t *len)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    ssize_t got;

    if (*len == TEXT_MAX || poll(&entry, 1, READY_MS) <= 0) {
        return false;
    }
    got = read(fd, text + *len, TEXT_MAX - *len);
    *len += got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && errno == EINTR);
}

sp_status_t sp_helper_spawn(const sp_spawn_options_t *options, sp_process_t *ret_process,
                            sp_error_t *err)
{
    sp_spawn_options_t spawn = *options;
    sp_process_t process = {.pid = 0, .pidfd = -1};
    char text[TEXT_MAX];
    size_t len = 0;
    int both[2];
    sp_status_t status;

    if (pipe2(both, O_CLOEXEC) != 0) {
        return sp_fail(err, SP_IO, 0, "a pipe: %s", strerror(errno));
    }
    spawn.output_fd = both[1];
    spawn.errors_fd = both[1];
    status = sp_spawn(&spawn, &process, err);
    (void)close(both[1]);
    if (status == SP_OK) {
        sp_str_t ready = SP_STR(SP_HELPER_READY);
        sp_str_t said;

        do {
            said = (sp_str_t){.ptr = text, .len = len};
        } while (!sp_str_ends_with(said, ready) && read_more(both[0], text, &len));
        said = sp_str_trim(said);
        if (!sp_str_ends_with((sp_str_t){.ptr = text, .len = len}, ready)) {
            sp_process_end(&process, SIGKILL, 0);
            status = sp_fail(err, SP_IO, 0, "%s %s does not start: %.*s", spawn.argv[0],
                             spawn.argv[1], (int)said.len, said.ptr);
        }
    }
    (void)close(both[0]);
    if (status == SP_OK) {
        *ret_process = process;
    }
    return status;
}
