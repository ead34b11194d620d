/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/delay.h"
#include "lab/impairment.h"
#include "lab/impairment_plan.h"
#include "lab/kernel_file.h"
#include "lab/topology_plan.h"
#include "lab/topology_state.h"

#define PLAN_MAX 16384
#define PLAN_MEMORY 4096
#define SAVED_MAX 65536
#define GRACE_MS 1000
#define US_PER_MS 1000
#define BURST_MIN 16000
#define BURSTS_PER_S 200 /* TBF is served by a timer of 250 Hz or faster */

/* What has been done for one impairment, at each end of its wire. */
typedef struct applied {
    sp_impairment_t impairment;
    const char *means;
    sp_process_t delays[2];
    bool has_qdisc[2];
    bool has_offload_off[2];
    bool is_limited; /* connection tracking */
} applied_t;

struct sp_impairments {
    const sp_topology_t *topology;
    const char *signpost; /* for the call of apply only */
    applied_t list[SP_IMPAIRMENTS_MAX];
    size_t count;
    bool has_rules[SP_PLACE_COUNT];
    bool has_race[SP_PLACE_COUNT];
};

static bool has_wire(const applied_t *applied)
{
    return applied->impairment.kind == SP_IMPAIRMENT_LOSS ||
           applied->impairment.kind == SP_IMPAIRMENT_DELAY ||
           applied->impairment.kind == SP_IMPAIRMENT_RATE;
}

static bool is_queued(const applied_t *applied)
{
    return applied->impairment.kind == SP_IMPAIRMENT_DELAY && !applied->has_qdisc[0];
}

static sp_status_t run_tool(const sp_impairments_t *impairments, sp_place_t place,
                            const char *const *argv, sp_str_t input, sp_error_t *err)
{
    sp_tool_t tool = {
        .argv = argv, .netns = sp_topology_netns(impairments->topology, place), .input = input};
    sp_status_t status = sp_tool_run(&tool, NULL, err);

    return status == SP_IO ? SP_UNSUPPORTED : status;
}

static sp_status_t set_offload(const sp_impairments_t *impairments, const sp_wire_end_t *end,
                               const char *state, sp_error_t *err)
{
    const char *argv[] = {"ethtool", "-K",  end->device, "tso", state,
                          "gso",     state, "gro",       state, NULL};

    return run_tool(impairments, end->place, argv, SP_STR(""), err);
}

static sp_status_t add_qdisc(const sp_impairments_t *impairments, const sp_wire_end_t *end,
                             const sp_impairment_t *impairment, sp_error_t *err)
{
    char numbers[2][40];
    const char *netem[] = {"tc",    "qdisc", "add",      "dev",      end->device, "root",
                           "netem", "delay", numbers[0], numbers[1], NULL};
    const char *tbf[] = {"tc",   "qdisc",    "add",   "dev",      end->device, "root", "tbf",
                         "rate", numbers[0], "burst", numbers[1], "latency",   "50ms", NULL};
    double burst = impairment->mbit * 1e6 / 8 / BURSTS_PER_S;

    if (impairment->kind == SP_IMPAIRMENT_DELAY) {
        (void)snprintf(numbers[0], sizeof(numbers[0]), "%.0fus", impairment->delay_ms * US_PER_MS);
        (void)snprintf(numbers[1], sizeof(numbers[1]), "%.0fus", impairment->jitter_ms * US_PER_MS);
        return run_tool(impairments, end->place, netem, SP_STR(""), err);
    }
    (void)snprintf(numbers[0], sizeof(numbers[0]), "%.0fbit", impairment->mbit * 1e6);
    (void)snprintf(numbers[1], sizeof(numbers[1]), "%.0f", burst < BURST_MIN ? BURST_MIN : burst);
    return run_tool(impairments, end->place, tbf, SP_STR(""), err);
}

static void remove_qdiscs(const sp_impairments_t *impairments, applied_t *applied,
                          const sp_wire_end_t ends[2])
{
    for (int i = 0; i != 2; ++i) {
        const char *argv[] = {"tc", "qdisc", "del", "dev", ends[i].device, "root", NULL};

        if (applied->has_qdisc[i]) {
            (void)run_tool(impairments, ends[i].place, argv, SP_STR(""), NULL);
            applied->has_qdisc[i] = false;
        }
    }
}

