/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/kernel_file.h"
#include "lab/relay.h"
#include "lab/topology_plan.h"
#include "lab/topology_state.h"

#define PLAN_MAX 16384
#define PLAN_MEMORY 4096
#define GRACE_MS 1000

static const char *const replica_addresses[SP_TOPOLOGY_REPLICAS_MAX] = {
    "10.32.2.11", "10.32.2.12", "10.32.2.13", "10.32.2.14",
    "10.32.2.15", "10.32.2.16", "10.32.2.17", "10.32.2.18",
};

/* A tool that is not there is the user's to install; whatever else fails, fails for want of
 * something in this kernel. */
static sp_status_t run(const char *const *argv, const sp_netns_t *netns, const sp_buf_t *plan,
                       sp_error_t *err)
{
    sp_tool_t tool = {.argv = argv, .netns = netns, .input = sp_buf_str(plan)};
    sp_status_t status = plan->status == SP_OK ? sp_tool_run(&tool, NULL, err)
                                               : sp_fail(err, plan->status, 0,
                                                         "out of memory for the network's plan");

    return status == SP_IO ? SP_UNSUPPORTED : status;
}

typedef void planner_t(const sp_topology_options_t *options, sp_buf_t *buf);

/* `place` NULL: the capsule's own namespace. */
static sp_status_t run_plan(const sp_topology_t *topology, const char *place, planner_t *planner,
                            sp_error_t *err)
{
    const char *here[] = {"ip", "-batch", "-", NULL};
    const char *there[] = {"ip", "-n", place, "-batch", "-", NULL};
    char memory[PLAN_MEMORY];
    sp_arena_t arena;
    sp_buf_t plan;
    sp_status_t status;

    sp_arena_init(&arena, memory, sizeof(memory), PLAN_MEMORY);
    sp_buf_init(&plan, &arena, PLAN_MAX);
    planner(&topology->options, &plan);
    status = plan.len == 0 ? SP_OK : run(place == NULL ? here : there, NULL, &plan, err);
    sp_arena_clear(&arena);
    return status;
}

static sp_status_t run_place(const sp_topology_t *topology, sp_place_t place, sp_error_t *err)
{
    static planner_t *const planners[SP_PLACE_COUNT] = {
        [SP_PLACE_CLIENT] = sp_topology_plan_client,
        [SP_PLACE_POD] = sp_topology_plan_pod,
        [SP_PLACE_NODE] = sp_topology_plan_node,
        [SP_PLACE_CLUSTER] = sp_topology_plan_cluster,
        [SP_PLACE_UPSTREAM] = sp_topology_plan_upstream,
    };

    return run_plan(topology, sp_place_name(place), planners[place], err);
}

static sp_status_t run_rules(const sp_topology_t *topology, sp_error_t *err)
{
    static const char *const argv[] = {"iptables-restore", NULL};
    char memory[PLAN_MEMORY];
    sp_arena_t arena;
    sp_buf_t plan;
    sp_status_t status;

    sp_arena_init(&arena, memory, sizeof(memory), PLAN_MEMORY);
    sp_buf_init(&plan, &arena, PLAN_MAX);
    sp_topology_plan_rules(&topology->options, &plan);
    status = run(argv, sp_topology_netns(topology, SP_PLACE_NODE), &plan, err);
    sp_arena_clear(&arena);
    return status;
}

static sp_status_t open_places(sp_topology_t *topology, sp_error_t *err)
{
    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        char path[64];

        if (!sp_topology_has_place(&topology->options, (sp_place_t)i)) {
            continue;
        }
        (void)snprintf(path, sizeof(path), "/run/netns/%s", sp_place_name((sp_place_t)i));
        topology->netns[i].fd = open(path, O_RDONLY | O_CLOEXEC);
        if (topology->netns[i].fd < 0) {
            return sp_fail(err, SP_IO, 0, "%s: %s", path, strerror(errno));
        }
    }
    return SP_OK;
}

int sp_topology_open(const sp_topology_t *topology, sp_place_t place, const char *path, int flags)
{
    int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    int fd = -1;
    int error;

    if (own < 0) {
        return -1;
    }
    if (setns(sp_topology_netns(topology, place)->fd, CLONE_NEWNET) == 0) {
        fd = open(path, flags | O_CLOEXEC);
        error = errno;
        if (setns(own, CLONE_NEWNET) != 0) {
            abort(); /* everything after this would happen in the wrong place */
        }
        errno = error;
    }
    error = errno;
    (void)close(own);
    errno = error;
    return fd;
}

typedef struct setting {
    const char *path;
    const char *value;
    bool is_optional;  /* the kernel may be built without it */
    bool is_forwarder; /* only for places that others' packets go through */
} setting_t;

static const setting_t settings[] = {
    {"/proc/sys/net/ipv6/conf/all/disable_ipv6", "1", true, false},
    {"/proc/sys/net/ipv6/conf/default/disable_ipv6", "1", true, false},
    {"/proc/sys/net/ipv4/conf/all/rp_filter", "0", false, false},
    {"/proc/sys/net/ipv4/conf/default/rp_filter", "0", false, false},
    {"/proc/sys/net/core/somaxconn", "65535", false, false},
    /* Thousands of sockets at once, and none on a port that a server is going to ask for. */
    {"/proc/sys/net/ipv4/ip_local_port_range", "10000 65000", false, false},
    {"/proc/sys/net/ipv4/ip_forward", "1", false, true},
};

