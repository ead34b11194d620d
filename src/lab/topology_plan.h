/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_TOPOLOGY_PLAN_H
#define SIGNPOST_LAB_TOPOLOGY_PLAN_H

/* The topology as text for the tools that build it; nothing is done here. */

#include <signpost/base/buf.h>

#include "lab/topology.h"

/* Where the relay listens, in node; SP_DATAPATH_RELAY redirects to it. */
#define SP_RELAY_PORT 9001

/* For `ip -batch`, in the capsule's own namespace: namespaces and wires. */
void sp_topology_plan_wires(const sp_topology_options_t *options, sp_buf_t *buf);

/* For `ip -n PLACE -batch`: addresses, routes, and what the datapath adds. Empty for a place that
 * does not exist under this datapath. */
void sp_topology_plan_client(const sp_topology_options_t *options, sp_buf_t *buf);
void sp_topology_plan_pod(const sp_topology_options_t *options, sp_buf_t *buf);
void sp_topology_plan_node(const sp_topology_options_t *options, sp_buf_t *buf);
void sp_topology_plan_cluster(const sp_topology_options_t *options, sp_buf_t *buf);
void sp_topology_plan_upstream(const sp_topology_options_t *options, sp_buf_t *buf);

/* For `ip -n node -batch`, before the places: interfaces of the datapath that node makes for
 * another place. */
void sp_topology_plan_datapath(const sp_topology_options_t *options, sp_buf_t *buf);

/* For iptables-restore, in node: the ClusterIPs, the node-local cache, the relay. */
void sp_topology_plan_rules(const sp_topology_options_t *options, sp_buf_t *buf);

/* For `ip -batch`: the namespaces' ends. */
void sp_topology_plan_down(const sp_topology_options_t *options, sp_buf_t *buf);

/* Is a place a namespace of its own? */
bool sp_topology_has_place(const sp_topology_options_t *options, sp_place_t place);

#endif
