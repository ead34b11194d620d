/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/reopen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0640 /* unless the old file says otherwise */

void sp_reopen_init(sp_reopen_t *reopen, int fd)
{
    char link[64];
    struct stat open_file;
    struct stat named_file;
    ssize_t len = 0;

    reopen->fd = fd;
    reopen->path[0] = '\0';
    if (fstat(fd, &open_file) != 0 || !S_ISREG(open_file.st_mode)) {
        return;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, reopen->path, sizeof(reopen->path) - 1);
    reopen->path[len < 0 ? 0 : len] = '\0';
    /* One that was removed already has a path that only looks like one (proc(5)). */
    if (len <= 0 || stat(reopen->path, &named_file) != 0 || named_file.st_dev != open_file.st_dev ||
        named_file.st_ino != open_file.st_ino) {
        reopen->path[0] = '\0';
    }
}

sp_status_t sp_reopen_again(const sp_reopen_t *reopen, sp_error_t *err)
{
    struct stat old = {.st_mode = FILE_MODE};
    sp_status_t status = SP_OK;
    int fd = -1;

    if (reopen->path[0] == '\0') {
        return SP_OK;
    }
    (void)fstat(reopen->fd, &old);
    fd = open(reopen->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW,
              old.st_mode & 0777U);
    if (fd == -1) {
        return sp_fail(err, SP_IO, 0, "%s: %s", reopen->path, strerror(errno));
    }
    if (dup2(fd, reopen->fd) == -1) {
        status = sp_fail(err, SP_IO, 0, "%s: %s", reopen->path, strerror(errno));
    }
    (void)close(fd);
    return status;
}
