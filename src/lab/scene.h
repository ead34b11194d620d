/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_SCENE_H
#define SIGNPOST_LAB_SCENE_H

/* One set-up, built up for one run: network, servers, application; then its impairments. */

#include "lab/instance.h"

#define SP_LAB_INSTANCES_MAX (SP_LAB_ROLES_MAX + 1)

/* What all runs of an invocation share. */
typedef struct sp_lab_session {
    sp_capsule_t *capsule;
    sp_lab_library_t *library;
    bool machine_wide; /* may the limit of conntrack be touched? */
    char folder[SP_LAB_PATH_MAX];
    json_t *versions;
} sp_lab_session_t;

typedef struct sp_lab_scene {
    sp_lab_session_t *session;
    const sp_lab_experiment_t *experiment;
    const sp_lab_case_t *one;
    sp_topology_t *topology;
    sp_lab_variables_t variables;
    sp_arena_t arena; /* of texts that variables point to */
    sp_lab_stage_t stage;
    char folder[SP_LAB_PATH_MAX], targets[SP_LAB_PATH_MAX];
    sp_lab_instance_t instances[SP_LAB_INSTANCES_MAX];
    size_t instance_count;
    sp_lab_instance_t *app; /* one of them, or NULL */
    sp_lab_use_t app_use;   /* as the set-up has it, with its resolver */
    const char *resolver[1];
    sp_cgroup_t *app_group; /* or NULL */
    sp_impairments_t *impairments;
    json_t *roles;    /* what runs, for the result */
    char connect[64]; /* ADDRESS:PORT of the application */
} sp_lab_scene_t;

/* SP_UNSUPPORTED: this machine can't; the message says what. After any result
 * sp_lab_scene_down is due. */
sp_status_t sp_lab_scene_up(sp_lab_session_t *session, const sp_lab_experiment_t *experiment,
                            const sp_lab_case_t *one, sp_lab_scene_t *scene, sp_error_t *err);

/* With the servers up: caches filled, then the impairments applied. */
sp_status_t sp_lab_scene_impair(sp_lab_scene_t *scene, sp_error_t *err);

/* Is everything that was started still there, save for what an event has killed? */
sp_status_t sp_lab_scene_check(const sp_lab_scene_t *scene, sp_error_t *err);

sp_lab_instance_t *sp_lab_scene_instance(sp_lab_scene_t *scene, const char *name);

void sp_lab_scene_down(sp_lab_scene_t *scene);

#endif
