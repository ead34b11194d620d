/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/experiment_read.h"

#include <arpa/inet.h>
#include <string.h>

#define TOOL_SECONDS 3

static const char *const place_words[] = {"client", "pod", "node", "cluster", "upstream", NULL};
static const char *const loop_words[] = {"open", "closed", NULL};
static const char *const arrival_words[] = {"poisson", "constant", NULL};
static const char *const http_words[] = {"1.1", "2", NULL};
static const char *const names_words[] = {"absolute", "relative", NULL};
sp_status_t sp_lab_read_node(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_node_t *kept = into;

    if (!json_is_object(node.value)) {
        return sp_lab_refuse(reader, node.at, "expected an object");
    }
    *kept = node;
    return SP_OK;
}

/* Values may be written as texts, numbers or truth values; templates see texts. */
static sp_status_t read_parameter_value(sp_lab_reader_t *reader, sp_lab_node_t node,
                                        const char **ret_value)
{
    sp_buf_t text;

    if (json_is_boolean(node.value)) {
        *ret_value = json_is_true(node.value) ? "yes" : "no";
        return SP_OK;
    }
    if (!json_is_number(node.value)) {
        return sp_lab_read_text(reader, node, ret_value);
    }
    sp_buf_init(&text, reader->arena, 64);
    if (json_is_integer(node.value)) {
        sp_buf_printf(&text, "%lld", (long long)json_integer_value(node.value));
    } else {
        sp_buf_printf(&text, "%g", json_real_value(node.value));
    }
    sp_buf_append_char(&text, '\0');
    *ret_value = sp_buf_str(&text).ptr;
    return text.status == SP_OK ? SP_OK : sp_lab_no_memory(reader);
}

typedef struct laying {
    sp_lab_parameter_t *list;
    size_t count;
} laying_t;

static sp_status_t lay_parameter(sp_lab_reader_t *reader, const char *key, sp_lab_node_t node,
                                 void *arg)
{
    laying_t *laying = arg;
    sp_str_t name;
    size_t i = 0;

    while (i != laying->count && strcmp(laying->list[i].name, key) != 0) {
        ++i;
    }
    if (i == laying->count) {
        name = sp_arena_copy(reader->arena, (sp_str_t){.ptr = key, .len = strlen(key) + 1});
        if (name.ptr == NULL) {
            return sp_lab_no_memory(reader);
        }
        laying->list[laying->count++] = (sp_lab_parameter_t){.name = name.ptr};
    }
    return read_parameter_value(reader, node, &laying->list[i].value);
}

/* Onto the parameters that are there, by name. */
sp_status_t sp_lab_lay_parameters(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_parameters_t *parameters = into;
    size_t room = parameters->count + json_object_size(node.value);
    laying_t laying = {.list = sp_arena_zalloc(reader->arena, room + 1, sizeof(*laying.list)),
                       .count = parameters->count};
    sp_status_t status = SP_OK;

    if (laying.list == NULL) {
        return sp_lab_no_memory(reader);
    }
    if (parameters->count != 0) {
        memcpy(laying.list, parameters->list, parameters->count * sizeof(*laying.list));
    }
    status = sp_lab_read_members(reader, node, lay_parameter, &laying);
    if (status == SP_OK) {
        *parameters = (sp_lab_parameters_t){.list = laying.list, .count = laying.count};
    }
    return status;
}

static sp_status_t read_address(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    const char **address = into;
    struct in_addr ignored;
    sp_status_t status = sp_lab_read_text(reader, node, address);

    if (status == SP_OK && inet_pton(AF_INET, *address, &ignored) != 1) {
        return sp_lab_refuse(reader, node.at, "expected an IPv4 address, not '%.40s'", *address);
    }
    return status;
}

static const sp_lab_key_t use_keys[] = {
    {.name = "role", .type = SP_LAB_NAME, .offset = offsetof(sp_lab_use_t, role)},
    {.name = "name", .type = SP_LAB_NAME, .offset = offsetof(sp_lab_use_t, name)},
    {.name = "at", .type = SP_LAB_WORD, .offset = offsetof(sp_lab_use_t, at), .words = place_words},
    {.name = "address",
     .type = SP_LAB_OTHER,
     .offset = offsetof(sp_lab_use_t, address),
     .read = read_address},
    {.name = "port",
     .type = SP_LAB_COUNT,
     .offset = offsetof(sp_lab_use_t, port),
     .min = 1,
     .max = 65535},
    {.name = "forward", .type = SP_LAB_TEXTS, .offset = offsetof(sp_lab_use_t, forward)},
    {.name = "parameters",
     .type = SP_LAB_OTHER,
     .offset = offsetof(sp_lab_use_t, parameters),
     .read = sp_lab_lay_parameters},
};

