/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/topology_plan.h"

#include <criterion/criterion.h>
#include <string.h>

typedef void planner_t(const sp_topology_options_t *options, sp_buf_t *buf);

static const sp_topology_options_t defaults = {.datapath = SP_DATAPATH_BRIDGE};

/* A plan as text; the arena's until it is cleared. */
static const char *plan(planner_t *planner, const sp_topology_options_t *options, sp_arena_t *arena)
{
    sp_buf_t buf;

    sp_buf_init(&buf, arena, 65536);
    planner(options, &buf);
    sp_buf_append_char(&buf, '\0');
    cr_assert_eq(buf.status, SP_OK);
    return sp_buf_str(&buf).ptr;
}

static bool has(planner_t *planner, sp_topology_options_t options, const char *text)
{
    sp_arena_t arena;
    bool found;

    sp_arena_init(&arena, NULL, 0, 8192);
    found = strstr(plan(planner, &options, &arena), text) != NULL;
    sp_arena_clear(&arena);
    return found;
}

Test(lab_topology_plan, wires_all_places)
{
    sp_arena_t arena;

    sp_arena_init(&arena, NULL, 0, 8192);
    cr_expect_str_eq(plan(sp_topology_plan_wires, &defaults, &arena),
                     "netns add client\nnetns add pod\nnetns add node\nnetns add cluster\n"
                     "netns add upstream\n"
                     "link add client netns node type veth peer name eth0 netns client\n"
                     "link add pod netns node type veth peer name eth0 netns pod\n"
                     "link add wire netns node type veth peer name wire netns cluster\n"
                     "link add wan1 netns cluster type veth peer name wan1 netns upstream\n"
                     "link add wan2 netns node type veth peer name wan2 netns upstream\n");
    cr_expect_str_eq(plan(sp_topology_plan_down, &defaults, &arena),
                     "netns delete client\nnetns delete pod\nnetns delete node\n"
                     "netns delete cluster\nnetns delete upstream\n");
    sp_arena_clear(&arena);
}

Test(lab_topology_plan, every_route_names_the_congestion_control)
{
    static planner_t *const planners[] = {sp_topology_plan_client, sp_topology_plan_pod,
                                          sp_topology_plan_node, sp_topology_plan_cluster,
                                          sp_topology_plan_upstream};
    sp_arena_t arena;
    size_t routes = 0;

    sp_arena_init(&arena, NULL, 0, 8192);
    for (unsigned path = 0; path != SP_DATAPATH_COUNT; ++path) {
        for (size_t i = 0; i != SP_COUNT(planners); ++i) {
            sp_topology_options_t options = {.datapath = (sp_datapath_t)path, .congestion = "reno"};
            sp_str_t text = sp_str_from(plan(planners[i], &options, &arena));

            while (text.ptr != NULL) {
                sp_str_t line = sp_str_cut(text, '\n', &text);
                bool is_route = sp_str_starts_with(line, SP_STR("route "));
                bool is_address = sp_str_starts_with(line, SP_STR("address ")) &&
                                  !sp_str_ends_with(line, SP_STR("dev lo"));

                routes += is_route;
                cr_expect_eq(sp_str_ends_with(line, SP_STR(" congctl reno")), is_route, "%.*s",
                             (int)line.len, line.ptr);
                cr_expect_eq(sp_str_ends_with(line, SP_STR(" noprefixroute")), is_address, "%.*s",
                             (int)line.len, line.ptr);
            }
        }
    }
    cr_expect_gt(routes, 90U);
    sp_arena_clear(&arena);
    cr_expect(has(sp_topology_plan_pod, defaults,
                  "route add default via 10.32.1.1 dev eth0 congctl cubic\n"));
}

