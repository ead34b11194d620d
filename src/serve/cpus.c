/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/cpus.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX 4096
#define PATH_TEXT_MAX 1024

static unsigned by_affinity(void)
{
    cpu_set_t set;
    int count = 0;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        count = CPU_COUNT(&set);
    }
    return count < 1 ? 1 : (unsigned)count;
}

/* Empty when there is no such file. */
static sp_str_t read_text(const char *path, char text[TEXT_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = 0;

    if (fd == -1) {
        return SP_STR("");
    }
    len = read(fd, text, TEXT_MAX);
    (void)close(fd);
    return (sp_str_t){.ptr = text, .len = len < 0 ? 0 : (size_t)len};
}

unsigned sp_cpus_of_quota(sp_str_t text)
{
    sp_str_t rest = {0};
    sp_str_t quota = sp_str_cut(sp_str_trim(text), ' ', &rest);
    uint64_t quota_us = 0;
    uint64_t period_us = 0;

    if (!sp_str_to_uint(quota, 1000000000, &quota_us) ||
        !sp_str_to_uint(sp_str_trim(rest), 1000000000, &period_us) || quota_us == 0 ||
        period_us == 0) {
        return 0;
    }
    return (unsigned)((quota_us + period_us - 1) / period_us);
}

/* The process's path below the hierarchy whose controllers are `controllers` ("" for v2), as in
 * /proc/self/cgroup: "0::/a/b" or "4:cpu,cpuacct:/a/b". */
static sp_str_t group_path(sp_str_t groups, sp_str_t controller)
{
    sp_str_t rest = groups;

    while (rest.ptr != NULL) {
        sp_str_t path = {0};
        sp_str_t line = sp_str_cut(rest, '\n', &rest);
        sp_str_t names = {0};

        (void)sp_str_cut(line, ':', &names);
        names = sp_str_cut(names, ':', &path);
        if (path.ptr == NULL) {
            continue;
        }
        if (controller.len == 0 && names.len == 0) {
            return path;
        }
        while (controller.len != 0 && names.ptr != NULL) {
            if (sp_str_eq(sp_str_cut(names, ',', &names), controller)) {
                return path;
            }
        }
    }
    return SP_STR("");
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The text of a file in a control group's folder; empty where the path would be too long. */
static sp_str_t read_in(const char *folder, const char *name, char *text)
{
    char path[PATH_TEXT_MAX];
    int len = snprintf(path, sizeof(path), "%s/%s", folder, name);

    return len < 0 || (size_t)len >= sizeof(path) ? SP_STR("") : read_text(path, text);
}

static unsigned quota_v2(const char *folder)
{
    char text[TEXT_MAX];

    return sp_cpus_of_quota(read_in(folder, "cpu.max", text));
}

static unsigned quota_v1(const char *folder)
{
    char quota[TEXT_MAX];
    char period[TEXT_MAX];
    char both[64];
    sp_str_t quota_text = sp_str_trim(read_in(folder, "cpu.cfs_quota_us", quota));
    sp_str_t period_text = sp_str_trim(read_in(folder, "cpu.cfs_period_us", period));

    if (quota_text.len > 20 || period_text.len > 20) {
        return 0;
    }
    (void)snprintf(both, sizeof(both), "%.*s %.*s", (int)quota_text.len, quota_text.ptr,
                   (int)period_text.len, period_text.ptr);
    return sp_cpus_of_quota(sp_str_from(both));
}

/* A quota binds at every level from the process's group up to the root. */
static unsigned quota_along(const char *root, sp_str_t path, unsigned (*quota_of)(const char *))
{
    unsigned quota = quota_of(root);

    while (path.len > 1) {
        char folder[PATH_TEXT_MAX];

        if (snprintf(folder, sizeof(folder), "%s%.*s", root, (int)path.len, path.ptr) <
            (int)sizeof(folder)) {
            quota = smaller(quota, quota_of(folder));
        }
        path.len = sp_str_find_last(path, '/');
    }
    return quota;
}

unsigned sp_cpus_usable(void)
{
    char text[TEXT_MAX];
    sp_str_t groups = read_text("/proc/self/cgroup", text);
    unsigned quota =
        smaller(quota_along("/sys/fs/cgroup", group_path(groups, SP_STR("")), quota_v2),
                quota_along("/sys/fs/cgroup/cpu", group_path(groups, SP_STR("cpu")), quota_v1));

    return smaller(by_affinity(), quota);
}
