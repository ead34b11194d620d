/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_REOPEN_H
#define SIGNPOST_SERVE_REOPEN_H

/* Log files that were renamed or removed: a descriptor that was a regular file at the start is
 * opened anew at the path that it had then. Pipes, terminals and sockets stay what they are. */

#include <signpost/base/error.h>

#define SP_REOPEN_PATH_MAX 4096

typedef struct sp_reopen {
    int fd;
    char path[SP_REOPEN_PATH_MAX]; /* empty: nothing to open anew */
} sp_reopen_t;

/* Remembers the path of `fd`, which stays the caller's. */
void sp_reopen_init(sp_reopen_t *reopen, int fd);

/* From now on `fd` appends to a file at the remembered path, which is created where there is none;
 * who writes meanwhile writes to the old or the new one, whole. SP_OK, also where there is nothing
 * to do, or SP_IO with the reason: then `fd` is as it was. */
sp_status_t sp_reopen_again(const sp_reopen_t *reopen, sp_error_t *err);

#endif
