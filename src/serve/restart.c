/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/restart.h"

#include <string.h>

static bool has_same_listeners(const sp_config_t *a, const sp_config_t *b)
{
    bool is_same = a->listen_count == b->listen_count;

    for (size_t i = 0; is_same && i != a->listen_count; ++i) {
        is_same = sp_address_eq(&a->listen[i].address, &b->listen[i].address) &&
                  a->listen[i].tls == b->listen[i].tls &&
                  a->listen[i].proxy_protocol == b->listen[i].proxy_protocol &&
                  a->listen[i].https_port == b->listen[i].https_port;
    }
    return is_same;
}

static bool has_same_admin(const sp_config_t *a, const sp_config_t *b)
{
    return a->admin.kind == b->admin.kind &&
           (a->admin.kind == SP_ADDRESS_NONE || sp_address_eq(&a->admin, &b->admin));
}

/* Ends in NUL; NULL stays NULL. */
static sp_status_t copy_text(const char *text, sp_arena_t *arena, const char **ret_copy)
{
    *ret_copy = text == NULL
                    ? NULL
                    : sp_arena_copy(arena, (sp_str_t){.ptr = text, .len = strlen(text) + 1}).ptr;
    return text != NULL && *ret_copy == NULL ? SP_NO_MEMORY : SP_OK;
}

static sp_status_t keep_address(const sp_address_t *old, sp_arena_t *arena, sp_address_t *address)
{
    sp_status_t status = copy_text(old->text, arena, &address->text);

    if (status == SP_OK) {
        status = copy_text(old->path, arena, &address->path);
    }
    address->kind = old->kind;
    address->socket = old->socket;
    address->socket_len = old->socket_len;
    return status;
}

static sp_status_t keep_listeners(const sp_config_t *old, sp_config_t *config)
{
    sp_config_listen_t *items = sp_arena_zalloc(&config->arena, old->listen_count, sizeof(*items));
    sp_status_t status = items == NULL ? SP_NO_MEMORY : SP_OK;

    for (size_t i = 0; status == SP_OK && i != old->listen_count; ++i) {
        items[i] = old->listen[i];
        status = keep_address(&old->listen[i].address, &config->arena, &items[i].address);
    }
    config->listen = items;
    config->listen_count = old->listen_count;
    return status;
}

static void warn(const sp_log_t *log, const char *key)
{
    sp_log_write(log, SP_LOG_WARNING, "a change of %s needs a restart", key);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The storage that was opened at the start is the one that can be used. Without tls.acme nothing
 * more is got, which needs no restart, but the storage is held. */
static sp_status_t keep_storage(const sp_log_t *log, const sp_config_t *old, sp_config_t *config)
{
    const char *held = old->held_storage == NULL ? old->acme.storage : old->held_storage;
    sp_status_t status = copy_text(held, &config->arena, &config->held_storage);

    if (config->acme.storage == NULL) {
        if (old->acme.storage != NULL) {
            warn(log, "tls.acme.storage");
        }
    } else if (!is_same_text(config->acme.storage, held)) {
        warn(log, "tls.acme.storage");
        config->acme.storage = config->held_storage;
    }
    return status;
}

sp_status_t sp_restart_keep(const sp_log_t *log, const sp_config_t *old, sp_config_t *config)
{
    sp_status_t status = SP_OK;

    if (!has_same_listeners(old, config)) {
        warn(log, "listen");
        status = keep_listeners(old, config);
    }
    if (status == SP_OK && !has_same_admin(old, config)) {
        warn(log, "admin");
        status = keep_address(&old->admin, &config->arena, &config->admin);
    }
    if (status == SP_OK) {
        status = keep_storage(log, old, config);
    }
    if (old->threads != config->threads) {
        warn(log, "threads");
        config->threads = old->threads;
    }
    return status;
}
