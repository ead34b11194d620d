/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lab/experiment_read.h"

static bool holds(sp_lab_texts_t texts, const char *text)
{
    for (size_t i = 0; i != texts.count; ++i) {
        if (strcmp(texts.list[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* All layers of one case's load, the first at the bottom. */
static sp_status_t lay_loads(sp_lab_reader_t *reader, const sp_lab_root_t *root,
                             const sp_lab_named_node_t *named, const sp_lab_quick_t *quick,
                             const sp_lab_setup_t *setup, sp_lab_load_t *load)
{
    sp_lab_node_t layers[5] = {{.value = NULL}};
    sp_status_t status = SP_OK;

    *load = (sp_lab_load_t){.rate = 1000,
                            .connections = 256,
                            .duration_s = 10,
                            .timeout_s = 15,
                            .names = "uniform",
                            .threads = 1,
                            .seed = 1};
    layers[0] = root->load;
    layers[2] = setup->load_over;
    if (named != NULL) {
        layers[1] = named->node;
    }
    if (quick != NULL) {
        layers[3] = quick->load;
        for (size_t i = 0; named != NULL && i != quick->loads.count; ++i) {
            if (strcmp(quick->loads.list[i].name, named->name) == 0) {
                layers[4] = quick->loads.list[i].node;
            }
        }
    }
    for (size_t i = 0; status == SP_OK && i != SP_COUNT(layers); ++i) {
        if (layers[i].value != NULL) {
            status = sp_lab_lay_load(reader, layers[i], load);
        }
    }
    return status;
}

static sp_status_t add_case(sp_lab_reader_t *reader, const sp_lab_root_t *root,
                            const sp_lab_named_node_t *named, const sp_lab_quick_t *quick,
                            const sp_lab_setup_t *setup, sp_lab_cases_t *cases)
{
    sp_lab_case_t *one = &cases->list[cases->count];
    sp_buf_t name;

    *one = (sp_lab_case_t){.name = setup->name, .setup = setup};
    if (named != NULL) {
        sp_buf_init(&name, reader->arena, 256);
        sp_buf_printf(&name, "%s/%s", setup->name, named->name);
        sp_buf_append_char(&name, '\0');
        if (name.status != SP_OK) {
            return sp_lab_no_memory(reader);
        }
        one->name = sp_buf_str(&name).ptr;
        one->load_name = named->name;
    }
    ++cases->count;
    return lay_loads(reader, root, named, quick, setup, &one->load);
}

static sp_status_t add_cases(sp_lab_reader_t *reader, const sp_lab_root_t *root,
                             const sp_lab_quick_t *quick, const sp_lab_setup_t *setup,
                             sp_lab_cases_t *cases)
{
    sp_status_t status = SP_OK;

    if (root->loads.count == 0 || !sp_lab_setup_serves(setup)) {
        return add_case(reader, root, NULL, quick, setup, cases);
    }
    for (size_t i = 0; status == SP_OK && i != root->loads.count; ++i) {
        const sp_lab_named_node_t *named = &root->loads.list[i];

        if ((setup->loads.count == 0 || holds(setup->loads, named->name)) &&
            (quick == NULL || !holds(quick->skip_loads, named->name))) {
            status = add_case(reader, root, named, quick, setup, cases);
        }
    }
    return status;
}

sp_status_t sp_lab_make_cases(sp_lab_reader_t *reader, const sp_lab_root_t *root,
                              const sp_lab_quick_t *quick, sp_lab_cases_t *cases)
{
    const sp_lab_experiment_t *experiment = root->experiment;
    size_t room = experiment->setup_count * (root->loads.count + 1);
    sp_status_t status = SP_OK;

    cases->list = sp_arena_zalloc(reader->arena, room, sizeof(*cases->list));
    if (cases->list == NULL) {
        return sp_lab_no_memory(reader);
    }
    cases->repetitions =
        quick != NULL && quick->repetitions != 0 ? quick->repetitions : root->repetitions;
    for (size_t i = 0; status == SP_OK && i != experiment->setup_count; ++i) {
        const sp_lab_setup_t *setup = &experiment->setups[i];

        if (quick == NULL || quick->setups.count == 0 || holds(quick->setups, setup->name)) {
            status = add_cases(reader, root, quick, setup, cases);
        }
    }
    if (status == SP_OK && cases->count == 0) {
        return sp_lab_refuse(reader, 0, "no set-up is left with these loads");
    }
    return status;
}
