/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_MEASURE_H
#define SIGNPOST_LAB_MEASURE_H

/* Counters of everything that takes part, read before and after a run. */

#include "lab/app_metrics.h"
#include "lab/counters.h"
#include "lab/scene.h"
#include "lab/usage.h"

typedef struct sp_lab_counts {
    uint64_t at_ns;
    sp_lab_machine_usage_t machine;
    double own_s; /* of all processes of the laboratory; negative: not known */
    sp_lab_group_usage_t groups[SP_LAB_INSTANCES_MAX + 1]; /* of the instances, then the relay */
    sp_net_counters_t net[SP_PLACE_COUNT];
    sp_impairment_count_t impairments[SP_IMPAIRMENT_COUNTS_MAX];
    size_t impairment_count;
    bool has_metrics; /* the application is signpost */
    sp_lab_app_metrics_t metrics;
    uint64_t throttled_ns, throttled;
} sp_lab_counts_t;

sp_status_t sp_lab_counts_read(const sp_lab_scene_t *scene, sp_lab_counts_t *ret_counts,
                               sp_error_t *err);

/* Puts "cpu", "dns", "tcp", "conntrack", "dropped_by_rules" and "memory_bytes" into a run's object:
 * what came between the two. `figures` is the generator's JSON, or NULL. Returns the foreign
 * processors. */
double sp_lab_counts_put(const sp_lab_scene_t *scene, const sp_lab_counts_t *before,
                         const sp_lab_counts_t *after, const json_t *figures, json_t *run);

#endif
