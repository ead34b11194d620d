/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_check.h"

#include "serve/config_keys.h"

#include <stdio.h>
#include <string.h>

#define POINTER_MAX 48
#define KEY_NAME_MAX 80

static void report_double_listener(const sp_config_t *config, size_t at,
                                   sp_config_conflict_fn *on_conflict, void *arg)
{
    char pointer[POINTER_MAX];
    char message[SP_ERROR_MESSAGE_MAX];

    if (snprintf(pointer, sizeof(pointer), "/listen/%zu/address", at) > 0 &&
        snprintf(message, sizeof(message),
                 "%.100s is listened at already; expected each place once",
                 config->listen[at].address.text) > 0) {
        on_conflict(arg, pointer, message);
    }
}

/* Listeners are opened by several threads at once (SO_REUSEPORT), so that the system would not
 * complain about one that is there twice. */
static bool is_listed_before(const sp_config_t *config, size_t at)
{
    const sp_address_t *address = &config->listen[at].address;
    bool found = false;

    for (size_t i = 0; i != at && !found; ++i) {
        found =
            address->kind != SP_ADDRESS_NONE && sp_address_eq(address, &config->listen[i].address);
    }
    return found;
}

static void check_listeners(const sp_config_t *config, sp_config_conflict_fn *on_conflict,
                            void *arg)
{
    bool is_admin = false;

    for (size_t i = 0; i != config->listen_count; ++i) {
        is_admin = is_admin || (config->admin.kind != SP_ADDRESS_NONE &&
                                sp_address_eq(&config->listen[i].address, &config->admin));
        if (is_listed_before(config, i)) {
            report_double_listener(config, i, on_conflict, arg);
        }
    }
    if (is_admin) {
        on_conflict(arg, "/admin/address",
                    "the admin endpoints must have an address of their own, not that of a public "
                    "listener");
    }
}

void sp_config_find_conflicts(const sp_config_t *config, sp_config_conflict_fn *on_conflict,
                              void *arg)
{
    char message[SP_ERROR_MESSAGE_MAX];

    check_listeners(config, on_conflict, arg);
    if (config->cache.min_ttl_s > config->cache.max_ttl_s &&
        snprintf(message, sizeof(message),
                 "cache.min_ttl_s must be at most cache.max_ttl_s, which is %u, not %u",
                 (unsigned)config->cache.max_ttl_s, (unsigned)config->cache.min_ttl_s) > 0) {
        on_conflict(arg, "/cache/min_ttl_s", message);
    }
    if (config->drain.delay_s >= config->drain.timeout_s &&
        snprintf(message, sizeof(message),
                 "drain.delay_s must be less than drain.timeout_s, which is %u, not %u",
                 config->drain.timeout_s, config->drain.delay_s) > 0) {
        on_conflict(arg, "/drain/delay_s", message);
    }
}

/* The search for keys that are set without effect. */
typedef struct later_search {
    sp_config_key_fn *on_key;
    void *arg;
    size_t count;
} later_search_t;

static bool is_default(const sp_config_key_t *key, const void *values, const void *defaults)
{
    const char *value = (const char *)values + key->offset;
    const char *standard = (const char *)defaults + key->offset;

    return key->same != NULL ? key->same(value, standard) : memcmp(value, standard, key->size) == 0;
}

static void tell_row(later_search_t *search, const sp_config_key_t *key, const char *section,
                     const void *values, const void *defaults)
{
    char name[KEY_NAME_MAX];

    if (!key->later || is_default(key, values, defaults)) {
        return;
    }
    if (snprintf(name, sizeof(name), "%s%s%s", section, section[0] == '\0' ? "" : ".", key->name) >
            0 &&
        search->on_key != NULL) {
        search->on_key(search->arg, name);
    }
    ++search->count;
}

/* Rows of one section: sections below the top hold no further ones. */
static void search_section(later_search_t *search, const sp_config_keys_t *keys,
                           const char *section, const void *values, const void *defaults)
{
    for (size_t row = 0; row != keys->count; ++row) {
        tell_row(search, &keys->rows[row], section, values, defaults);
    }
}

static void search_items(later_search_t *search, const sp_config_key_t *key,
                         const sp_config_t *config)
{
    const char *items;
    size_t count;
    char section[KEY_NAME_MAX];

    memcpy(&items, (const char *)config + key->offset, sizeof(items));
    memcpy(&count, (const char *)config + key->count_offset, sizeof(count));
    for (size_t i = 0; i != count; ++i) {
        if (snprintf(section, sizeof(section), "%s[%zu]", key->name, i) > 0) {
            search_section(search, key->keys, section, items + i * key->size,
                           key->keys->item_default);
        }
    }
}

size_t sp_config_not_in_force(const sp_config_t *config, sp_config_key_fn *on_key, void *arg)
{
    sp_config_t defaults;
    later_search_t search = {.on_key = on_key, .arg = arg};

    sp_config_init_scalars(&defaults);
    for (size_t row = 0; row != sp_config_root.count; ++row) {
        const sp_config_key_t *key = &sp_config_root.rows[row];

        if (key->kind == SP_KEY_SECTION) {
            search_section(&search, key->keys, key->name, config, &defaults);
        } else if (key->kind == SP_KEY_SECTIONS) {
            search_items(&search, key, config);
        } else {
            tell_row(&search, key, "", config, &defaults);
        }
    }
    return search.count;
}
