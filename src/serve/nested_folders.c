/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/nested_folders.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long the beginning of `path` is without its last part: "a/b/" → 2, "/a" → 1, "a" → 0. */
static size_t parent_len(const char *path, size_t len)
{
    while (len != 0 && path[len - 1] == '/') {
        --len;
    }
    while (len != 0 && path[len - 1] != '/') {
        --len;
    }
    return len;
}

/* The real path of what there is of it, and the rest as it is written. False when that is too long,
 * or may not be seen. */
static bool resolve(const char *path, char ret_real[PATH_MAX])
{
    size_t len = strlen(path);
    char real[PATH_MAX];
    char head[PATH_MAX];
    int printed = snprintf(head, sizeof(head), "%s", path);

    while (printed >= 0 && (size_t)printed < sizeof(head) && realpath(head, real) == NULL) {
        if (errno != ENOENT || len == 0) {
            return false;
        }
        len = parent_len(path, len);
        printed =
            snprintf(head, sizeof(head), "%.*s", len == 0 ? 1 : (int)len, len == 0 ? "." : path);
    }
    if (printed < 0 || (size_t)printed >= sizeof(head)) {
        return false;
    }
    printed =
        snprintf(ret_real, PATH_MAX, "%s%s%s", real, path[len] == '\0' ? "" : "/", path + len);
    return printed > 0 && printed < PATH_MAX;
}

static bool lies_in(const char *inner, const char *outer)
{
    size_t len = strlen(outer);

    if (len != 0 && outer[len - 1] == '/') {
        --len; /* the root */
    }
    return strncmp(inner, outer, len) == 0 && (inner[len] == '/' || inner[len] == '\0');
}

bool sp_folders_are_nested(const char *a, const char *b)
{
    char real_a[PATH_MAX];
    char real_b[PATH_MAX];

    return resolve(a, real_a) && resolve(b, real_b) &&
           (lies_in(real_a, real_b) || lies_in(real_b, real_a));
}
