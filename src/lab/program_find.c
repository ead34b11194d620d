/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/spawn.h"

/* Where servers and network tools are, also for users who do not have these on their PATH. */
#define SYSTEM_FOLDERS "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool find_in(sp_str_t folders, const char *name, char *path, size_t size)
{
    while (folders.ptr != NULL) {
        sp_str_t folder = sp_str_cut(folders, ':', &folders);
        int len = snprintf(path, size, "%.*s/%s", (int)folder.len, folder.ptr, name);

        if (folder.len != 0 && len > 0 && (size_t)len < size && is_program(path)) {
            return true;
        }
    }
    return false;
}

sp_status_t sp_program_find(const char *name, const char *more_folders, char *path, size_t size)
{
    if (strchr(name, '/') != NULL) {
        int len = snprintf(path, size, "%s", name);

        return len > 0 && (size_t)len < size && is_program(path) ? SP_OK : SP_NOT_FOUND;
    }
    return find_in(sp_str_from(getenv("PATH")), name, path, size) ||
                   find_in(sp_str_from(more_folders), name, path, size) ||
                   find_in(SP_STR(SYSTEM_FOLDERS), name, path, size)
               ? SP_OK
               : SP_NOT_FOUND;
}
