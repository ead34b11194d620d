/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_TOPOLOGY_H
#define SIGNPOST_LAB_TOPOLOGY_H

/* The small cluster: five network namespaces and the wires between them, none of which leads out.
 *
 *   client 198.18.0.2 --- 198.18.0.1 node 10.32.0.1 --wire-- 10.32.0.2 cluster 10.33.0.1
 *   pod 10.32.1.2 --- cni0 10.32.1.1 ´ ` wan2 (10.34.0.1)            | wan1
 *                                             `---- 10.34.0.53 upstream 10.33.0.53
 *
 * The DNS replicas' addresses 10.32.2.11, .12 … are on lo of cluster, the node-local cache's
 * 169.254.20.10 on lo of node. The ClusterIP 10.96.0.10 exists only as DNAT in node (PREROUTING and
 * OUTPUT), at random over the replicas, for port 53 by UDP and TCP and port 853 by TCP; 10.96.0.11
 * is the same once more, for the node-local cache's own upstream. What goes to or comes from the
 * node-local cache is not tracked, as in reality. From node and pod, 10.33.0.53 is reached over
 * wan2
 * ("spread"), from cluster over wan1. IPv6 is off. */

#include "lab/capsule.h"
#include "lab/spawn.h"

typedef enum sp_place {
    SP_PLACE_CLIENT,
    SP_PLACE_POD,
    SP_PLACE_NODE,
    SP_PLACE_CLUSTER,
    SP_PLACE_UPSTREAM
} sp_place_t;
#define SP_PLACE_COUNT 5

/* The way of the application's traffic between client and pod. */
typedef enum sp_datapath {
    SP_DATAPATH_BRIDGE,   /* the pod's veth is a port of a bridge in node */
    SP_DATAPATH_ROUTED,   /* the pod's veth ends in node, without bridge */
    SP_DATAPATH_LOOPBACK, /* client and pod are one namespace: no network at all */
    SP_DATAPATH_VXLAN,    /* as bridge, but client to node inside VXLAN */
    SP_DATAPATH_MACVLAN,  /* the pod has a macvlan on node's interface towards the client */
    SP_DATAPATH_RELAY     /* as bridge, but node redirects all TCP to a relay in user space */
} sp_datapath_t;
#define SP_DATAPATH_COUNT 6

/* Wires that can be impaired. */
typedef enum sp_wire {
    SP_WIRE_CLIENT, /* client – node */
    SP_WIRE_POD,    /* pod – node */
    SP_WIRE_NODE,   /* node – cluster */
    SP_WIRE_WAN1,   /* cluster – upstream */
    SP_WIRE_WAN2    /* node – upstream */
} sp_wire_t;
#define SP_WIRE_COUNT 5

#define SP_TOPOLOGY_REPLICAS_MAX 8

#define SP_ADDRESS_CLUSTER_IP "10.96.0.10"
#define SP_ADDRESS_CLUSTER_IP_2 "10.96.0.11"
#define SP_ADDRESS_NODE_LOCAL "169.254.20.10"
#define SP_ADDRESS_UPSTREAM "10.33.0.53"
#define SP_ADDRESS_POD "10.32.1.2"

/* "client", "pod", …; "bridge", …; "client-node", "pod-node", "node-cluster", "cluster-upstream",
 * "node-upstream". */
const char *sp_place_name(sp_place_t place);
const char *sp_datapath_name(sp_datapath_t datapath);
const char *sp_wire_name(sp_wire_t wire);
bool sp_place_from_name(sp_str_t name, sp_place_t *ret_place);
bool sp_datapath_from_name(sp_str_t name, sp_datapath_t *ret_datapath);
bool sp_wire_from_name(sp_str_t name, sp_wire_t *ret_wire);

typedef struct sp_topology_options {
    sp_datapath_t datapath;
    unsigned replicas;      /* 10.32.2.11 …; 0: two */
    const char *signpost;   /* SP_DATAPATH_RELAY: this program, which is the relay as well */
    const char *congestion; /* of TCP, on all routes; NULL: "cubic" */
} sp_topology_options_t;

typedef struct sp_topology sp_topology_t;

/* Builds it in the capsule. SP_UNSUPPORTED: this kernel lacks something; the message names it, to
 * be shown behind "not possible here: ". SP_NOT_FOUND: a tool is missing. Takes some tenths of a
 * second. */
sp_status_t sp_topology_up(sp_capsule_t *capsule, const sp_topology_options_t *options,
                           sp_topology_t **ret_topology, sp_error_t *err);

/* The processes in it must have ended (sp_capsule_end_processes). Accepts NULL. */
void sp_topology_down(sp_topology_t *topology);

/* For sp_spawn. Under SP_DATAPATH_LOOPBACK the client's is the pod's. */
const sp_netns_t *sp_topology_netns(const sp_topology_t *topology, sp_place_t place);

/* Where the client finds the application, and where the application is to listen (they are the same
 * address on every datapath, but not the same on all of them). */
const char *sp_topology_app_address(const sp_topology_t *topology);

/* Replica 0, 1, …: "10.32.2.11". */
const char *sp_topology_replica_address(const sp_topology_t *topology, unsigned replica);

/* The relay's process (for its processor time), or 0. */
pid_t sp_topology_relay_pid(const sp_topology_t *topology);

/* Opens a file below /proc/thread-self/net or /proc/sys/net as it looks in that place; -1 and
 * errno. */
int sp_topology_open(const sp_topology_t *topology, sp_place_t place, const char *path, int flags);

/* The two ends of a wire: where, the interface, and the name under which iptables sees what arrives
 * there (the bridge's, where the interface is a port of one). */
typedef struct sp_wire_end {
    sp_place_t place;
    const char *device;
    const char *input;
} sp_wire_end_t;
void sp_topology_wire(const sp_topology_t *topology, sp_wire_t wire, sp_wire_end_t ret_ends[2]);

#endif
