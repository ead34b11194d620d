/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/file_limit.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

void sp_file_limit_raise(const sp_log_t *log)
{
    struct rlimit limit = {0};

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) {
        return;
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        sp_log_write(log, SP_LOG_WARNING, "cannot raise the limit of open files: %s",
                     strerror(errno));
    }
}

size_t sp_file_limit_connections(size_t others)
{
    struct rlimit limit = {0};

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return 0;
    }
    return limit.rlim_cur / 2 > others ? (size_t)limit.rlim_cur - others
                                       : (size_t)(limit.rlim_cur + 1) / 2;
}
