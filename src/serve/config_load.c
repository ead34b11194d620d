/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "serve/config_check.h"
#include "serve/config_values.h"

#include <string.h>

/* One setting from outside the file: a flag or a variable. */
typedef struct outside {
    sp_config_t *config;
    const char *source; /* "--listen", "SIGNPOST_LISTEN" */
    sp_config_fault_fn *on_fault;
    void *arg;
    sp_status_t status; /* the worst so far */
    bool has_listen;    /* the list of listeners came from outside */
} outside_t;

static void fail_outside(outside_t *outside, sp_status_t status, const char *message)
{
    sp_config_fault_t fault = {.source = outside->source, .message = message};

    if (status == SP_NO_MEMORY) {
        outside->status = SP_NO_MEMORY;
        return;
    }
    if (outside->status == SP_OK) {
        outside->status = SP_BAD_VALUE;
    }
    if (outside->on_fault != NULL) {
        outside->on_fault(outside->arg, &fault);
    }
}

/* Reads `count` texts into as many items of `size` octets. */
static void read_items(outside_t *outside, const sp_str_t *texts, size_t count,
                       sp_config_parse_fn *parse, void *items, size_t size)
{
    sp_error_t err;

    for (size_t i = 0; i != count; ++i) {
        sp_status_t status =
            parse(texts[i], &outside->config->arena, (char *)items + i * size, &err);

        if (status != SP_OK) {
            fail_outside(outside, status, err.message);
        }
    }
}

static bool has_room(outside_t *outside, size_t count, size_t max)
{
    sp_error_t err;

    if (count > max) {
        (void)sp_fail(&err, SP_TOO_LONG, 0, "at most %zu can be given, not %zu", max, count);
        fail_outside(outside, SP_TOO_LONG, err.message);
    }
    return count <= max;
}

static void set_listen(outside_t *outside, const sp_str_t *texts, size_t count)
{
    sp_config_listen_t *items;

    if (!has_room(outside, count, SP_CONFIG_LISTEN_MAX)) {
        return;
    }
    items = sp_arena_zalloc(&outside->config->arena, count, sizeof(*items));
    if (items == NULL) {
        fail_outside(outside, SP_NO_MEMORY, "");
        return;
    }
    read_items(outside, texts, count, sp_config_parse_address, items, sizeof(*items));
    outside->config->listen = items;
    outside->config->listen_count = count;
    outside->has_listen = true;
}

static void set_resolvers(outside_t *outside, const sp_str_t *texts, size_t count)
{
    sp_dns_options_t *options = &outside->config->dns.options;

    if (has_room(outside, count, SP_RESOLVERS_MAX)) {
        read_items(outside, texts, count, sp_config_parse_resolver, options->resolvers,
                   sizeof(options->resolvers[0]));
        options->resolver_count = count;
    }
}

static void set_zones(outside_t *outside, const sp_str_t *texts, size_t count)
{
    const char **items;

    if (!has_room(outside, count, SP_CONFIG_ZONES_MAX)) {
        return;
    }
    items = sp_arena_zalloc(&outside->config->arena, count, sizeof(*items));
    if (items == NULL) {
        fail_outside(outside, SP_NO_MEMORY, "");
        return;
    }
    read_items(outside, texts, count, sp_config_parse_path, items, sizeof(*items));
    outside->config->dns.zones = items;
    outside->config->dns.zone_count = count;
    outside->config->origin.is_zone_flag = true;
}

static void set_threads(outside_t *outside, sp_str_t text)
{
    uint64_t threads;
    sp_error_t err;

    if (sp_str_to_uint(text, SP_CONFIG_THREADS_MAX, &threads)) {
        outside->config->threads = (unsigned)threads;
    } else {
        (void)sp_fail(&err, SP_BAD_VALUE, 0, "'%.*s' is no number of threads; expected 0 to %d",
                      text.len > 60 ? 60 : (int)text.len, text.ptr, SP_CONFIG_THREADS_MAX);
        fail_outside(outside, SP_BAD_VALUE, err.message);
    }
}

typedef void set_list_fn(outside_t *outside, const sp_str_t *texts, size_t count);

static void apply_flags(outside_t *outside, const char *source, set_list_fn *set,
                        const char *const *values, size_t count)
{
    sp_str_t *texts = sp_arena_zalloc(&outside->config->arena, count, sizeof(*texts));

    outside->source = source;
    if (texts == NULL) {
        fail_outside(outside, SP_NO_MEMORY, "");
        return;
    }
    for (size_t i = 0; i != count; ++i) {
        texts[i] = sp_str_from(values[i]);
    }
    set(outside, texts, count);
}

/* A variable's list: separated by commas, blanks around the parts dropped. */
static void apply_variable(outside_t *outside, const char *source, set_list_fn *set,
                           const char *value)
{
    sp_str_t list = sp_str_from(value);
    sp_str_t *texts = sp_arena_zalloc(&outside->config->arena, list.len + 1, sizeof(*texts));
    size_t count = 0;

    outside->source = source;
    if (texts == NULL) {
        fail_outside(outside, SP_NO_MEMORY, "");
        return;
    }
    for (sp_str_t rest = list; rest.ptr != NULL; ++count) {
        texts[count] = sp_str_trim(sp_str_cut(rest, ',', &rest));
    }
    set(outside, texts, count);
}

