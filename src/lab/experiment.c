/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "lab/experiment_read.h"
#include "serve/json_position.h"

#define ARENA_CHUNK 16384

static sp_status_t keep_any(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    (void)reader;
    *(sp_lab_node_t *)into = node;
    return SP_OK;
}

/* {"name": "open", …} */
static sp_status_t read_named_load(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_node_t *kept = into;
    const json_t *name = json_object_get(node.value, "name");

    if (!json_is_string(name) || !sp_lab_is_name(json_string_value(name))) {
        return sp_lab_refuse(reader, node.at, "each of 'loads' needs a 'name'");
    }
    *kept = node;
    return SP_OK;
}

static sp_status_t read_loads(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_list_t list = {
        .size = sizeof(sp_lab_node_t), .max = SP_LAB_LOADS_MAX, .read = read_named_load};
    sp_lab_named_nodes_t *loads = into;
    void *items = NULL;
    const sp_lab_node_t *nodes = NULL;
    size_t count = 0;
    sp_status_t status = sp_lab_read_list(reader, node, &list, &items, &count);

    nodes = items;
    for (size_t i = 0; status == SP_OK && i != count; ++i) {
        loads->list[i] = (sp_lab_named_node_t){
            .name = json_string_value(json_object_get(nodes[i].value, "name")), .node = nodes[i]};
        loads->count = i + 1;
    }
    return status;
}

static sp_status_t read_load_over(sp_lab_reader_t *reader, const char *key, sp_lab_node_t node,
                                  void *arg)
{
    sp_lab_named_nodes_t *loads = arg;
    sp_str_t name = sp_arena_copy(reader->arena, (sp_str_t){.ptr = key, .len = strlen(key) + 1});

    if (name.ptr == NULL) {
        return sp_lab_no_memory(reader);
    }
    if (loads->count == SP_LAB_LOADS_MAX) {
        return sp_lab_refuse(reader, node.at, "at most %d loads are allowed", SP_LAB_LOADS_MAX);
    }
    loads->list[loads->count++] = (sp_lab_named_node_t){.name = name.ptr, .node = node};
    return SP_OK;
}

static sp_status_t read_load_overs(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    return sp_lab_read_members(reader, node, read_load_over, into);
}

#define QUICK(field) offsetof(sp_lab_quick_t, field)

static sp_status_t read_quick(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "setups", .type = SP_LAB_TEXTS, .offset = QUICK(setups)},
        {.name = "skip_loads", .type = SP_LAB_TEXTS, .offset = QUICK(skip_loads)},
        {.name = "load", .type = SP_LAB_OTHER, .offset = QUICK(load), .read = sp_lab_read_node},
        {.name = "loads", .type = SP_LAB_OTHER, .offset = QUICK(loads), .read = read_load_overs},
        {.name = "repetitions",
         .type = SP_LAB_COUNT,
         .offset = QUICK(repetitions),
         .min = 1,
         .max = 1000},
    };

    return sp_lab_read_object(reader, node, keys, SP_COUNT(keys), into);
}

#define ROOT(field) offsetof(sp_lab_root_t, field)

/* Everything but what goes straight into the experiment. */
static const sp_lab_key_t root_keys[] = {
    {.name = "app", .type = SP_LAB_OTHER, .offset = ROOT(app), .read = sp_lab_read_node},
    {.name = "load", .type = SP_LAB_OTHER, .offset = ROOT(load), .read = sp_lab_read_node},
    {.name = "loads", .type = SP_LAB_OTHER, .offset = ROOT(loads), .read = read_loads},
    {.name = "setups",
     .type = SP_LAB_OTHER,
     .required = true,
     .offset = ROOT(setups),
     .read = keep_any},
    {.name = "quick", .type = SP_LAB_OTHER, .offset = ROOT(quick), .read = read_quick},
    {.name = "roles", .type = SP_LAB_OTHER, .offset = ROOT(roles), .read = sp_lab_read_roles},
    {.name = "impairments",
     .type = SP_LAB_OTHER,
     .offset = ROOT(impairments),
     .read = sp_lab_read_impairments},
    {.name = "repetitions",
     .type = SP_LAB_COUNT,
     .offset = ROOT(repetitions),
     .min = 1,
     .max = 1000},
};

#define OWN(field) offsetof(sp_lab_experiment_t, field)