Test(lab_topology_plan, each_datapath_has_its_own)
{
    const sp_topology_options_t routed = {.datapath = SP_DATAPATH_ROUTED};
    const sp_topology_options_t loopback = {.datapath = SP_DATAPATH_LOOPBACK};
    const sp_topology_options_t vxlan = {.datapath = SP_DATAPATH_VXLAN};
    const sp_topology_options_t macvlan = {.datapath = SP_DATAPATH_MACVLAN};
    const sp_topology_options_t relay = {.datapath = SP_DATAPATH_RELAY};

    cr_expect(has(sp_topology_plan_node, defaults, "type bridge"));
    cr_expect_not(has(sp_topology_plan_node, routed, "type bridge"));
    cr_expect(has(sp_topology_plan_wires, routed, "link add cni0 netns node type veth"));
    cr_expect_not(has(sp_topology_plan_wires, loopback, "client"));
    cr_expect_not(has(sp_topology_plan_down, loopback, "client"));
    cr_expect_not(has(sp_topology_plan_client, loopback, "l"));
    cr_expect(has(sp_topology_plan_client, vxlan, "type vxlan id 7"));
    cr_expect(has(sp_topology_plan_node, vxlan, "type vxlan id 7"));
    cr_expect(has(sp_topology_plan_datapath, macvlan, "netns pod type macvlan"));
    cr_expect_not(has(sp_topology_plan_datapath, defaults, "l"));
    cr_expect(has(sp_topology_plan_rules, relay, "REDIRECT --to-ports 9001"));
    cr_expect_not(has(sp_topology_plan_rules, defaults, "REDIRECT"));
}

Test(lab_topology_plan, replicas_get_equal_shares)
{
    const sp_topology_options_t one = {.replicas = 1};
    const sp_topology_options_t three = {.replicas = 3};

    cr_expect(has(sp_topology_plan_rules, defaults,
                  "-A KUBE-SVC-DNS -m statistic --mode random --probability 0.50000000 -j "
                  "KUBE-SEP-1\n-A KUBE-SVC-DNS -j KUBE-SEP-2\n-A KUBE-SEP-1 "));
    cr_expect(has(sp_topology_plan_rules, one, "\n-A KUBE-SVC-DNS -j KUBE-SEP-1\n-A KUBE-SEP-1 "));
    cr_expect(
        has(sp_topology_plan_rules, three,
            "--probability 0.33333333 -j KUBE-SEP-1\n-A KUBE-SVC-DNS -m statistic --mode "
            "random --probability 0.50000000 -j KUBE-SEP-2\n-A KUBE-SVC-DNS -j KUBE-SEP-3\n"));
    cr_expect(has(sp_topology_plan_cluster, three, "address add 10.32.2.13/32 dev lo\n"));
    cr_expect_not(has(sp_topology_plan_cluster, three, "10.32.2.14"));
}

Test(lab_topology_plan, both_cluster_addresses_serve_dns_and_dns_over_tls)
{
    static const char *const rules[] = {
        "-A KUBE-SERVICES -d 10.96.0.10/32 -p udp --dport 53 -j KUBE-SVC-DNS\n",
        "-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp --dport 53 -j KUBE-SVC-DNS\n",
        "-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp --dport 853 -j KUBE-SVC-DNS\n",
        "-A KUBE-SERVICES -d 10.96.0.11/32 -p udp --dport 53 -j KUBE-SVC-DNS\n",
        "-A PREROUTING -d 169.254.20.10/32 -p udp --dport 53 -j CT --notrack\n",
        "-A OUTPUT -s 169.254.20.10/32 -p tcp --sport 53 -j CT --notrack\n",
    };

    for (size_t i = 0; i != SP_COUNT(rules); ++i) {
        cr_expect(has(sp_topology_plan_rules, defaults, rules[i]), "%s", rules[i]);
    }
}

Test(lab_topology_plan, names_are_read_as_they_are_written)
{
    sp_place_t place = SP_PLACE_CLIENT;
    sp_datapath_t datapath = SP_DATAPATH_BRIDGE;
    sp_wire_t wire = SP_WIRE_CLIENT;

    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        cr_expect(sp_place_from_name(sp_str_from(sp_place_name((sp_place_t)i)), &place));
        cr_expect_eq((unsigned)place, i);
    }
    for (unsigned i = 0; i != SP_DATAPATH_COUNT; ++i) {
        cr_expect(
            sp_datapath_from_name(sp_str_from(sp_datapath_name((sp_datapath_t)i)), &datapath));
        cr_expect_eq((unsigned)datapath, i);
    }
    for (unsigned i = 0; i != SP_WIRE_COUNT; ++i) {
        cr_expect(sp_wire_from_name(sp_str_from(sp_wire_name((sp_wire_t)i)), &wire));
        cr_expect_eq((unsigned)wire, i);
    }
    cr_expect_not(sp_place_from_name(SP_STR("pods"), &place));
    cr_expect_not(sp_datapath_from_name(SP_STR(""), &datapath));
    cr_expect_not(sp_wire_from_name(SP_STR("node"), &wire));
    cr_expect_eq(wire, SP_WIRE_WAN2);
}
