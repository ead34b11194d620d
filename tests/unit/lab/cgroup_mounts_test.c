/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/cgroup_mounts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static sp_cgroup_mounts_t parse(const char *text)
{
    sp_cgroup_mounts_t mounts;

    sp_cgroup_mounts_parse(sp_str_from(text), &mounts);
    return mounts;
}

Test(lab_cgroup_mounts, finds_a_hybrid_machine)
{
    sp_cgroup_mounts_t mounts =
        parse("27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
              "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
              "35 31 0:32 / /sys/fs/cgroup/cpuset rw shared:9 - cgroup cgroup rw,cpuset\n"
              "41 31 0:38 / /sys/fs/cgroup/unified rw shared:1 master:2 - cgroup2 cgroup2 rw\n");

    cr_expect_str_eq(mounts.version_1[SP_CGROUP_CPU], "/sys/fs/cgroup/cpu,cpuacct");
    cr_expect_str_eq(mounts.version_1[SP_CGROUP_CPUACCT], "/sys/fs/cgroup/cpu,cpuacct");
    cr_expect_str_eq(mounts.version_2, "/sys/fs/cgroup/unified");
}

Test(lab_cgroup_mounts, finds_version_2_alone_and_the_first_of_two)
{
    sp_cgroup_mounts_t mounts =
        parse("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
              "31 23 0:26 / /mnt/other rw - cgroup2 none rw\n");

    cr_expect_str_eq(mounts.version_2, "/sys/fs/cgroup");
    cr_expect_str_empty(mounts.version_1[SP_CGROUP_CPU]);
    cr_expect_str_empty(mounts.version_1[SP_CGROUP_CPUACCT]);
}

Test(lab_cgroup_mounts, a_controller_is_a_whole_word)
{
    sp_cgroup_mounts_t mounts = parse("35 31 0:32 / /c rw - cgroup cgroup rw,cpuset,xcpu,cpu2\n");

    cr_expect_str_empty(mounts.version_1[SP_CGROUP_CPU]);
}

Test(lab_cgroup_mounts, passes_over_what_it_does_not_understand)
{
    char text[2 * SP_CGROUP_PATH_MAX];
    char path[SP_CGROUP_PATH_MAX + 1];

    cr_expect_str_empty(parse("").version_2);
    cr_expect_str_empty(parse("30 23 0:26 / /a\\040b rw - cgroup2 c rw\n").version_2);
    cr_expect_str_empty(parse("30 23 0:26 - cgroup2 c rw\n").version_2);
    cr_expect_str_empty(parse("30 23 0:26 / /a rw cgroup2 c rw\n").version_2);
    for (size_t len = SP_CGROUP_PATH_MAX - 1; len <= SP_CGROUP_PATH_MAX; ++len) {
        memset(path, 'a', len);
        path[0] = '/';
        path[len] = '\0';
        (void)snprintf(text, sizeof(text), "30 23 0:26 / %s rw - cgroup2 c rw\n", path);
        cr_expect_str_eq(parse(text).version_2, len < SP_CGROUP_PATH_MAX ? path : "", "%zu", len);
    }
}