static sp_status_t add_qdiscs(const sp_impairments_t *impairments, applied_t *applied,
                              const sp_wire_end_t ends[2], sp_error_t *err)
{
    sp_status_t status = SP_OK;

    for (int i = 0; i != 2 && status == SP_OK; ++i) {
        status = add_qdisc(impairments, &ends[i], &applied->impairment, err);
        applied->has_qdisc[i] = status == SP_OK;
    }
    if (status != SP_OK) {
        remove_qdiscs(impairments, applied, ends);
    }
    return status;
}

/* One device has one outermost discipline. */
static bool has_rate(const sp_impairments_t *impairments, sp_wire_t wire)
{
    for (size_t i = 0; i != impairments->count; ++i) {
        if (impairments->list[i].impairment.kind == SP_IMPAIRMENT_RATE &&
            impairments->list[i].impairment.wire == wire) {
            return true;
        }
    }
    return false;
}

static sp_status_t start_delays(const sp_impairments_t *impairments, applied_t *applied,
                                const sp_wire_end_t ends[2], sp_error_t *err)
{
    sp_status_t status = SP_OK;
    const sp_impairment_t *impairment = &applied->impairment;

    for (unsigned i = 0; i != 2 && status == SP_OK; ++i) {
        sp_delay_options_t options = {
            .queue = (unsigned)(applied - impairments->list),
            .delay_us = (uint64_t)(impairment->delay_ms * US_PER_MS + 0.5),
            .jitter_us = (uint64_t)(impairment->jitter_ms * US_PER_MS + 0.5),
            .seed = impairment->seed * 2 + i,
        };

        status = sp_delay_spawn(impairments->signpost,
                                sp_topology_netns(impairments->topology, ends[i].place), &options,
                                &applied->delays[i], err);
    }
    return status == SP_IO ? SP_UNSUPPORTED : status;
}

static sp_status_t apply_delay(const sp_impairments_t *impairments, applied_t *applied,
                               const sp_wire_end_t ends[2], sp_error_t *err)
{
    if (applied->impairment.protocol == SP_PROTOCOL_ALL &&
        !has_rate(impairments, applied->impairment.wire) &&
        add_qdiscs(impairments, applied, ends, NULL) == SP_OK) {
        applied->means = "netem";
        return SP_OK;
    }
    applied->means = "NFQUEUE to signpost lab-delay";
    return start_delays(impairments, applied, ends, err);
}

static sp_status_t apply_wire(const sp_impairments_t *impairments, applied_t *applied,
                              sp_error_t *err)
{
    sp_wire_end_t ends[2];
    sp_status_t status = SP_OK;

    if (applied->impairment.wire == SP_WIRE_CLIENT &&
        !sp_topology_has_place(&impairments->topology->options, SP_PLACE_CLIENT)) {
        return sp_fail(err, SP_UNSUPPORTED, 0,
                       "there is no wire between client and node: they are one on this datapath");
    }
    sp_topology_wire(impairments->topology, applied->impairment.wire, ends);
    for (int i = 0; i != 2 && status == SP_OK; ++i) {
        status = set_offload(impairments, &ends[i], "off", err);
        applied->has_offload_off[i] = status == SP_OK;
    }
    if (status == SP_OK && applied->impairment.kind == SP_IMPAIRMENT_DELAY) {
        status = apply_delay(impairments, applied, ends, err);
    }
    if (status == SP_OK && applied->impairment.kind == SP_IMPAIRMENT_RATE) {
        applied->means = "TBF";
        status = add_qdiscs(impairments, applied, ends, err);
    }
    return status;
}

static sp_status_t apply_one(const sp_impairments_t *impairments, applied_t *applied,
                             sp_error_t *err)
{
    sp_status_t status;

    if (has_wire(applied)) {
        return apply_wire(impairments, applied, err);
    }
    if (applied->impairment.kind == SP_IMPAIRMENT_CONNTRACK_FULL) {
        applied->means = "nf_conntrack_max";
        status = sp_capsule_limit_conntrack(impairments->topology->capsule,
                                            applied->impairment.entries, err);
        applied->is_limited = status == SP_OK;
        return status;
    }
    return SP_OK;
}

