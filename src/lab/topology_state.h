/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_TOPOLOGY_STATE_H
#define SIGNPOST_LAB_TOPOLOGY_STATE_H

/* What a topology is made of; for the modules that build on its insides. */

#include <limits.h>

#include "lab/topology.h"

struct sp_topology {
    sp_capsule_t *capsule;
    sp_topology_options_t options;
    char signpost[PATH_MAX]; /* a copy */
    sp_netns_t netns[SP_PLACE_COUNT];
    sp_process_t relay;
};

#endif
