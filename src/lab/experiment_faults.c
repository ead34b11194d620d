/* SPDX-License-Identifier: Apache-2.0 */

/* What is wrong in a set-up: impairments and events. */

#include "lab/experiment_read.h"

static const char *const protocol_words[] = {"all", "udp", "tcp", NULL};
static const char *const kind_words[] = {"loss",           "delay",          "rate",
                                         "conntrack_race", "conntrack_full", NULL};
/* The short names are those of the interfaces in the cluster. */
static const char *const wire_words[] = {"client",
                                         "pod",
                                         "wire",
                                         "wan1",
                                         "wan2",
                                         "client-node",
                                         "pod-node",
                                         "node-cluster",
                                         "cluster-upstream",
                                         "node-upstream",
                                         NULL};

/* As the file has it; words index the tables. */
typedef struct raw_impairment {
    unsigned kind, wire, protocol, max;
    double percent, ms, jitter_ms, mbit;
} raw_impairment_t;

#define RAW(field) offsetof(raw_impairment_t, field)

static sp_status_t read_impairment(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "kind",
         .type = SP_LAB_WORD,
         .required = true,
         .offset = RAW(kind),
         .words = kind_words},
        {.name = "wire", .type = SP_LAB_WORD, .offset = RAW(wire), .words = wire_words},
        {.name = "protocol", .type = SP_LAB_WORD, .offset = RAW(protocol), .words = protocol_words},
        {.name = "percent", .type = SP_LAB_NUMBER, .offset = RAW(percent), .max = 100},
        {.name = "ms", .type = SP_LAB_NUMBER, .offset = RAW(ms), .max = 10000},
        {.name = "jitter_ms", .type = SP_LAB_NUMBER, .offset = RAW(jitter_ms), .max = 10000},
        {.name = "mbit", .type = SP_LAB_NUMBER, .offset = RAW(mbit), .max = 10000},
        {.name = "max", .type = SP_LAB_COUNT, .offset = RAW(max), .min = 1, .max = 1e8},
    };
    raw_impairment_t raw = {.wire = 2};
    sp_impairment_t *impairment = into;
    sp_error_t err = {.message = ""};
    sp_status_t status = sp_lab_read_object(reader, node, keys, SP_COUNT(keys), &raw);

    if (status != SP_OK) {
        return status;
    }
    *impairment = (sp_impairment_t){.kind = (sp_impairment_kind_t)raw.kind,
                                    .wire = (sp_wire_t)(raw.wire % SP_WIRE_COUNT),
                                    .protocol = (sp_protocol_t)raw.protocol,
                                    .percent = raw.percent,
                                    .delay_ms = raw.ms,
                                    .jitter_ms = raw.jitter_ms,
                                    .mbit = raw.mbit,
                                    .entries = raw.max,
                                    .seed = 1};
    if (sp_impairment_check(impairment, &err) != SP_OK) {
        return sp_lab_refuse(reader, node.at, "%s", err.message);
    }
    return SP_OK;
}

sp_status_t sp_lab_read_impairments(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_list_t list = {
        .size = sizeof(sp_impairment_t), .max = SP_IMPAIRMENTS_MAX / 2, .read = read_impairment};
    sp_lab_impairment_list_t *impairments = into;
    void *items = NULL;
    sp_status_t status = sp_lab_read_list(reader, node, &list, &items, &impairments->count);

    impairments->list = items;
    return status;
}

static sp_status_t read_event(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "at_s",
         .type = SP_LAB_NUMBER,
         .required = true,
         .offset = offsetof(sp_lab_event_t, at_s),
         .max = 86400},
        {.name = "kill",
         .type = SP_LAB_NAME,
         .required = true,
         .offset = offsetof(sp_lab_event_t, kill)},
    };

    return sp_lab_read_object(reader, node, keys, SP_COUNT(keys), into);
}

sp_status_t sp_lab_read_events(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_list_t list = {
        .size = sizeof(sp_lab_event_t), .max = SP_LAB_LISTED_MAX, .read = read_event};
    sp_lab_event_list_t *events = into;
    void *items = NULL;
    sp_status_t status = sp_lab_read_list(reader, node, &list, &items, &events->count);

    events->list = items;
    return status;
}
