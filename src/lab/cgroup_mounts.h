/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CGROUP_MOUNTS_H
#define SIGNPOST_LAB_CGROUP_MOUNTS_H

/* Where control groups are mounted, by /proc/self/mountinfo (proc(5)). */

#include <signpost/base/str.h>

#define SP_CGROUP_PATH_MAX 512

typedef enum sp_cgroup_branch {
    SP_CGROUP_CPUACCT, /* counts processor time */
    SP_CGROUP_CPU      /* limits it */
} sp_cgroup_branch_t;
#define SP_CGROUP_BRANCHES 2

/* Folders; empty where there is none. */
typedef struct sp_cgroup_mounts {
    char version_1[SP_CGROUP_BRANCHES][SP_CGROUP_PATH_MAX];
    char version_2[SP_CGROUP_PATH_MAX];
} sp_cgroup_mounts_t;

/* Lines of other shape are passed over, mount points with escaped characters too. The first mount
 * of a hierarchy counts. */
void sp_cgroup_mounts_parse(sp_str_t mountinfo, sp_cgroup_mounts_t *ret_mounts);

#endif
