/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_EXPERIMENT_READ_H
#define SIGNPOST_LAB_EXPERIMENT_READ_H

/* The parts of an experiment's file, each from its JSON value into its struct. */

#include "lab/experiment.h"

/* Lays the object over what is there: keys that are absent change nothing. */
sp_status_t sp_lab_lay_use(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_use_t *use);
sp_status_t sp_lab_lay_load(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_load_t *load);

/* The same for a sp_lab_parameters_t: values are texts, numbers or truth values; all become texts.
 */
sp_status_t sp_lab_lay_parameters(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);

/* For tables: the field is a sp_lab_uses_t of roles, or of raw tools. */
sp_status_t sp_lab_read_roles(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);
sp_status_t sp_lab_read_tools(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);
sp_status_t sp_lab_read_steps(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);
sp_status_t sp_lab_read_lookups(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);

typedef struct sp_lab_impairment_list {
    sp_impairment_t *list;
    size_t count;
} sp_lab_impairment_list_t;
sp_status_t sp_lab_read_impairments(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);

typedef struct sp_lab_event_list {
    sp_lab_event_t *list;
    size_t count;
} sp_lab_event_list_t;
sp_status_t sp_lab_read_events(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);

/* Keeps the node, for later. */
sp_status_t sp_lab_read_node(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);

/* What every set-up shares, from the experiment's own keys. */
typedef struct sp_lab_common {
    sp_lab_uses_t roles;
    sp_lab_impairment_list_t impairments;
    bool has_app;
    sp_lab_use_t app;
    unsigned ttl_s;
} sp_lab_common_t;

/* The list of set-ups, with what they share laid under each. */
sp_status_t sp_lab_read_setups(sp_lab_reader_t *reader, sp_lab_node_t node,
                               const sp_lab_common_t *common, sp_lab_experiment_t *experiment);

#define SP_LAB_LOADS_MAX 8

typedef struct sp_lab_named_node {
    const char *name;
    sp_lab_node_t node;
} sp_lab_named_node_t;

typedef struct sp_lab_named_nodes {
    sp_lab_named_node_t list[SP_LAB_LOADS_MAX];
    size_t count;
} sp_lab_named_nodes_t;

typedef struct sp_lab_quick {
    sp_lab_texts_t setups, skip_loads;
    sp_lab_node_t load;
    sp_lab_named_nodes_t loads;
    unsigned repetitions;
} sp_lab_quick_t;

/* The file, before set-ups and loads are combined. */
typedef struct sp_lab_root {
    sp_lab_node_t app, load, setups;
    sp_lab_uses_t roles;
    sp_lab_impairment_list_t impairments;
    sp_lab_named_nodes_t loads;
    sp_lab_quick_t quick;
    unsigned repetitions;
    sp_lab_experiment_t *experiment;
} sp_lab_root_t;

/* Set-ups under loads; with `quick`, those of the short form. */
sp_status_t sp_lab_make_cases(sp_lab_reader_t *reader, const sp_lab_root_t *root,
                              const sp_lab_quick_t *quick, sp_lab_cases_t *cases);

/* Do set-ups and the short form name loads and set-ups that there are? */
sp_status_t sp_lab_check_names(sp_lab_reader_t *reader, const sp_lab_root_t *root);

/* Comparisons and assertions are for the report; here only that they speak of what there is. `key`
 * is their JSON pointer. */
sp_status_t sp_lab_check_claims(sp_lab_reader_t *reader, const sp_lab_experiment_t *experiment,
                                const char *key, const json_t *claims);

#endif