static const sp_lab_key_t own_keys[] = {
    {.name = "id", .type = SP_LAB_NAME, .required = true, .offset = OWN(id)},
    {.name = "title", .type = SP_LAB_TEXT, .required = true, .offset = OWN(title)},
    {.name = "question", .type = SP_LAB_TEXT, .required = true, .offset = OWN(question)},
    {.name = "published", .type = SP_LAB_ANY, .offset = OWN(published)},
    {.name = "comparisons", .type = SP_LAB_ANY, .offset = OWN(comparisons)},
    {.name = "assertions", .type = SP_LAB_ANY, .offset = OWN(assertions)},
    {.name = "theory", .type = SP_LAB_ANY, .offset = OWN(theory)},
    {.name = "charts", .type = SP_LAB_ANY, .offset = OWN(charts)},
    {.name = "step_title", .type = SP_LAB_TEXT, .offset = OWN(step_title)},
    {.name = "names", .type = SP_LAB_COUNT, .offset = OWN(names), .min = 1, .max = 100000},
    {.name = "ttl_s", .type = SP_LAB_COUNT, .offset = OWN(ttl_s), .max = 86400},
};

/* One object, two structs: each member goes to the table that knows it. */
static sp_status_t read_root_member(sp_lab_reader_t *reader, const char *key, sp_lab_node_t node,
                                    void *arg)
{
    sp_lab_root_t *root = arg;

    for (size_t i = 0; i != SP_COUNT(own_keys); ++i) {
        if (strcmp(own_keys[i].name, key) == 0) {
            return sp_lab_read_member(reader, &own_keys[i], node, root->experiment);
        }
    }
    for (size_t i = 0; i != SP_COUNT(root_keys); ++i) {
        if (strcmp(root_keys[i].name, key) == 0) {
            return sp_lab_read_member(reader, &root_keys[i], node, root);
        }
    }
    return sp_lab_refuse(reader, node.key_at, "unknown key '%s' in an experiment", key);
}

static sp_status_t check_required(sp_lab_reader_t *reader, sp_lab_node_t node)
{
    static const char *const needed[] = {"id", "title", "question", "setups"};

    for (size_t i = 0; i != SP_COUNT(needed); ++i) {
        if (json_object_get(node.value, needed[i]) == NULL) {
            return sp_lab_refuse(reader, node.at, "'%s' is missing here", needed[i]);
        }
    }
    return SP_OK;
}

static sp_status_t read_app(sp_lab_reader_t *reader, const sp_lab_root_t *root,
                            sp_lab_common_t *common)
{
    common->app = (sp_lab_use_t){.at = SP_PLACE_POD};
    common->has_app = root->app.value != NULL;
    return common->has_app ? sp_lab_lay_use(reader, root->app, &common->app) : SP_OK;
}

static sp_status_t read_all(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_root_t *root)
{
    sp_lab_experiment_t *experiment = root->experiment;
    sp_lab_common_t common = {.has_app = false};
    sp_status_t status = sp_lab_read_members(reader, node, read_root_member, root);

    if (status == SP_OK) {
        status = check_required(reader, node);
    }
    common.roles = root->roles;
    common.impairments = root->impairments;
    common.ttl_s = experiment->ttl_s;
    if (status == SP_OK) {
        status = read_app(reader, root, &common);
    }
    if (status == SP_OK) {
        status = sp_lab_read_setups(reader, root->setups, &common, experiment);
    }
    if (status == SP_OK) {
        status = sp_lab_make_cases(reader, root, NULL, &experiment->full);
    }
    if (status == SP_OK) {
        status = sp_lab_check_names(reader, root);
    }
    if (status == SP_OK) {
        status = sp_lab_make_cases(reader, root, &root->quick, &experiment->quick);
    }
    if (status == SP_OK) {
        status = sp_lab_check_claims(reader, experiment, "/comparisons", experiment->comparisons);
    }
    if (status == SP_OK) {
        status = sp_lab_check_claims(reader, experiment, "/assertions", experiment->assertions);
    }
    return status;
}

sp_status_t sp_lab_experiment_read(sp_str_t text, const char *file,
                                   sp_lab_experiment_t **ret_experiment, sp_error_t *err)
{
    sp_lab_experiment_t *experiment = calloc(1, sizeof(*experiment));
    sp_lab_root_t root = {.experiment = experiment, .repetitions = 3};
    sp_lab_reader_t reader = {.text = text, .file = file, .err = err};
    sp_status_t status = SP_OK;

    if (experiment == NULL) {
        return sp_lab_no_memory(&reader);
    }
    experiment->names = 10000;
    experiment->ttl_s = 300;
    sp_arena_init(&experiment->arena, NULL, 0, ARENA_CHUNK);
    reader.arena = &experiment->arena;
    status = sp_lab_reader_parse(&reader, &experiment->root);
    if (status == SP_OK) {
        sp_lab_node_t node = {.value = experiment->root, .at = sp_json_value_at(text, 0)};

        status = read_all(&reader, node, &root);
    }
    if (status != SP_OK) {
        sp_lab_experiment_destroy(experiment);
        return status;
    }
    *ret_experiment = experiment;
    return SP_OK;
}

void sp_lab_experiment_destroy(sp_lab_experiment_t *experiment)
{
    if (experiment != NULL) {
        json_decref(experiment->root);
        sp_arena_clear(&experiment->arena);
        free(experiment);
    }
}