sp_status_t sp_lab_lay_use(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_use_t *use)
{
    sp_status_t status = sp_lab_read_object(reader, node, use_keys, SP_COUNT(use_keys), use);

    if (status == SP_OK && use->role == NULL) {
        return sp_lab_refuse(reader, node.at, "'role' is missing here");
    }
    if (status == SP_OK && use->name == NULL) {
        use->name = use->role;
    }
    return status;
}

static sp_status_t read_role(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_use_t *use = into;
    sp_status_t status = sp_lab_lay_use(reader, node, use);

    if (status == SP_OK && use->address == NULL) {
        return sp_lab_refuse(reader, node.at, "'address' is missing here");
    }
    return status;
}

static sp_status_t read_uses(sp_lab_reader_t *reader, sp_lab_node_t node, const sp_lab_list_t *list,
                             sp_lab_uses_t *uses)
{
    void *items = NULL;
    size_t count = 0;
    sp_status_t status = sp_lab_read_list(reader, node, list, &items, &count);

    if (status != SP_OK) {
        return status;
    }
    *uses = (sp_lab_uses_t){.list = items, .count = count};
    for (size_t i = 0; i != count; ++i) {
        for (size_t k = 0; k != i; ++k) {
            if (strcmp(uses->list[i].name, uses->list[k].name) == 0) {
                return sp_lab_refuse(reader, node.at, "two here are called '%.40s'; give a 'name'",
                                     uses->list[i].name);
            }
        }
    }
    return SP_OK;
}

sp_status_t sp_lab_read_roles(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_list_t list = {
        .size = sizeof(sp_lab_use_t), .max = SP_LAB_ROLES_MAX / 2, .read = read_role};

    return read_uses(reader, node, &list, into);
}

/* A role, or its name alone. */
static const sp_lab_key_t tool_keys[] = {
    {.name = "seconds",
     .type = SP_LAB_NUMBER,
     .offset = offsetof(sp_lab_use_t, seconds),
     .min = 1,
     .max = 600},
    {.name = "server_at",
     .type = SP_LAB_WORD,
     .offset = offsetof(sp_lab_use_t, server_at),
     .words = place_words},
};

#define TOOL_KEYS (SP_COUNT(use_keys) + SP_COUNT(tool_keys))

static sp_lab_use_t plain_tool(void)
{
    return (sp_lab_use_t){.at = SP_PLACE_POD, .server_at = SP_PLACE_POD, .seconds = TOOL_SECONDS};
}

static sp_status_t read_tool(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_use_t *tool = into;
    sp_lab_key_t keys[TOOL_KEYS];
    sp_status_t status = SP_OK;

    memcpy(keys, use_keys, sizeof(use_keys));
    memcpy(keys + SP_COUNT(use_keys), tool_keys, sizeof(tool_keys));
    *tool = plain_tool();
    if (json_is_string(node.value)) {
        status = sp_lab_read_text(reader, node, &tool->role);
        if (status == SP_OK && !sp_lab_is_name(tool->role)) {
            return sp_lab_refuse(reader, node.at, "'%.40s' names no role", tool->role);
        }
    } else {
        keys[0].required = true;
        status = sp_lab_read_object(reader, node, keys, TOOL_KEYS, tool);
    }
    if (status == SP_OK && tool->name == NULL) {
        tool->name = tool->role;
    }
    return status;
}

sp_status_t sp_lab_read_tools(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_list_t list = {
        .size = sizeof(sp_lab_use_t), .max = SP_LAB_LISTED_MAX, .read = read_tool};

    return read_uses(reader, node, &list, into);
}

static sp_status_t read_rate(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    double *rate = into;

    *rate = json_number_value(node.value);
    if (!json_is_number(node.value) || !(*rate >= 1 && *rate <= 1e7)) {
        return sp_lab_refuse(reader, node.at, "a rate is a number from 1 to 10000000");
    }
    return SP_OK;
}

static sp_status_t read_rates(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_list_t list = {
        .size = sizeof(double), .max = SP_LAB_RATES_MAX, .read = read_rate};
    sp_lab_use_t *steps = into; /* 'rates' stands at offset 0 of its table */
    void *items = NULL;
    sp_status_t status = sp_lab_read_list(reader, node, &list, &items, &steps->rate_count);

    if (status == SP_OK && steps->rate_count == 0) {
        return sp_lab_refuse(reader, node.at, "at least one rate is needed");
    }
    steps->rates = items;
    return status;
}

