/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/topology_plan.h"

/* Every route names the congestion control: as a default of a namespace the kernel lets only those
 * be set that it calls non-restricted, which may leave none but its own default. Hence also no
 * route that comes by itself with an address (noprefixroute). */

static const char *congestion(const sp_topology_options_t *options)
{
    return options->congestion == NULL ? "cubic" : options->congestion;
}

static unsigned replica_count(const sp_topology_options_t *options)
{
    return options->replicas == 0 ? 2 : options->replicas;
}

static bool has_bridge(const sp_topology_options_t *options)
{
    return options->datapath != SP_DATAPATH_ROUTED;
}

bool sp_topology_has_place(const sp_topology_options_t *options, sp_place_t place)
{
    return place != SP_PLACE_CLIENT || options->datapath != SP_DATAPATH_LOOPBACK;
}

/* `via` NULL: the network is on the wire itself. */
static void add_route(const sp_topology_options_t *options, const char *network, const char *device,
                      const char *via, sp_buf_t *buf)
{
    sp_buf_printf(buf, "route add %s%s%s dev %s congctl %s\n", network, via == NULL ? "" : " via ",
                  via == NULL ? "" : via, device, congestion(options));
}

static void add_address(const sp_topology_options_t *options, const char *device,
                        const char *address, const char *network, sp_buf_t *buf)
{
    sp_buf_printf(buf, "address add %s/24 dev %s noprefixroute\nlink set %s up\n", address, device,
                  device);
    add_route(options, network, device, NULL, buf);
}

static void add_wire(const char *place, const char *device, const char *far_place,
                     const char *far_device, sp_buf_t *buf)
{
    sp_buf_printf(buf, "link add %s netns %s type veth peer name %s netns %s\n", device, place,
                  far_device, far_place);
}

void sp_topology_plan_wires(const sp_topology_options_t *options, sp_buf_t *buf)
{
    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        if (sp_topology_has_place(options, (sp_place_t)i)) {
            sp_buf_printf(buf, "netns add %s\n", sp_place_name((sp_place_t)i));
        }
    }
    if (sp_topology_has_place(options, SP_PLACE_CLIENT)) {
        add_wire("node", "client", "client", "eth0", buf);
    }
    add_wire("node", has_bridge(options) ? "pod" : "cni0", "pod", "eth0", buf);
    add_wire("node", "wire", "cluster", "wire", buf);
    add_wire("cluster", "wan1", "upstream", "wan1", buf);
    add_wire("node", "wan2", "upstream", "wan2", buf);
}

void sp_topology_plan_datapath(const sp_topology_options_t *options, sp_buf_t *buf)
{
    if (options->datapath == SP_DATAPATH_MACVLAN) {
        sp_buf_append(buf, SP_STR("link add link client name macvlan netns pod type macvlan mode "
                                  "bridge\n"));
    }
}

void sp_topology_plan_client(const sp_topology_options_t *options, sp_buf_t *buf)
{
    if (!sp_topology_has_place(options, SP_PLACE_CLIENT)) {
        return;
    }
    sp_buf_append(buf, SP_STR("link set lo up\n"));
    add_address(options, "eth0", "198.18.0.2", "198.18.0.0/24", buf);
    add_route(options, "default", "eth0", "198.18.0.1", buf);
    if (options->datapath == SP_DATAPATH_VXLAN) {
        sp_buf_append(buf, SP_STR("link add vxlan type vxlan id 7 local 198.18.0.2 remote "
                                  "198.18.0.1 dstport 4789 dev eth0\n"));
        add_address(options, "vxlan", "10.32.9.2", "10.32.9.0/24", buf);
        add_route(options, "10.32.1.0/24", "vxlan", "10.32.9.1", buf);
    }
}

void sp_topology_plan_pod(const sp_topology_options_t *options, sp_buf_t *buf)
{
    sp_buf_append(buf, SP_STR("link set lo up\n"));
    add_address(options, "eth0", SP_ADDRESS_POD, "10.32.1.0/24", buf);
    add_route(options, "default", "eth0", "10.32.1.1", buf);
    if (options->datapath == SP_DATAPATH_MACVLAN) {
        add_address(options, "macvlan", "198.18.0.3", "198.18.0.0/24", buf);
    }
}

void sp_topology_plan_node(const sp_topology_options_t *options, sp_buf_t *buf)
{
    sp_buf_append(buf, SP_STR("link set lo up\naddress add " SP_ADDRESS_NODE_LOCAL "/32 dev lo\n"));
    if (sp_topology_has_place(options, SP_PLACE_CLIENT)) {
        add_address(options, "client", "198.18.0.1", "198.18.0.0/24", buf);
    }
    if (has_bridge(options)) {
        sp_buf_append(buf, SP_STR("link add cni0 type bridge\nlink set pod master cni0\n"
                                  "link set pod up\n"));
    }
    add_address(options, "cni0", "10.32.1.1", "10.32.1.0/24", buf);
    if (options->datapath == SP_DATAPATH_VXLAN) {
        sp_buf_append(buf, SP_STR("link add vxlan type vxlan id 7 local 198.18.0.1 remote "
                                  "198.18.0.2 dstport 4789 dev client\n"));
        add_address(options, "vxlan", "10.32.9.1", "10.32.9.0/24", buf);
    }
    add_address(options, "wire", "10.32.0.1", "10.32.0.0/24", buf);
    add_route(options, "10.32.2.0/24", "wire", "10.32.0.2", buf);
    /* DNAT in OUTPUT needs a route to what is still the ClusterIP. */
    add_route(options, "10.96.0.0/12", "wire", "10.32.0.2", buf);
    add_address(options, "wan2", "10.34.0.1", "10.34.0.0/24", buf);
    add_route(options, SP_ADDRESS_UPSTREAM "/32", "wan2", "10.34.0.53", buf);
}

