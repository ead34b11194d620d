/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lab/cgroup_folder.h"
#include "lab/cgroup_mounts.h"
#include "lab/kernel_file.h"

#define PERIOD_US 100000
#define QUOTA_MIN 0.01
#define QUOTA_MAX 4096.0
#define FILE_MAX 8192

/* One hierarchy's part of a group. */
typedef struct branch {
    char path[SP_CGROUP_PATH_MAX]; /* empty: there is none */
    bool is_version_2;
    int error; /* why there is none: errno, or 0 when no such controller is mounted */
} branch_t;

struct sp_cgroup {
    branch_t branches[SP_CGROUP_BRANCHES];
    bool is_top; /* in version 2 its processes are in a group of their own below it */
};

static const char *const purposes[SP_CGROUP_BRANCHES] = {
    "counts processor time",
    "limits processor time",
};

static sp_status_t fail_missing(const sp_cgroup_t *group, sp_cgroup_branch_t which, sp_error_t *err)
{
    int error = group->branches[which].error;

    return sp_fail(err, SP_UNSUPPORTED, 0, "there is no control group that %s here (%s)",
                   purposes[which], error == 0 ? "none is mounted" : strerror(error));
}

static bool join(char path[SP_CGROUP_PATH_MAX], const char *folder, const char *name)
{
    int len = snprintf(path, SP_CGROUP_PATH_MAX, "%s/%s", folder, name);

    if (len < 0 || len >= SP_CGROUP_PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

static bool read_file(const branch_t *branch, const char *name, char memory[FILE_MAX],
                      sp_str_t *ret_text)
{
    char path[SP_CGROUP_PATH_MAX];

    return join(path, branch->path, name) && sp_kernel_file_read(path, memory, FILE_MAX, ret_text);
}

static bool write_file(const branch_t *branch, const char *name, const char *text)
{
    char path[SP_CGROUP_PATH_MAX];

    return join(path, branch->path, name) && sp_kernel_file_write(path, text);
}

/* Makes one branch of a group below `parent`; what fails is kept as the reason of its absence. */
static void make_branch(branch_t *branch, const char *parent, const char *name)
{
    if (parent[0] == '\0') {
        return;
    }
    if (!join(branch->path, parent, name) ||
        (mkdir(branch->path, S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH) != 0 &&
         errno != EEXIST)) {
        branch->error = errno;
        branch->path[0] = '\0';
    }
}

static void drop_branch(branch_t *branch, int error)
{
    branch->path[0] = '\0';
    branch->error = error;
}

/* In version 2 processes live in the leaves only, so those of the top group get one, and what is to
 * be limited has to be switched on for the leaves. Time is counted without that. */
static void prepare_version_2(sp_cgroup_t *group)
{
    for (size_t i = 0; i != SP_CGROUP_BRANCHES; ++i) {
        branch_t *branch = &group->branches[i];
        char path[SP_CGROUP_PATH_MAX];

        if (branch->path[0] == '\0' || !branch->is_version_2) {
            continue;
        }
        if (!join(path, branch->path, SP_CGROUP_LEAF) ||
            (mkdir(path, S_IRWXU | S_IRGRP | S_IXGRP) != 0 && errno != EEXIST) ||
            (i == SP_CGROUP_CPU && !write_file(branch, "cgroup.subtree_control", "+cpu"))) {
            drop_branch(branch, errno == ENOENT || errno == EINVAL ? 0 : errno);
        }
    }
}

sp_status_t sp_cgroup_create(const char *name, sp_cgroup_t **ret_group, sp_error_t *err)
{
    sp_cgroup_t *group = calloc(1, sizeof(*group));
    sp_cgroup_mounts_t mounts;

    if (group == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    group->is_top = true;
    sp_cgroup_mounts_read(&mounts);
    for (size_t i = 0; i != SP_CGROUP_BRANCHES; ++i) {
        branch_t *branch = &group->branches[i];

        branch->is_version_2 = mounts.version_1[i][0] == '\0';
        make_branch(branch, branch->is_version_2 ? mounts.version_2 : mounts.version_1[i], name);
    }
    prepare_version_2(group);
    *ret_group = group;
    return SP_OK;
}

sp_status_t sp_cgroup_create_child(const sp_cgroup_t *parent, const char *name,
                                   sp_cgroup_t **ret_group, sp_error_t *err)
{
    sp_cgroup_t *group = calloc(1, sizeof(*group));

    if (group == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    for (size_t i = 0; i != SP_CGROUP_BRANCHES; ++i) {
        group->branches[i].is_version_2 = parent->branches[i].is_version_2;
        group->branches[i].error = parent->branches[i].error;
        make_branch(&group->branches[i], parent->branches[i].path, name);
    }
    *ret_group = group;
    return SP_OK;
}

void sp_cgroup_forget(sp_cgroup_t *group)
{
    free(group);
}

void sp_cgroup_destroy(sp_cgroup_t *group)
{
    if (group == NULL) {
        return;
    }
    for (size_t i = 0; i != SP_CGROUP_BRANCHES; ++i) {
        if (group->branches[i].path[0] != '\0') {
            sp_cgroup_folder_remove(group->branches[i].path);
        }
    }
    free(group);
}

sp_status_t sp_cgroup_enter(const sp_cgroup_t *group, pid_t pid, sp_error_t *err)
{
    char number[24];

    (void)snprintf(number, sizeof(number), "%ld", (long)pid);
    for (size_t i = 0; i != SP_CGROUP_BRANCHES; ++i) {
        const branch_t *branch = &group->branches[i];
        bool in_leaf = branch->is_version_2 && group->is_top;

        if (branch->path[0] != '\0' &&
            !write_file(branch, in_leaf ? SP_CGROUP_LEAF "/cgroup.procs" : "cgroup.procs",
                        number)) {
            return sp_fail(err, SP_IO, 0, "a process cannot be moved into the control group %s: %s",
                           branch->path, strerror(errno));
        }
    }
    return SP_OK;
}

static sp_status_t fail_file(const branch_t *branch, const char *name, sp_error_t *err)
{
    return sp_fail(err, SP_IO, 0, "control group file %s/%s: %s", branch->path, name,
                   strerror(errno));
}

sp_status_t sp_cgroup_set_quota(const sp_cgroup_t *group, double cores, sp_error_t *err)
{
    const branch_t *branch = &group->branches[SP_CGROUP_CPU];
    const char *name = branch->is_version_2 ? "cpu.max" : "cpu.cfs_quota_us";
    char text[48];

    if (branch->path[0] == '\0') {
        return fail_missing(group, SP_CGROUP_CPU, err);
    }
    if (cores != 0 && !(cores >= QUOTA_MIN && cores <= QUOTA_MAX)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "a processor quota must be 0 (none) or 0.01 to 4096 processors");
    }
    if (!branch->is_version_2 && !write_file(branch, "cpu.cfs_period_us", "100000")) {
        return fail_file(branch, "cpu.cfs_period_us", err);
    }
    if (cores == 0) {
        (void)snprintf(text, sizeof(text), "%s", branch->is_version_2 ? "max 100000" : "-1");
    } else {
        (void)snprintf(text, sizeof(text), branch->is_version_2 ? "%.0f 100000" : "%.0f",
                       cores * PERIOD_US);
    }
    return write_file(branch, name, text) ? SP_OK : fail_file(branch, name, err);
}

/* The number behind "KEY " in a file of lines; 0 when it is not there. */
static uint64_t find_number(sp_str_t text, sp_str_t key)
{
    while (text.ptr != NULL) {
        sp_str_t line = sp_str_cut(text, '\n', &text);
        sp_str_t value;
        uint64_t number = 0;

        if (sp_str_eq(sp_str_cut(line, ' ', &value), key) &&
            sp_str_to_uint(sp_str_trim(value), UINT64_MAX, &number)) {
            return number;
        }
    }
    return 0;
}

sp_status_t sp_cgroup_throttled(const sp_cgroup_t *group, sp_cgroup_throttled_t *ret,
                                sp_error_t *err)
{
    const branch_t *branch = &group->branches[SP_CGROUP_CPU];
    char memory[FILE_MAX];
    sp_str_t text;

    if (branch->path[0] == '\0') {
        return fail_missing(group, SP_CGROUP_CPU, err);
    }
    if (!read_file(branch, "cpu.stat", memory, &text)) {
        return fail_file(branch, "cpu.stat", err);
    }
    ret->periods = find_number(text, SP_STR("nr_periods"));
    ret->throttled = find_number(text, SP_STR("nr_throttled"));
    ret->throttled_ns = branch->is_version_2 ? find_number(text, SP_STR("throttled_usec")) * 1000
                                             : find_number(text, SP_STR("throttled_time"));
    return SP_OK;
}

/* A file that holds one number. */
static sp_status_t read_number(const branch_t *branch, const char *name, uint64_t *ret_number,
                               sp_error_t *err)
{
    char memory[FILE_MAX];
    sp_str_t text;

    errno = EINVAL;
    if (!read_file(branch, name, memory, &text) ||
        !sp_str_to_uint(sp_str_trim(text), UINT64_MAX, ret_number)) {
        return fail_file(branch, name, err);
    }
    return SP_OK;
}

sp_status_t sp_cgroup_cpu_ns(const sp_cgroup_t *group, uint64_t *ret_ns, sp_error_t *err)
{
    const branch_t *branch = &group->branches[SP_CGROUP_CPUACCT];
    char memory[FILE_MAX];
    sp_str_t text;

    if (branch->path[0] == '\0') {
        return fail_missing(group, SP_CGROUP_CPUACCT, err);
    }
    if (!branch->is_version_2) {
        return read_number(branch, "cpuacct.usage", ret_ns, err);
    }
    if (!read_file(branch, "cpu.stat", memory, &text)) {
        return fail_file(branch, "cpu.stat", err);
    }
    *ret_ns = find_number(text, SP_STR("usage_usec")) * 1000;
    return SP_OK;
}

const char *sp_cgroup_says(const sp_cgroup_t *group)
{
    const branch_t *time = &group->branches[SP_CGROUP_CPUACCT];
    const branch_t *limit = &group->branches[SP_CGROUP_CPU];

    if (time->path[0] == '\0') {
        return "no control groups: foreign processor time is not known";
    }
    if (limit->path[0] == '\0') {
        return "control groups count processor time, but cannot limit it";
    }
    return limit->is_version_2 ? "control groups, version 2" : "control groups, version 1";
}
