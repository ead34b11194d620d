/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/measure.h"

#include <stdio.h>
#include <string.h>

#include "lab/clock.h"

static sp_status_t read_net(const sp_lab_scene_t *scene, sp_lab_counts_t *counts, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    for (unsigned place = 0; status == SP_OK && place != SP_PLACE_COUNT; ++place) {
        status = sp_net_counters_read(scene->topology, (sp_place_t)place, &counts->net[place], err);
    }
    if (status == SP_OK && scene->impairments != NULL) {
        status = sp_impairments_count(scene->impairments, counts->impairments,
                                      &counts->impairment_count, err);
    }
    return status;
}

static sp_status_t read_app(const sp_lab_scene_t *scene, sp_lab_counts_t *counts, sp_error_t *err)
{
    char path[SP_LAB_PATH_MAX + 16];
    sp_cgroup_throttled_t throttled = {.throttled = 0};

    if (scene->app_group != NULL &&
        sp_cgroup_throttled(scene->app_group, &throttled, err) == SP_OK) {
        counts->throttled = throttled.throttled;
        counts->throttled_ns = throttled.throttled_ns;
    }
    if (scene->app == NULL || strcmp(scene->app->role->name, "signpost") != 0) {
        return SP_OK;
    }
    counts->has_metrics = true;
    (void)snprintf(path, sizeof(path), "%s/admin.sock", scene->app->folder);
    return sp_lab_app_metrics_read(path, &counts->metrics, err);
}

sp_status_t sp_lab_counts_read(const sp_lab_scene_t *scene, sp_lab_counts_t *ret_counts,
                               sp_error_t *err)
{
    uint64_t own_ns = 0;
    sp_status_t status = SP_OK;

    memset(ret_counts, 0, sizeof(*ret_counts));
    for (size_t i = 0; i != scene->instance_count; ++i) {
        ret_counts->groups[i].group = scene->instances[i].process.pid;
    }
    ret_counts->groups[scene->instance_count].group = sp_topology_relay_pid(scene->topology);
    status = read_app(scene, ret_counts, err);
    if (status == SP_OK) {
        status = read_net(scene, ret_counts, err);
    }
    if (status == SP_OK) {
        status = sp_lab_usage_read(ret_counts->groups, scene->instance_count + 1, err);
    }
    if (status == SP_OK) {
        status = sp_lab_machine_usage_read(&ret_counts->machine, err);
    }
    ret_counts->own_s =
        sp_cgroup_cpu_ns(sp_capsule_cgroup(scene->session->capsule), &own_ns, NULL) == SP_OK
            ? (double)own_ns / 1e9
            : -1;
    ret_counts->at_ns = sp_clock_ns();
    return status;
}

static double figure(const json_t *figures, const char *section, const char *name)
{
    return json_number_value(json_object_get(json_object_get(figures, section), name));
}

/* The sum of what is known of our processes, where there is no control group. */
static double own_seconds(const sp_lab_scene_t *scene, const sp_lab_counts_t *before,
                          const sp_lab_counts_t *after, double generator_s)
{
    double own = generator_s;

    if (before->own_s >= 0 && after->own_s >= 0) {
        return after->own_s - before->own_s;
    }
    for (size_t i = 0; i != scene->instance_count; ++i) {
        own += after->groups[i].cpu_s - before->groups[i].cpu_s;
    }
    return own;
}

static double put_cpu(const sp_lab_scene_t *scene, const sp_lab_counts_t *before,
                      const sp_lab_counts_t *after, const json_t *figures, json_t *run)
{
    double seconds = (double)(after->at_ns - before->at_ns) / 1e9;
    double generator_s =
        figure(figures, "generator", "user_s") + figure(figures, "generator", "system_s");
    double own_s = own_seconds(scene, before, after, generator_s);
    double foreign_s = after->machine.user_s - before->machine.user_s - own_s;
    json_t *roles = json_object();
    json_t *memory = json_object();
    double foreign = foreign_s > 0 ? foreign_s / seconds : 0;

    for (size_t i = 0; i <= scene->instance_count; ++i) {
        const char *name = i == scene->instance_count ? "relay" : scene->instances[i].use->name;
        double used = after->groups[i].cpu_s - before->groups[i].cpu_s;

        if (after->groups[i].group != 0) {
            (void)json_object_set_new(roles, name, json_real(used / seconds));
            (void)json_object_set_new(memory, name,
                                      json_integer((json_int_t)after->groups[i].memory_bytes));
        }
    }
    (void)json_object_set_new(
        run, "cpu",
        json_pack("{s:o, s:f, s:f, s:f, s:f, s:f, s:f}", "roles", roles, "seconds", seconds,
                  "own_cores", own_s / seconds, "foreign_cores", foreign, "softirq_cores",
                  (after->machine.softirq_s - before->machine.softirq_s) / seconds, "steal_cores",
                  (after->machine.steal_s - before->machine.steal_s) / seconds, "generator_cores",
                  generator_s / seconds));
    if (scene->app_group != NULL) {
        (void)json_object_set_new(
            run, "throttled",
            json_pack("{s:I, s:f}", "times", (json_int_t)(after->throttled - before->throttled),
                      "seconds", (double)(after->throttled_ns - before->throttled_ns) / 1e9));
    }
    (void)json_object_set_new(run, "memory_bytes", memory);
    return foreign;
}