void sp_topology_plan_cluster(const sp_topology_options_t *options, sp_buf_t *buf)
{
    sp_buf_append(buf, SP_STR("link set lo up\n"));
    for (unsigned i = 0; i != replica_count(options); ++i) {
        sp_buf_printf(buf, "address add 10.32.2.%u/32 dev lo\n", 11 + i);
    }
    add_address(options, "wire", "10.32.0.2", "10.32.0.0/24", buf);
    /* No default route: what is for no replica would go to and fro between here and node. */
    add_route(options, "10.32.0.0/16", "wire", "10.32.0.1", buf);
    add_route(options, "198.18.0.0/24", "wire", "10.32.0.1", buf);
    add_address(options, "wan1", "10.33.0.1", "10.33.0.0/24", buf);
}

void sp_topology_plan_upstream(const sp_topology_options_t *options, sp_buf_t *buf)
{
    sp_buf_append(buf, SP_STR("link set lo up\n"));
    add_address(options, "wan1", SP_ADDRESS_UPSTREAM, "10.33.0.0/24", buf);
    add_route(options, "10.32.0.0/16", "wan1", "10.33.0.1", buf);
    add_address(options, "wan2", "10.34.0.53", "10.34.0.0/24", buf);
    add_route(options, "10.32.1.0/24", "wan2", "10.34.0.1", buf);
    add_route(options, "198.18.0.0/24", "wan2", "10.34.0.1", buf);
}

/* The n-th of N gets what is left with probability 1/(N-n): all get the same share. */
static void plan_replicas(const sp_topology_options_t *options, sp_buf_t *buf)
{
    unsigned count = replica_count(options);

    for (unsigned i = 0; i != count; ++i) {
        sp_buf_append(buf, SP_STR("-A KUBE-SVC-DNS"));
        if (i + 1 != count) {
            sp_buf_printf(buf, " -m statistic --mode random --probability %.8f",
                          1.0 / (double)(count - i));
        }
        sp_buf_printf(buf, " -j KUBE-SEP-%u\n", i + 1);
    }
    for (unsigned i = 0; i != count; ++i) {
        sp_buf_printf(buf,
                      "-A KUBE-SEP-%u -p udp -j DNAT --to-destination 10.32.2.%u\n"
                      "-A KUBE-SEP-%u -p tcp -j DNAT --to-destination 10.32.2.%u\n",
                      i + 1, 11 + i, i + 1, 11 + i);
    }
}

static void plan_services(const sp_topology_options_t *options, sp_buf_t *buf)
{
    static const char *const services[] = {SP_ADDRESS_CLUSTER_IP, SP_ADDRESS_CLUSTER_IP_2};
    static const char *const ports[] = {"udp --dport 53", "tcp --dport 53", "tcp --dport 853"};

    sp_buf_append(buf, SP_STR("*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-SVC-DNS - [0:0]\n"));
    for (unsigned i = 0; i != replica_count(options); ++i) {
        sp_buf_printf(buf, ":KUBE-SEP-%u - [0:0]\n", i + 1);
    }
    sp_buf_append(buf, SP_STR("-A PREROUTING -j KUBE-SERVICES\n-A OUTPUT -j KUBE-SERVICES\n"));
    for (size_t i = 0; i != SP_COUNT(services); ++i) {
        for (size_t k = 0; k != SP_COUNT(ports); ++k) {
            sp_buf_printf(buf, "-A KUBE-SERVICES -d %s/32 -p %s -j KUBE-SVC-DNS\n", services[i],
                          ports[k]);
        }
    }
    plan_replicas(options, buf);
    if (options->datapath == SP_DATAPATH_RELAY) {
        sp_buf_printf(buf,
                      "-A PREROUTING -i client -d " SP_ADDRESS_POD
                      "/32 -p tcp -j REDIRECT --to-ports %d\n",
                      SP_RELAY_PORT);
    }
    sp_buf_append(buf, SP_STR("COMMIT\n"));
}

static void plan_untracked(sp_buf_t *buf)
{
    static const char *const protocols[] = {"udp", "tcp"};

    sp_buf_append(buf, SP_STR("*raw\n"));
    for (size_t i = 0; i != SP_COUNT(protocols); ++i) {
        sp_buf_printf(
            buf,
            "-A PREROUTING -d " SP_ADDRESS_NODE_LOCAL "/32 -p %s --dport 53 -j CT --notrack\n"
            "-A OUTPUT -s " SP_ADDRESS_NODE_LOCAL "/32 -p %s --sport 53 -j CT --notrack\n",
            protocols[i], protocols[i]);
    }
    sp_buf_append(buf, SP_STR("COMMIT\n"));
}

void sp_topology_plan_rules(const sp_topology_options_t *options, sp_buf_t *buf)
{
    plan_services(options, buf);
    plan_untracked(buf);
}

void sp_topology_plan_down(const sp_topology_options_t *options, sp_buf_t *buf)
{
    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        if (sp_topology_has_place(options, (sp_place_t)i)) {
            sp_buf_printf(buf, "netns delete %s\n", sp_place_name((sp_place_t)i));
        }
    }
}
