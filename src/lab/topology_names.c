/* SPDX-License-Identifier: Apache-2.0 */

/* What places, wires and datapaths are called in experiment files. */

#include "lab/topology.h"

static const char *const places[SP_PLACE_COUNT] = {
    [SP_PLACE_CLIENT] = "client",   [SP_PLACE_POD] = "pod",           [SP_PLACE_NODE] = "node",
    [SP_PLACE_CLUSTER] = "cluster", [SP_PLACE_UPSTREAM] = "upstream",
};

static const char *const datapaths[SP_DATAPATH_COUNT] = {
    [SP_DATAPATH_BRIDGE] = "bridge",     [SP_DATAPATH_ROUTED] = "routed",
    [SP_DATAPATH_LOOPBACK] = "loopback", [SP_DATAPATH_VXLAN] = "vxlan",
    [SP_DATAPATH_MACVLAN] = "macvlan",   [SP_DATAPATH_RELAY] = "relay",
};

static const char *const wires[SP_WIRE_COUNT] = {
    [SP_WIRE_CLIENT] = "client-node", [SP_WIRE_POD] = "pod-node",
    [SP_WIRE_NODE] = "node-cluster",  [SP_WIRE_WAN1] = "cluster-upstream",
    [SP_WIRE_WAN2] = "node-upstream",
};

/* Its index; `count` when it is none of them. */
static size_t find(const char *const *names, size_t count, sp_str_t name)
{
    size_t i = 0;

    while (i != count && !sp_str_eq(sp_str_from(names[i]), name)) {
        ++i;
    }
    return i;
}

const char *sp_place_name(sp_place_t place)
{
    return places[place];
}

const char *sp_datapath_name(sp_datapath_t datapath)
{
    return datapaths[datapath];
}

const char *sp_wire_name(sp_wire_t wire)
{
    return wires[wire];
}

bool sp_place_from_name(sp_str_t name, sp_place_t *ret_place)
{
    size_t found = find(places, SP_PLACE_COUNT, name);

    if (found != SP_PLACE_COUNT) {
        *ret_place = (sp_place_t)found;
    }
    return found != SP_PLACE_COUNT;
}

bool sp_datapath_from_name(sp_str_t name, sp_datapath_t *ret_datapath)
{
    size_t found = find(datapaths, SP_DATAPATH_COUNT, name);

    if (found != SP_DATAPATH_COUNT) {
        *ret_datapath = (sp_datapath_t)found;
    }
    return found != SP_DATAPATH_COUNT;
}

bool sp_wire_from_name(sp_str_t name, sp_wire_t *ret_wire)
{
    size_t found = find(wires, SP_WIRE_COUNT, name);

    if (found != SP_WIRE_COUNT) {
        *ret_wire = (sp_wire_t)found;
    }
    return found != SP_WIRE_COUNT;
}