/* NULL where the variable is missing, empty, or not to be asked. */
static const char *variable(const sp_config_flags_t *flags, const char *name)
{
    const char *value = flags->environment == NULL ? NULL : flags->environment(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

/* A list that flags or a variable may give: the flags where there are any. */
typedef struct list_setting {
    const char *flag;
    const char *const *values;
    size_t count;
    const char *name; /* of the variable; NULL where there is none */
    set_list_fn *set;
} list_setting_t;

static void apply_list(outside_t *outside, const sp_config_flags_t *flags,
                       const list_setting_t *setting)
{
    const char *value = setting->name == NULL ? NULL : variable(flags, setting->name);

    if (setting->count != 0) {
        apply_flags(outside, setting->flag, setting->set, setting->values, setting->count);
    } else if (value != NULL) {
        apply_variable(outside, setting->name, setting->set, value);
    }
}

static void apply_lists(outside_t *outside, const sp_config_flags_t *flags)
{
    const list_setting_t settings[] = {
        {"--listen", flags->listen, flags->listen_count, "SIGNPOST_LISTEN", set_listen},
        {"--resolver", flags->resolvers, flags->resolver_count, "SIGNPOST_RESOLVER", set_resolvers},
        {"--zone", flags->zones, flags->zone_count, NULL, set_zones},
    };

    for (size_t i = 0; i != SP_COUNT(settings); ++i) {
        apply_list(outside, flags, &settings[i]);
    }
}

static void apply_threads(outside_t *outside, const sp_config_flags_t *flags)
{
    const char *value = variable(flags, "SIGNPOST_THREADS");

    outside->source = flags->threads != NULL ? "--threads" : "SIGNPOST_THREADS";
    if (flags->threads != NULL) {
        value = flags->threads;
    }
    if (value != NULL) {
        set_threads(outside, sp_str_from(value));
    }
}

static void report_conflict(void *arg, const char *pointer, const char *message)
{
    (void)pointer;
    fail_outside(arg, SP_BAD_VALUE, message);
}

/* What the file's own check could not see: a list from outside against what the file says. Where
 * the file has faults, its own conflicts are among them: the list is looked at alone. */
static void check_again(outside_t *outside, const char *source, bool is_file_good)
{
    sp_config_t alone;

    outside->source = source;
    if (outside->status != SP_OK) {
        return;
    }
    if (is_file_good) {
        sp_config_find_conflicts(outside->config, report_conflict, outside);
    } else if (outside->has_listen) {
        sp_config_init_scalars(&alone);
        alone.listen = outside->config->listen;
        alone.listen_count = outside->config->listen_count;
        sp_config_find_conflicts(&alone, report_conflict, outside);
    }
}

static void apply_outside(outside_t *outside, const sp_config_flags_t *flags, bool is_file_good)
{
    apply_lists(outside, flags);
    apply_threads(outside, flags);
    if (flags->no_cache) {
        outside->config->cache.enabled = false;
    }
    check_again(outside, flags->listen_count != 0 ? "--listen" : "SIGNPOST_LISTEN", is_file_good);
}

/* With a file that is bad the settings from outside are checked all the same: every fault is to be
 * told at once. */
static sp_status_t examine_base(const sp_config_flags_t *flags, sp_config_fault_fn *on_fault,
                                void *arg, sp_config_t **ret_config)
{
    const char *path = flags->file != NULL ? flags->file : variable(flags, "SIGNPOST_CONFIG");

    return path == NULL ? sp_config_create_default(ret_config)
                        : sp_config_examine_file(path, on_fault, arg, ret_config);
}

sp_status_t sp_config_examine(const sp_config_flags_t *flags, sp_config_fault_fn *on_fault,
                              void *arg, sp_config_t **ret_config)
{
    outside_t outside = {.on_fault = on_fault, .arg = arg};
    sp_status_t status = examine_base(flags, on_fault, arg, &outside.config);

    if (outside.config == NULL) {
        return status;
    }
    apply_outside(&outside, flags, status == SP_OK);
    if (outside.status == SP_NO_MEMORY) {
        sp_config_destroy(outside.config);
        return SP_NO_MEMORY;
    }
    *ret_config = outside.config;
    return status == SP_OK ? outside.status : status;
}

sp_status_t sp_config_load(const sp_config_flags_t *flags, sp_config_fault_fn *on_fault, void *arg,
                           sp_config_t **ret_config)
{
    sp_config_t *config = NULL;
    sp_status_t status = sp_config_examine(flags, on_fault, arg, &config);

    if (status == SP_OK) {
        *ret_config = config;
    } else {
        sp_config_destroy(config);
    }
    return status;
}
