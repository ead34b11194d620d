/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CGROUP_H
#define SIGNPOST_LAB_CGROUP_H

/* Control groups, version 1 and 2: what all processes of a run used, and how much one may use.
 *
 * A group here is one name in up to three hierarchies: that which counts processor time, that which
 * limits it, and that which counts memory (in version 2 they are the same). Each may be missing;
 * the function that needs it then says so with SP_UNSUPPORTED. Softirq time is charged to no group.
 */

#include <signpost/base/error.h>
#include <sys/types.h>

typedef struct sp_cgroup sp_cgroup_t;

/* The group of all processes of a run; the capsule makes it (sp_capsule_cgroup). `name` is one path
 * component. Missing hierarchies are no error. */
sp_status_t sp_cgroup_create(const char *name, sp_cgroup_t **ret_group, sp_error_t *err);

/* A group within it, for one role. Its processor time counts for the parent as well. */
sp_status_t sp_cgroup_create_child(const sp_cgroup_t *parent, const char *name,
                                   sp_cgroup_t **ret_group, sp_error_t *err);

/* Removes it; its processes (which must be ending) have two seconds to leave. Accepts NULL. */
void sp_cgroup_destroy(sp_cgroup_t *group);

/* Only the memory of the object is freed, the group stays. Accepts NULL. */
void sp_cgroup_forget(sp_cgroup_t *group);

/* Moves a process in; its later children follow. 0: the calling one. */
sp_status_t sp_cgroup_enter(const sp_cgroup_t *group, pid_t pid, sp_error_t *err);

/* Processors that its processes may use together, 0.05 …; 0 lifts the limit. Periods of 100 ms. */
sp_status_t sp_cgroup_set_quota(const sp_cgroup_t *group, double cores, sp_error_t *err);

/* How often, and for how many ns in total, the quota has held its processes up. */
typedef struct sp_cgroup_throttled {
    uint64_t periods, throttled, throttled_ns;
} sp_cgroup_throttled_t;
sp_status_t sp_cgroup_throttled(const sp_cgroup_t *group, sp_cgroup_throttled_t *ret,
                                sp_error_t *err);

/* Nanoseconds of processor time since the group was made. */
sp_status_t sp_cgroup_cpu_ns(const sp_cgroup_t *group, uint64_t *ret_ns, sp_error_t *err);

/* What serves, for the report: "control groups, version 1". Static text. */
const char *sp_cgroup_says(const sp_cgroup_t *group);

#endif
