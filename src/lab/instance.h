/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_INSTANCE_H
#define SIGNPOST_LAB_INSTANCE_H

/* A role at work: its files written, its process started, seen to serve. */

#include "lab/command.h"
#include "lab/topology.h"

/* What all instances of a run are made with. */
typedef struct sp_lab_stage {
    sp_capsule_t *capsule;
    sp_lab_library_t *library;
    const sp_topology_t *topology;
    const sp_lab_variables_t *variables; /* those that hold for all */
    const char *folder;                  /* where instances have theirs */
    json_t *versions;                    /* role → what it says, so that each is asked once */
} sp_lab_stage_t;

typedef struct sp_lab_instance {
    const sp_lab_use_t *use;
    const sp_lab_role_t *role;
    const sp_lab_role_t *in_place_of;
    char folder[SP_LAB_PATH_MAX];
    const char *address;
    unsigned port;
    const char *ready_path; /* while it is started */
    sp_process_t process;
} sp_lab_instance_t;

/* What one start needs besides the stage. */
typedef struct sp_lab_start {
    const sp_lab_use_t *use;
    const char *address; /* used where the use has none */
    sp_cgroup_t *cgroup; /* or NULL */
    uint64_t cpus;       /* 0: all */
} sp_lab_start_t;

/* Starts it and waits until it serves. It is an error when something answers at its address before.
 * *ret_says, when not NULL, gets its entry of the result's "roles". SP_UNSUPPORTED: asked to stop.
 */
sp_status_t sp_lab_instance_start(const sp_lab_stage_t *stage, const sp_lab_start_t *start,
                                  sp_lab_instance_t *ret_instance, json_t **ret_says,
                                  sp_error_t *err);
void sp_lab_instance_end(sp_lab_instance_t *instance);

/* Is the process that was started still there? */
sp_status_t sp_lab_instance_check(const sp_lab_instance_t *instance, sp_error_t *err);

#endif
