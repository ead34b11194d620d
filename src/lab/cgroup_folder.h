/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CGROUP_FOLDER_H
#define SIGNPOST_LAB_CGROUP_FOLDER_H

/* Control groups by their names alone: what is needed to put things back after a run whose objects
 * are gone. */

#include "lab/cgroup_mounts.h"

/* The group of a top group's own processes, in version 2. */
#define SP_CGROUP_LEAF "all"

void sp_cgroup_mounts_read(sp_cgroup_mounts_t *ret_mounts);

/* In version 2, has `cpu` to be switched on at the top before a group can be limited? */
bool sp_cgroup_cpu_is_off(void);

/* Does that, or takes it back; where it fails, groups count but cannot limit. */
void sp_cgroup_cpu_switch(bool on);

/* Removes a group and those directly in it; processes that are just ending have two seconds. */
void sp_cgroup_folder_remove(const char *path);

/* The same in all hierarchies, by the group's name. */
void sp_cgroup_name_remove(const char *name);

/* Moves the caller to the top of all hierarchies, so that its group can be removed. */
void sp_cgroup_leave(void);

#endif