/* The interface at which an impairment's packets come into `place`; NULL when they do not, or when
 * there is no rule for them. */
static const char *find_input(const sp_impairments_t *impairments, const applied_t *applied,
                              sp_place_t place)
{
    sp_wire_end_t ends[2];
    bool is_race = applied->impairment.kind == SP_IMPAIRMENT_CONNTRACK_RACE;

    if (!is_race && applied->impairment.kind != SP_IMPAIRMENT_LOSS && !is_queued(applied)) {
        return NULL;
    }
    sp_topology_wire(impairments->topology, is_race ? SP_WIRE_POD : applied->impairment.wire, ends);
    for (int i = is_race ? 1 : 0; i != 2; ++i) {
        if (ends[i].place == place) {
            return ends[i].input;
        }
    }
    return NULL;
}

static sp_status_t restore_rules(const sp_impairments_t *impairments, sp_place_t place,
                                 const sp_buf_t *plan, sp_error_t *err)
{
    static const char *const argv[] = {"iptables-restore", "--noflush", NULL};

    if (plan->status != SP_OK) {
        return sp_fail(err, plan->status, 0, "out of memory for rules");
    }
    return run_tool(impairments, place, argv, sp_buf_str(plan), err);
}

static void remove_rules(const sp_impairments_t *impairments, sp_place_t place)
{
    char memory[PLAN_MEMORY];
    sp_arena_t arena;
    sp_buf_t plan;

    sp_arena_init(&arena, memory, sizeof(memory), PLAN_MEMORY);
    sp_buf_init(&plan, &arena, PLAN_MAX);
    sp_impairment_plan_removal(impairments->has_race[place], &plan);
    (void)restore_rules(impairments, place, &plan, NULL);
    sp_arena_clear(&arena);
}

static sp_status_t add_rules(sp_impairments_t *impairments, sp_place_t place, sp_error_t *err)
{
    sp_impairment_rule_t rules[SP_IMPAIRMENTS_MAX];
    char memory[PLAN_MEMORY];
    size_t count = 0;
    sp_arena_t arena;
    sp_buf_t plan;
    sp_status_t status;

    for (size_t i = 0; i != impairments->count; ++i) {
        const char *input = find_input(impairments, &impairments->list[i], place);

        if (input != NULL) {
            rules[count++] = (sp_impairment_rule_t){
                .impairment = &impairments->list[i].impairment, .index = i, .input = input};
        }
    }
    if (count == 0) {
        return SP_OK;
    }
    sp_arena_init(&arena, memory, sizeof(memory), PLAN_MEMORY);
    sp_buf_init(&plan, &arena, PLAN_MAX);
    sp_impairment_plan_rules(rules, count, &plan);
    status = restore_rules(impairments, place, &plan, err);
    sp_arena_clear(&arena);
    impairments->has_rules[place] = status == SP_OK;
    impairments->has_race[place] = sp_impairment_has_race(rules, count);
    if (status != SP_OK) {
        remove_rules(impairments, place); /* one table may be done, and the other not */
    }
    return status;
}

