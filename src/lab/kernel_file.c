/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* close must not hide why the work failed. */
static bool end_with(int fd, bool good, int error)
{
    (void)close(fd);
    errno = error;
    return good;
}

bool sp_kernel_file_read_fd(int fd, char *memory, size_t size, sp_str_t *ret_text)
{
    size_t len = 0;

    if (fd < 0) {
        return false;
    }
    for (;;) {
        ssize_t got = len == size ? -1 : read(fd, memory + len, size - len);

        if (len == size) {
            return end_with(fd, false, EFBIG);
        }
        if (got < 0 && errno != EINTR) {
            return end_with(fd, false, errno);
        }
        if (got == 0) {
            break;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    *ret_text = (sp_str_t){.ptr = memory, .len = len};
    return end_with(fd, true, 0);
}

bool sp_kernel_file_read(const char *path, char *memory, size_t size, sp_str_t *ret_text)
{
    return sp_kernel_file_read_fd(open(path, O_RDONLY | O_CLOEXEC), memory, size, ret_text);
}

bool sp_kernel_file_write_fd(int fd, const char *text)
{
    size_t len = strlen(text);
    ssize_t done;

    if (fd < 0) {
        return false;
    }
    do {
        done = write(fd, text, len);
    } while (done < 0 && errno == EINTR);
    return end_with(fd, done == (ssize_t)len, done < 0 ? errno : EIO);
}

bool sp_kernel_file_write(const char *path, const char *text)
{
    return sp_kernel_file_write_fd(open(path, O_WRONLY | O_CLOEXEC), text);
}
