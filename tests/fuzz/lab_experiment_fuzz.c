/* SPDX-License-Identifier: Apache-2.0 */

/* Any octets as the file of an experiment, and as that of a role: read whole, or refused with a
 * place that lies in the text. What was taken must keep what the laboratory counts on. */

#include <stdlib.h>
#include <string.h>

#include "lab/role.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_setup(const sp_lab_setup_t *setup)
{
    require(sp_lab_is_name(setup->name) && setup->title[0] != '\0');
    require(setup->roles.count <= SP_LAB_ROLES_MAX);
    require(setup->impairment_count <= SP_IMPAIRMENTS_MAX);
    require(setup->datapath < SP_DATAPATH_COUNT);
    for (size_t i = 0; i != setup->roles.count; ++i) {
        const sp_lab_use_t *use = &setup->roles.list[i];

        require(use->at < SP_PLACE_COUNT && use->address != NULL && sp_lab_is_name(use->name));
    }
    for (size_t i = 0; i != setup->impairment_count; ++i) {
        require(sp_impairment_check(&setup->impairments[i], NULL) == SP_OK);
    }
    require(!sp_lab_setup_serves(setup) || setup->resolver != NULL);
}

static void check_experiment(const sp_lab_experiment_t *experiment)
{
    require(experiment->setup_count >= 1);
    require(experiment->full.count >= 1 && experiment->quick.count >= 1);
    require(experiment->full.repetitions >= 1 && experiment->quick.repetitions >= 1);
    for (size_t i = 0; i != experiment->setup_count; ++i) {
        check_setup(&experiment->setups[i]);
    }
    for (size_t i = 0; i != experiment->full.count; ++i) {
        require(experiment->full.list[i].load.connections >= 1);
        require(sp_lab_case_seconds(&experiment->full.list[i]) > 0);
    }
}

static void check_fault(const sp_error_t *err, sp_str_t text)
{
    require(err->offset <= text.len);
    require(strncmp(err->message, "fuzz.json:", 10) == 0 ||
            strncmp(err->message, "roles/fuzz/role.json:", 21) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    sp_lab_experiment_t *experiment = NULL;
    sp_lab_role_t *role = NULL;
    sp_error_t err = {.status = SP_OK};

    if (sp_lab_experiment_read(text, "fuzz.json", &experiment, &err) == SP_OK) {
        check_experiment(experiment);
    } else {
        require(experiment == NULL);
        check_fault(&err, text);
    }
    sp_lab_experiment_destroy(experiment);
    if (sp_lab_role_read(text, "/roles/fuzz", "fuzz", &role, &err) == SP_OK) {
        require(role->command.count >= 1 && role->files.count <= SP_LAB_ROLE_FILES_MAX);
    } else {
        require(role == NULL);
        check_fault(&err, text);
    }
    sp_lab_role_destroy(role);
    return 0;
}