sp_status_t sp_impairments_apply(const sp_topology_t *topology, const char *signpost,
                                 const sp_impairment_t *list, size_t count,
                                 sp_impairments_t **ret_impairments, sp_error_t *err)
{
    sp_impairments_t *impairments = NULL;
    sp_status_t status = SP_OK;

    if (count > SP_IMPAIRMENTS_MAX) {
        return sp_fail(err, SP_TOO_LONG, 0, "there can be at most %d impairments",
                       SP_IMPAIRMENTS_MAX);
    }
    impairments = calloc(1, sizeof(*impairments));
    if (impairments == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    impairments->topology = topology;
    impairments->signpost = signpost;
    impairments->count = count;
    for (size_t i = 0; i != count; ++i) {
        impairments->list[i] = (applied_t){.impairment = list[i], .means = "iptables statistic"};
    }
    for (size_t i = 0; i != count && status == SP_OK; ++i) {
        status = sp_impairment_check(&list[i], err);
    }
    for (size_t i = 0; i != count && status == SP_OK; ++i) {
        status = apply_one(impairments, &impairments->list[i], err);
    }
    for (unsigned i = 0; i != SP_PLACE_COUNT && status == SP_OK; ++i) {
        status = add_rules(impairments, (sp_place_t)i, err);
    }
    if (status == SP_OK) {
        *ret_impairments = impairments;
    } else {
        sp_impairments_clear(impairments);
    }
    return status;
}

static void clear_one(const sp_impairments_t *impairments, applied_t *applied)
{
    sp_wire_end_t ends[2];

    sp_topology_wire(impairments->topology, applied->impairment.wire, ends);
    remove_qdiscs(impairments, applied, ends);
    for (int i = 0; i != 2; ++i) {
        sp_process_end(&applied->delays[i], SIGTERM, GRACE_MS);
        if (applied->has_offload_off[i]) {
            (void)set_offload(impairments, &ends[i], "on", NULL);
        }
    }
    if (applied->is_limited) {
        sp_capsule_restore_conntrack(impairments->topology->capsule);
    }
}

/* Rules first: without them no packet waits for a program that is about to end. */
void sp_impairments_clear(sp_impairments_t *impairments)
{
    if (impairments == NULL) {
        return;
    }
    for (unsigned i = 0; i != SP_PLACE_COUNT; ++i) {
        if (impairments->has_rules[i]) {
            remove_rules(impairments, (sp_place_t)i);
        }
    }
    for (size_t i = 0; i != impairments->count; ++i) {
        clear_one(impairments, &impairments->list[i]);
    }
    free(impairments);
}

const char *sp_impairments_means(const sp_impairments_t *impairments, size_t n)
{
    return impairments->list[n].means;
}

static uint64_t read_overflow(const sp_impairments_t *impairments, sp_place_t place, size_t queue)
{
    char memory[4096];
    sp_str_t text;
    uint64_t lost = 0;
    int fd = sp_topology_open(impairments->topology, place,
                              "/proc/thread-self/net/netfilter/nfnetlink_queue", O_RDONLY);

    if (sp_kernel_file_read_fd(fd, memory, sizeof(memory), &text)) {
        (void)sp_impairment_find_overflow(text, queue, &lost);
    }
    return lost;
}

static void count_in_place(const sp_impairments_t *impairments, sp_place_t place, sp_str_t saved,
                           sp_impairment_count_t *counts, size_t *count)
{
    for (size_t i = 0; i != impairments->count; ++i) {
        sp_impairment_count_t entry = {.impairment = i, .place = place};

        if (find_input(impairments, &impairments->list[i], place) != NULL &&
            sp_impairment_find_packets(saved, i, &entry.packets)) {
            if (is_queued(&impairments->list[i])) {
                entry.overflowed = read_overflow(impairments, place, i);
            }
            counts[(*count)++] = entry;
        }
    }
}

sp_status_t sp_impairments_count(const sp_impairments_t *impairments,
                                 sp_impairment_count_t ret_counts[SP_IMPAIRMENT_COUNTS_MAX],
                                 size_t *ret_count, sp_error_t *err)
{
    static const char *const argv[] = {"iptables-save", "-c", NULL};
    sp_status_t status = SP_OK;
    size_t count = 0;

    for (unsigned i = 0; i != SP_PLACE_COUNT && status == SP_OK; ++i) {
        sp_tool_t tool = {.argv = argv,
                          .netns = sp_topology_netns(impairments->topology, (sp_place_t)i)};
        sp_arena_t arena;
        sp_buf_t saved;

        if (!impairments->has_rules[i]) {
            continue;
        }
        sp_arena_init(&arena, NULL, 0, PLAN_MAX);
        sp_buf_init(&saved, &arena, SAVED_MAX);
        status = sp_tool_run(&tool, &saved, err);
        if (status == SP_OK) {
            count_in_place(impairments, (sp_place_t)i, sp_buf_str(&saved), ret_counts, &count);
        }
        sp_arena_clear(&arena);
    }
    if (status == SP_OK) {
        *ret_count = count;
    }
    return status;
}