static void put_net(const sp_lab_counts_t *before, const sp_lab_counts_t *after, json_t *run)
{
    const sp_net_counters_t *node = &after->net[SP_PLACE_NODE];
    const sp_net_counters_t *earlier = &before->net[SP_PLACE_NODE];
    uint64_t segments = 0;
    uint64_t errors = 0;

    for (unsigned place = 0; place != SP_PLACE_COUNT; ++place) {
        segments += after->net[place].tcp_retransmitted - before->net[place].tcp_retransmitted;
        errors += after->net[place].udp_receive_errors - before->net[place].udp_receive_errors;
    }
    (void)json_object_set_new(run, "tcp",
                              json_pack("{s:I}", "retransmitted_segments", (json_int_t)segments));
    (void)json_object_set_new(run, "udp", json_pack("{s:I}", "receive_errors", (json_int_t)errors));
    (void)json_object_set_new(
        run, "conntrack",
        json_pack("{s:I, s:I, s:I, s:I}", "entries", (json_int_t)node->conntrack_entries, "drop",
                  (json_int_t)(node->conntrack_drop - earlier->conntrack_drop), "insert_failed",
                  (json_int_t)(node->conntrack_insert_failed - earlier->conntrack_insert_failed),
                  "clash_resolve",
                  (json_int_t)(node->conntrack_clash_resolve - earlier->conntrack_clash_resolve)));
}

/* "node-cluster udp at node": how many packets were dropped there, or kept back for a while. */
static void put_impairments(const sp_lab_scene_t *scene, const sp_lab_counts_t *before,
                            const sp_lab_counts_t *after, json_t *run)
{
    static const char *const protocols[] = {"all", "udp", "tcp"};
    const sp_lab_setup_t *setup = scene->one->setup;
    json_t *dropped = json_object();
    json_t *delayed = json_object();

    for (size_t i = 0; i != after->impairment_count && i < before->impairment_count; ++i) {
        const sp_impairment_count_t *count = &after->impairments[i];
        const sp_impairment_t *impairment = &setup->impairments[count->impairment];
        bool is_delay = impairment->kind == SP_IMPAIRMENT_DELAY;
        char name[64];

        (void)snprintf(name, sizeof(name), "%s %s at %s",
                       is_delay || impairment->kind == SP_IMPAIRMENT_LOSS
                           ? sp_wire_name(impairment->wire)
                           : "conntrack",
                       protocols[impairment->protocol], sp_place_name(count->place));
        (void)json_object_set_new(
            is_delay ? delayed : dropped, name,
            json_integer((json_int_t)(count->packets - before->impairments[i].packets)));
    }
    (void)json_object_set_new(run, "dropped_by_rules", dropped);
    (void)json_object_set_new(run, "delayed_by_rules", delayed);
}

static void put_dns(const sp_lab_counts_t *before, const sp_lab_counts_t *after, bool lookups,
                    double requests, json_t *run)
{
    double sent = (double)(after->net[SP_PLACE_POD].udp_out - before->net[SP_PLACE_POD].udp_out);
    double upstream =
        (double)(after->net[SP_PLACE_UPSTREAM].udp_in - before->net[SP_PLACE_UPSTREAM].udp_in);
    json_t *dns = NULL;

    if (after->has_metrics) {
        dns = sp_lab_app_metrics_json(&before->metrics, &after->metrics, requests);
    } else if (lookups && requests > 0) {
        dns = json_pack("{s:f, s:f}", "queries_per_request", sent / requests, "lookups", requests);
    }
    if (dns != NULL) {
        (void)json_object_set_new(dns, "datagrams_sent", json_real(sent));
    }
    if (dns != NULL && requests > 0 && upstream > 0) {
        (void)json_object_set_new(dns, "upstream_per_request", json_real(upstream / requests));
    }
    if (dns != NULL) {
        (void)json_object_set_new(run, "dns", dns);
    }
}

double sp_lab_counts_put(const sp_lab_scene_t *scene, const sp_lab_counts_t *before,
                         const sp_lab_counts_t *after, const json_t *figures, json_t *run)
{
    double requests = figure(figures, "requests", "due");
    double foreign = put_cpu(scene, before, after, figures, run);

    put_net(before, after, run);
    put_impairments(scene, before, after, run);
    put_dns(before, after, scene->one->setup->lookups.concurrency != 0, requests, run);
    return foreign;
}