static sp_status_t set_place(const sp_topology_t *topology, sp_place_t place, sp_error_t *err)
{
    bool forwards = place == SP_PLACE_NODE || place == SP_PLACE_CLUSTER;

    for (size_t i = 0; i != SP_COUNT(settings); ++i) {
        if (settings[i].is_forwarder && !forwards) {
            continue;
        }
        if (!sp_kernel_file_write_fd(sp_topology_open(topology, place, settings[i].path, O_WRONLY),
                                     settings[i].value) &&
            !settings[i].is_optional) {
            return sp_fail(err, SP_UNSUPPORTED, 0, "%s cannot be set to %s: %s", settings[i].path,
                           settings[i].value, strerror(errno));
        }
    }
    return SP_OK;
}

static sp_status_t set_places(const sp_topology_t *topology, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    for (unsigned i = 0; i != SP_PLACE_COUNT && status == SP_OK; ++i) {
        if (sp_topology_has_place(&topology->options, (sp_place_t)i)) {
            status = set_place(topology, (sp_place_t)i, err);
        }
    }
    for (unsigned i = 0; i != SP_PLACE_COUNT && status == SP_OK; ++i) {
        status = run_place(topology, (sp_place_t)i, err);
    }
    return status;
}

static sp_status_t build(sp_topology_t *topology, sp_error_t *err)
{
    sp_status_t status = run_plan(topology, NULL, sp_topology_plan_wires, err);

    if (status == SP_OK) {
        status = open_places(topology, err);
    }
    if (status == SP_OK) {
        status = run_plan(topology, "node", sp_topology_plan_datapath, err);
    }
    if (status == SP_OK) {
        status = set_places(topology, err);
    }
    if (status == SP_OK) {
        status = run_rules(topology, err);
    }
    if (status == SP_OK && topology->options.datapath == SP_DATAPATH_RELAY) {
        status = sp_relay_spawn(topology->signpost, sp_topology_netns(topology, SP_PLACE_NODE),
                                SP_RELAY_PORT, &topology->relay, err);
    }
    return status;
}

sp_status_t sp_topology_up(sp_capsule_t *capsule, const sp_topology_options_t *options,
                           sp_topology_t **ret_topology, sp_error_t *err)
{
    sp_topology_t *topology = calloc(1, sizeof(*topology));
    sp_status_t status;

    if (topology == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    topology->capsule = capsule;
    topology->options = *options;
    topology->relay.pidfd = -1;
    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        topology->netns[i].fd = -1;
    }
    (void)snprintf(topology->signpost, sizeof(topology->signpost), "%s",
                   options->signpost == NULL ? "" : options->signpost);
    if (options->replicas > SP_TOPOLOGY_REPLICAS_MAX) {
        status = sp_fail(err, SP_BAD_VALUE, 0, "there can be at most %d replicas",
                         SP_TOPOLOGY_REPLICAS_MAX);
    } else {
        status = build(topology, err);
    }
    if (status == SP_OK) {
        *ret_topology = topology;
    } else {
        sp_topology_down(topology);
    }
    return status;
}

void sp_topology_down(sp_topology_t *topology)
{
    if (topology == NULL) {
        return;
    }
    sp_process_end(&topology->relay, SIGTERM, GRACE_MS);
    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        if (topology->netns[i].fd >= 0) {
            (void)close(topology->netns[i].fd);
        }
    }
    (void)run_plan(topology, NULL, sp_topology_plan_down, NULL);
    free(topology);
}

const sp_netns_t *sp_topology_netns(const sp_topology_t *topology, sp_place_t place)
{
    return &topology
                ->netns[sp_topology_has_place(&topology->options, place) ? place : SP_PLACE_POD];
}

const char *sp_topology_app_address(const sp_topology_t *topology)
{
    return topology->options.datapath == SP_DATAPATH_MACVLAN ? "198.18.0.3" : SP_ADDRESS_POD;
}

const char *sp_topology_replica_address(const sp_topology_t *topology, unsigned replica)
{
    (void)topology;
    return replica_addresses[replica % SP_TOPOLOGY_REPLICAS_MAX];
}

pid_t sp_topology_relay_pid(const sp_topology_t *topology)
{
    return topology->relay.pid;
}

void sp_topology_wire(const sp_topology_t *topology, sp_wire_t wire, sp_wire_end_t ret_ends[2])
{
    static const sp_wire_end_t ends[SP_WIRE_COUNT][2] = {
        [SP_WIRE_CLIENT] = {{SP_PLACE_CLIENT, "eth0", "eth0"}, {SP_PLACE_NODE, "client", "client"}},
        [SP_WIRE_POD] = {{SP_PLACE_POD, "eth0", "eth0"}, {SP_PLACE_NODE, "pod", "cni0"}},
        [SP_WIRE_NODE] = {{SP_PLACE_NODE, "wire", "wire"}, {SP_PLACE_CLUSTER, "wire", "wire"}},
        [SP_WIRE_WAN1] = {{SP_PLACE_CLUSTER, "wan1", "wan1"}, {SP_PLACE_UPSTREAM, "wan1", "wan1"}},
        [SP_WIRE_WAN2] = {{SP_PLACE_NODE, "wan2", "wan2"}, {SP_PLACE_UPSTREAM, "wan2", "wan2"}},
    };

    memcpy(ret_ends, ends[wire], sizeof(ends[wire]));
    if (wire == SP_WIRE_POD && topology->options.datapath == SP_DATAPATH_ROUTED) {
        ret_ends[1].device = "cni0";
    }
}
