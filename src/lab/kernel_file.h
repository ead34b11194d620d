/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_KERNEL_FILE_H
#define SIGNPOST_LAB_KERNEL_FILE_H

/* Small files that the kernel makes up: /proc, /sys, control groups. */

#include <signpost/base/str.h>

/* Reads all of it into `memory`. False, and errno, when it cannot be read or is larger. */
bool sp_kernel_file_read(const char *path, char *memory, size_t size, sp_str_t *ret_text);

/* The same from an open file, which it closes; -1 gives false. */
bool sp_kernel_file_read_fd(int fd, char *memory, size_t size, sp_str_t *ret_text);

/* Writes a text in one piece to a file that exists. False, and errno. */
bool sp_kernel_file_write(const char *path, const char *text);
bool sp_kernel_file_write_fd(int fd, const char *text); /* closes it */

#endif
