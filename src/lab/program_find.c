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

sp_status_t sp_program_path_extend(const char *more_folders, sp_error_t *err)
{
    const char *const parts[] = {getenv("PATH"), more_folders, SYSTEM_FOLDERS};
    size_t size = 1;
    size_t len = 0;
    char *path = NULL;
    bool is_set = false;

    for (size_t i = 0; i != SP_COUNT(parts); ++i) {
        size += parts[i] == NULL ? 0 : strlen(parts[i]) + 1;
    }
    path = malloc(size);
    for (size_t i = 0; path != NULL && i != SP_COUNT(parts); ++i) {
        if (parts[i] != NULL && parts[i][0] != '\0') {
            len += (size_t)snprintf(path + len, size - len, "%s%s", len == 0 ? "" : ":", parts[i]);
        }
    }
    is_set = path != NULL && setenv("PATH", path, 1) == 0;
    free(path);
    return is_set ? SP_OK : sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
}
