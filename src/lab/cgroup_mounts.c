/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/cgroup_mounts.h"

#include <string.h>

#define MOUNT_POINT 4 /* index of a field */

static const char *const controllers[SP_CGROUP_BRANCHES] = {"cpuacct", "cpu"};

/* Is `word` one of those between commas? */
static bool has_word(sp_str_t list, sp_str_t word)
{
    while (list.ptr != NULL) {
        if (sp_str_eq(sp_str_cut(list, ',', &list), word)) {
            return true;
        }
    }
    return false;
}

static void keep(char path[SP_CGROUP_PATH_MAX], sp_str_t mount_point)
{
    if (path[0] == '\0') {
        memcpy(path, mount_point.ptr, mount_point.len);
        path[mount_point.len] = '\0';
    }
}

/* `kind`: file system type, source, options, behind the lone "-". */
static void take_mount(sp_str_t mount_point, sp_str_t kind, sp_cgroup_mounts_t *mounts)
{
    sp_str_t type = sp_str_cut(kind, ' ', &kind);
    sp_str_t source = sp_str_cut(kind, ' ', &kind);

    (void)source;
    if (sp_str_eq(type, SP_STR("cgroup2"))) {
        keep(mounts->version_2, mount_point);
        return;
    }
    for (size_t i = 0; i != SP_CGROUP_BRANCHES && sp_str_eq(type, SP_STR("cgroup")); ++i) {
        if (has_word(kind, sp_str_from(controllers[i]))) {
            keep(mounts->version_1[i], mount_point);
        }
    }
}

void sp_cgroup_mounts_parse(sp_str_t mountinfo, sp_cgroup_mounts_t *ret_mounts)
{
    memset(ret_mounts, 0, sizeof(*ret_mounts));
    while (mountinfo.ptr != NULL) {
        sp_str_t line = sp_str_cut(mountinfo, '\n', &mountinfo);
        size_t dash = sp_str_search(line, SP_STR(" - "));
        sp_str_t rest = sp_str_slice(line, 0, dash);
        sp_str_t field = {NULL, 0};

        for (size_t i = 0; i <= MOUNT_POINT; ++i) {
            field = rest.ptr == NULL ? (sp_str_t){NULL, 0} : sp_str_cut(rest, ' ', &rest);
        }
        if (dash != line.len && field.len != 0 && field.len < SP_CGROUP_PATH_MAX &&
            sp_str_find(field, '\\') == field.len) {
            take_mount(field, sp_str_skip(line, dash + 3), ret_mounts);
        }
    }
}
