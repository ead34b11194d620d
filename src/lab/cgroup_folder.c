/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/cgroup_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/kernel_file.h"

#define MOUNTINFO_MAX (1024 * 1024)
#define LIST_MAX 4096
#define TRIES 400
#define TRY_NS 5000000L

void sp_cgroup_mounts_read(sp_cgroup_mounts_t *ret_mounts)
{
    char *memory = malloc(MOUNTINFO_MAX);
    sp_str_t text = SP_STR("");

    if (memory != NULL) {
        (void)sp_kernel_file_read("/proc/self/mountinfo", memory, MOUNTINFO_MAX, &text);
    }
    sp_cgroup_mounts_parse(text, ret_mounts);
    free(memory);
}

static bool top_file(const char *name, char path[SP_CGROUP_PATH_MAX])
{
    sp_cgroup_mounts_t mounts;
    int len;

    sp_cgroup_mounts_read(&mounts);
    len = snprintf(path, SP_CGROUP_PATH_MAX, "%s/%s", mounts.version_2, name);
    return mounts.version_2[0] != '\0' && mounts.version_1[SP_CGROUP_CPU][0] == '\0' && len > 0 &&
           len < SP_CGROUP_PATH_MAX;
}

/* Does a list with blanks between its words hold "cpu"? */
static bool lists_cpu(const char *file)
{
    char path[SP_CGROUP_PATH_MAX];
    char memory[LIST_MAX];
    sp_str_t text;

    if (!top_file(file, path) || !sp_kernel_file_read(path, memory, sizeof(memory), &text)) {
        return false;
    }
    for (text = sp_str_trim(text); text.ptr != NULL;) {
        if (sp_str_eq(sp_str_cut(text, ' ', &text), SP_STR("cpu"))) {
            return true;
        }
    }
    return false;
}

bool sp_cgroup_cpu_is_off(void)
{
    return lists_cpu("cgroup.controllers") && !lists_cpu("cgroup.subtree_control");
}

void sp_cgroup_cpu_switch(bool on)
{
    char path[SP_CGROUP_PATH_MAX];

    if (top_file("cgroup.subtree_control", path)) {
        (void)sp_kernel_file_write(path, on ? "+cpu" : "-cpu");
    }
}

/* A folder of a control group can be removed when no process is in it; its files do not count. */
static void remove_one(const char *path)
{
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = TRY_NS};

    for (int i = 0; i != TRIES && rmdir(path) != 0 && errno == EBUSY; ++i) {
        (void)nanosleep(&pause, NULL);
    }
}

void sp_cgroup_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (folder == NULL) {
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        char child[SP_CGROUP_PATH_MAX];
        int len = snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);

        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && len > 0 &&
            len < SP_CGROUP_PATH_MAX) {
            remove_one(child);
        }
    }
    (void)closedir(folder);
    remove_one(path);
}

/* The n-th mount point; NULL behind the last, empty where nothing is mounted. */
static const char *mount_point(const sp_cgroup_mounts_t *mounts, size_t n)
{
    if (n < SP_CGROUP_BRANCHES) {
        return mounts->version_1[n];
    }
    return n == SP_CGROUP_BRANCHES ? mounts->version_2 : NULL;
}

void sp_cgroup_name_remove(const char *name)
{
    sp_cgroup_mounts_t mounts;
    const char *mount;

    sp_cgroup_mounts_read(&mounts);
    for (size_t i = 0; (mount = mount_point(&mounts, i)) != NULL; ++i) {
        char path[SP_CGROUP_PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/%s", mount, name);

        if (mount[0] != '\0' && name[0] != '\0' && len > 0 && len < SP_CGROUP_PATH_MAX) {
            sp_cgroup_folder_remove(path);
        }
    }
}

void sp_cgroup_leave(void)
{
    sp_cgroup_mounts_t mounts;
    const char *mount;

    sp_cgroup_mounts_read(&mounts);
    for (size_t i = 0; (mount = mount_point(&mounts, i)) != NULL; ++i) {
        char path[SP_CGROUP_PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/cgroup.procs", mount);

        if (mount[0] != '\0' && len > 0 && len < SP_CGROUP_PATH_MAX) {
            (void)sp_kernel_file_write(path, "0");
        }
    }
}
