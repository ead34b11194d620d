/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <math.h>
#include <string.h>

#include "lab/experiment_read.h"

static const char *const datapath_words[] = {"bridge",  "routed", "loopback", "vxlan",
                                             "macvlan", "relay",  NULL};

/* A set-up as its object has it; what lists are read into stands apart from where they end up. */
typedef struct raw_setup {
    sp_lab_setup_t setup;
    sp_lab_impairment_list_t impairments;
    sp_lab_event_list_t events;
    sp_lab_node_t app;
    bool without_app;
} raw_setup_t;

#define RAW(field) offsetof(raw_setup_t, field)
#define SETUP(field) offsetof(raw_setup_t, setup.field)

/* An object that is laid over the experiment's, or null: this set-up has no application. */
static sp_status_t read_app(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    raw_setup_t *raw = into; /* the table has offset 0 */

    raw->without_app = json_is_null(node.value);
    return raw->without_app ? SP_OK : sp_lab_read_node(reader, node, &raw->app);
}

static sp_status_t read_resolver(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    const char **resolver = into;
    struct in_addr ignored;
    sp_status_t status = sp_lab_read_text(reader, node, resolver);

    if (status == SP_OK && inet_pton(AF_INET, *resolver, &ignored) != 1) {
        return sp_lab_refuse(reader, node.at, "'resolver' must be an IPv4 address, not '%.40s'",
                             *resolver);
    }
    return status;
}

static const sp_lab_key_t keys[] = {
    {.name = "name", .type = SP_LAB_NAME, .required = true, .offset = SETUP(name)},
    {.name = "title", .type = SP_LAB_TEXT, .required = true, .offset = SETUP(title)},
    {.name = "says", .type = SP_LAB_TEXT, .offset = SETUP(says)},
    {.name = "series", .type = SP_LAB_TEXT, .offset = SETUP(series)},
    {.name = "step", .type = SP_LAB_NUMBER, .offset = SETUP(step), .min = -1e9, .max = 1e9},
    {.name = "datapath", .type = SP_LAB_WORD, .offset = SETUP(datapath), .words = datapath_words},
    {.name = "resolver", .type = SP_LAB_OTHER, .offset = SETUP(resolver), .read = read_resolver},
    {.name = "common_roles", .type = SP_LAB_FLAG, .offset = SETUP(common_roles)},
    {.name = "roles", .type = SP_LAB_OTHER, .offset = SETUP(roles), .read = sp_lab_read_roles},
    {.name = "impairments",
     .type = SP_LAB_OTHER,
     .offset = RAW(impairments),
     .read = sp_lab_read_impairments},
    {.name = "app", .type = SP_LAB_OTHER, .offset = 0, .read = read_app},
    {.name = "load", .type = SP_LAB_OTHER, .offset = SETUP(load_over), .read = sp_lab_read_node},
    {.name = "loads", .type = SP_LAB_TEXTS, .offset = SETUP(loads)},
    {.name = "cpu_quota",
     .type = SP_LAB_NUMBER,
     .offset = SETUP(cpu_quota),
     .min = 0.05,
     .max = 1024},
    {.name = "ttl_s", .type = SP_LAB_COUNT, .offset = SETUP(ttl_s), .max = 86400},
    {.name = "raw", .type = SP_LAB_OTHER, .offset = SETUP(raw), .read = sp_lab_read_tools},
    {.name = "steps", .type = SP_LAB_OTHER, .offset = SETUP(steps), .read = sp_lab_read_steps},
    {.name = "lookups",
     .type = SP_LAB_OTHER,
     .offset = SETUP(lookups),
     .read = sp_lab_read_lookups},
    {.name = "events", .type = SP_LAB_OTHER, .offset = RAW(events), .read = sp_lab_read_events},
    {.name = "expect_errors", .type = SP_LAB_FLAG, .offset = SETUP(expect_errors)},
};

/* `first` and `more` behind each other. */
static sp_status_t join_uses(sp_lab_reader_t *reader, const sp_lab_uses_t *first,
                             const sp_lab_uses_t *more, sp_lab_uses_t *ret_uses)
{
    size_t count = first->count + more->count;
    sp_lab_use_t *list = sp_arena_zalloc(reader->arena, count + 1, sizeof(*list));

    if (list == NULL) {
        return sp_lab_no_memory(reader);
    }
    for (size_t i = 0; i != count; ++i) {
        list[i] = i < first->count ? first->list[i] : more->list[i - first->count];
    }
    *ret_uses = (sp_lab_uses_t){.list = list, .count = count};
    return SP_OK;
}

static sp_status_t join_impairments(sp_lab_reader_t *reader, const sp_lab_impairment_list_t *first,
                                    const sp_lab_impairment_list_t *more, sp_lab_setup_t *setup)
{
    size_t count = first->count + more->count;
    sp_impairment_t *list = sp_arena_zalloc(reader->arena, count + 1, sizeof(*list));

    if (list == NULL) {
        return sp_lab_no_memory(reader);
    }
    for (size_t i = 0; i != count; ++i) {
        list[i] = i < first->count ? first->list[i] : more->list[i - first->count];
    }
    setup->impairments = list;
    setup->impairment_count = count;
    return SP_OK;
}

