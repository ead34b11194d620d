/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lab/experiment_read.h"
#include "serve/json_position.h"

static bool knows_setup(const sp_lab_experiment_t *experiment, const char *name)
{
    for (size_t i = 0; i != experiment->setup_count; ++i) {
        if (strcmp(experiment->setups[i].name, name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i != experiment->full.count; ++i) {
        if (strcmp(experiment->full.list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool knows_load(const sp_lab_root_t *root, const char *name)
{
    for (size_t i = 0; i != root->loads.count; ++i) {
        if (strcmp(root->loads.list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

sp_status_t sp_lab_check_claims(sp_lab_reader_t *reader, const sp_lab_experiment_t *experiment,
                                const char *key, const json_t *claims)
{
    static const char *const known[] = {
        "metric", "of",    "to",      "expect", "claim", "load",         "with", "setups",
        "kind",   "setup", "over_ms", "theory", "value", "loss_percent", "per",  "expected"};
    static const char *const named[] = {"of", "to", "setup"};
    size_t at = 0;
    size_t i = 0;
    json_t *claim = NULL;

    (void)sp_json_find(reader->text, sp_str_from(key), &at);
    if (claims != NULL && !json_is_array(claims)) {
        return sp_lab_refuse(reader, at, "expected a list");
    }
    json_array_foreach(claims, i, claim)
    {
        size_t found = 0;

        for (size_t k = 0; k != SP_COUNT(known); ++k) {
            found += json_object_get(claim, known[k]) != NULL ? 1U : 0U;
        }
        if (!json_is_object(claim) || found != json_object_size(claim)) {
            return sp_lab_refuse(reader, at, "item %zu of %s is no object or has an unknown key",
                                 i + 1, key + 1);
        }
        for (size_t k = 0; k != SP_COUNT(named); ++k) {
            const json_t *name = json_object_get(claim, named[k]);

            if (name != NULL &&
                (!json_is_string(name) || !knows_setup(experiment, json_string_value(name)))) {
                return sp_lab_refuse(reader, at, "item %zu of %s: '%s' names no set-up", i + 1,
                                     key + 1, named[k]);
            }
        }
    }
    return SP_OK;
}

sp_status_t sp_lab_check_names(sp_lab_reader_t *reader, const sp_lab_root_t *root)
{
    const sp_lab_experiment_t *experiment = root->experiment;
    const sp_lab_quick_t *quick = &root->quick;

    for (size_t i = 0; i != experiment->setup_count; ++i) {
        for (size_t k = 0; k != experiment->setups[i].loads.count; ++k) {
            if (!knows_load(root, experiment->setups[i].loads.list[k])) {
                return sp_lab_refuse(reader, root->setups.at, "no load is called '%.40s'",
                                     experiment->setups[i].loads.list[k]);
            }
        }
    }
    for (size_t i = 0; i != quick->setups.count; ++i) {
        if (!knows_setup(experiment, quick->setups.list[i])) {
            return sp_lab_refuse(reader, root->setups.at, "'quick' names no set-up: '%.40s'",
                                 quick->setups.list[i]);
        }
    }
    for (size_t i = 0; i != quick->loads.count; ++i) {
        if (!knows_load(root, quick->loads.list[i].name)) {
            return sp_lab_refuse(reader, quick->loads.list[i].node.at, "no load is called '%.40s'",
                                 quick->loads.list[i].name);
        }
    }
    return SP_OK;
}