sp_status_t sp_lab_read_steps(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_use_t *steps = into;
    sp_lab_key_t keys[TOOL_KEYS + 1];
    sp_status_t status = SP_OK;

    memcpy(keys, use_keys, sizeof(use_keys));
    memcpy(keys + SP_COUNT(use_keys), tool_keys, sizeof(tool_keys));
    keys[0].name = "tool";
    keys[0].required = true;
    keys[TOOL_KEYS] = (sp_lab_key_t){
        .name = "rates", .type = SP_LAB_OTHER, .required = true, .offset = 0, .read = read_rates};
    *steps = plain_tool();
    steps->seconds = 2;
    status = sp_lab_read_object(reader, node, keys, TOOL_KEYS + 1, steps);
    if (status == SP_OK && steps->name == NULL) {
        steps->name = steps->role;
    }
    return status;
}

static sp_status_t read_names(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    const char **names = into;
    sp_status_t status = sp_lab_read_text(reader, node, names);

    if (status == SP_OK && strcmp(*names, "uniform") != 0 && strcmp(*names, "sequential") != 0 &&
        !sp_str_starts_with(sp_str_from(*names), SP_STR("zipf:"))) {
        return sp_lab_refuse(reader, node.at,
                             "'names' must be uniform, sequential or zipf:S, not '%.40s'", *names);
    }
    return status;
}

#define LOAD(field) offsetof(sp_lab_load_t, field)

sp_status_t sp_lab_lay_load(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_load_t *load)
{
    static const sp_lab_key_t keys[] = {
        {.name = "name", .type = SP_LAB_NAME, .offset = LOAD(name)},
        {.name = "loop", .type = SP_LAB_WORD, .offset = LOAD(loop), .words = loop_words},
        {.name = "arrivals", .type = SP_LAB_WORD, .offset = LOAD(arrivals), .words = arrival_words},
        {.name = "rate", .type = SP_LAB_NUMBER, .offset = LOAD(rate), .min = 1, .max = 1e7},
        {.name = "connections",
         .type = SP_LAB_COUNT,
         .offset = LOAD(connections),
         .min = 1,
         .max = 100000},
        {.name = "duration_s",
         .type = SP_LAB_NUMBER,
         .offset = LOAD(duration_s),
         .min = 0.1,
         .max = 86400},
        {.name = "requests", .type = SP_LAB_COUNT, .offset = LOAD(requests), .max = 1e9},
        {.name = "warm_s", .type = SP_LAB_NUMBER, .offset = LOAD(warm_s), .max = 3600},
        {.name = "timeout_s",
         .type = SP_LAB_NUMBER,
         .offset = LOAD(timeout_s),
         .min = 0.1,
         .max = 3600},
        {.name = "names", .type = SP_LAB_OTHER, .offset = LOAD(names), .read = read_names},
        {.name = "http", .type = SP_LAB_WORD, .offset = LOAD(http), .words = http_words},
        {.name = "tls", .type = SP_LAB_FLAG, .offset = LOAD(tls)},
        {.name = "threads", .type = SP_LAB_COUNT, .offset = LOAD(threads), .min = 1, .max = 256},
        {.name = "seed", .type = SP_LAB_COUNT, .offset = LOAD(seed), .max = 4294967295.0},
    };

    return sp_lab_read_object(reader, node, keys, SP_COUNT(keys), load);
}

#define LOOKUPS(field) offsetof(sp_lab_lookups_t, field)

sp_status_t sp_lab_read_lookups(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "concurrency",
         .type = SP_LAB_COUNT,
         .offset = LOOKUPS(concurrency),
         .min = 1,
         .max = 10000},
        {.name = "duration_s",
         .type = SP_LAB_NUMBER,
         .offset = LOOKUPS(duration_s),
         .min = 0.1,
         .max = 3600},
        {.name = "over_ms", .type = SP_LAB_NUMBER, .offset = LOOKUPS(over_ms), .max = 1e6},
        {.name = "search", .type = SP_LAB_TEXTS, .offset = LOOKUPS(search)},
        {.name = "ndots", .type = SP_LAB_COUNT, .offset = LOOKUPS(ndots), .min = 1, .max = 15},
        {.name = "options", .type = SP_LAB_TEXTS, .offset = LOOKUPS(options)},
        {.name = "names", .type = SP_LAB_WORD, .offset = LOOKUPS(names), .words = names_words},
    };
    sp_lab_lookups_t *lookups = into;

    *lookups = (sp_lab_lookups_t){.concurrency = 200, .duration_s = 30, .over_ms = 5000};
    return sp_lab_read_object(reader, node, keys, SP_COUNT(keys), lookups);
}