static sp_status_t check_roles(sp_lab_reader_t *reader, size_t at, const sp_lab_setup_t *setup)
{
    for (size_t i = 0; i != setup->roles.count; ++i) {
        const char *name = setup->roles.list[i].name;

        if (strcmp(name, "app") == 0 || strcmp(name, "generator") == 0) {
            return sp_lab_refuse(reader, at, "a role can't be called '%s': that is taken", name);
        }
        for (size_t k = 0; k != i; ++k) {
            if (strcmp(setup->roles.list[k].name, name) == 0) {
                return sp_lab_refuse(reader, at, "two roles are called '%.40s'; give a 'name'",
                                     name);
            }
        }
    }
    return SP_OK;
}

static bool knows_instance(const sp_lab_setup_t *setup, const char *name)
{
    for (size_t i = 0; i != setup->roles.count; ++i) {
        if (strcmp(setup->roles.list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* What a set-up says must go together. */
static sp_status_t check(sp_lab_reader_t *reader, size_t at, const sp_lab_setup_t *setup)
{
    sp_status_t status = check_roles(reader, at, setup);

    if (status != SP_OK) {
        return status;
    }
    for (size_t i = 0; i != setup->event_count; ++i) {
        if (!knows_instance(setup, setup->events[i].kill)) {
            return sp_lab_refuse(reader, at, "there is no role '%.40s' here to kill",
                                 setup->events[i].kill);
        }
    }
    if (setup->resolver == NULL && (setup->has_app || setup->lookups.concurrency != 0)) {
        return sp_lab_refuse(reader, at, "'resolver' is missing here: whom is the client to ask?");
    }
    if (!setup->has_app && setup->lookups.concurrency == 0 && setup->steps.role == NULL &&
        setup->raw.count == 0) {
        return sp_lab_refuse(reader, at,
                             "nothing is measured here: expected an app, lookups, "
                             "steps or raw");
    }
    return SP_OK;
}

typedef struct setup_context {
    const sp_lab_common_t *common;
    sp_lab_setup_t *setups;
    size_t count;
} setup_context_t;

static sp_status_t read_setup(sp_lab_reader_t *reader, sp_lab_node_t node,
                              const sp_lab_common_t *common, sp_lab_setup_t *ret_setup)
{
    static const sp_lab_uses_t none = {.list = NULL, .count = 0};
    raw_setup_t raw = {
        .setup = {.common_roles = true, .ttl_s = common->ttl_s, .step = NAN, .says = ""}};
    sp_lab_setup_t *setup = &raw.setup;
    sp_status_t status = sp_lab_read_object(reader, node, keys, SP_COUNT(keys), &raw);

    if (status == SP_OK) {
        sp_lab_uses_t own = setup->roles;

        status =
            join_uses(reader, setup->common_roles ? &common->roles : &none, &own, &setup->roles);
    }
    if (status == SP_OK) {
        status = join_impairments(reader, &common->impairments, &raw.impairments, setup);
    }
    setup->has_app = common->has_app && !raw.without_app;
    setup->app = common->app;
    if (status == SP_OK && raw.app.value != NULL) {
        setup->has_app = true;
        setup->app.name = setup->app.role == NULL ? NULL : setup->app.name;
        status = sp_lab_lay_use(reader, raw.app, &setup->app);
    }
    setup->app.name = "app";
    setup->events = raw.events.list;
    setup->event_count = raw.events.count;
    if (status == SP_OK) {
        status = check(reader, node.at, setup);
    }
    if (status == SP_OK) {
        *ret_setup = *setup;
    }
    return status;
}

/* Lists are read item by item with what is common at hand, so not through sp_lab_read_list. */
static sp_status_t read_item(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    *(sp_lab_node_t *)into = node;
    (void)reader;
    return SP_OK;
}

sp_status_t sp_lab_read_setups(sp_lab_reader_t *reader, sp_lab_node_t node,
                               const sp_lab_common_t *common, sp_lab_experiment_t *experiment)
{
    static const sp_lab_list_t list = {
        .size = sizeof(sp_lab_node_t), .max = SP_LAB_EXPERIMENT_SETUPS_MAX, .read = read_item};
    void *items = NULL;
    const sp_lab_node_t *nodes = NULL;
    size_t count = 0;
    sp_status_t status = sp_lab_read_list(reader, node, &list, &items, &count);

    nodes = items;
    if (status == SP_OK && count == 0) {
        return sp_lab_refuse(reader, node.at, "at least one set-up is needed");
    }
    if (status == SP_OK) {
        experiment->setups = sp_arena_zalloc(reader->arena, count, sizeof(*experiment->setups));
        status = experiment->setups == NULL ? sp_lab_no_memory(reader) : SP_OK;
    }
    for (size_t i = 0; status == SP_OK && i != count; ++i) {
        status = read_setup(reader, nodes[i], common, &experiment->setups[i]);
        for (size_t k = 0; status == SP_OK && k != i; ++k) {
            if (strcmp(experiment->setups[k].name, experiment->setups[i].name) == 0) {
                status = sp_lab_refuse(reader, nodes[i].at, "two set-ups are called '%s'",
                                       experiment->setups[i].name);
            }
        }
    }
    experiment->setup_count = status == SP_OK ? count : 0;
    return status;
}
