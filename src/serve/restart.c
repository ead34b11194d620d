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

static bool has_same_storage(const sp_config_t *a, const sp_config_t *b)
{
    return a->acme.storage == NULL || b->acme.storage == NULL
               ? a->acme.storage == b->acme.storage
               : strcmp(a->acme.storage, b->acme.storage) == 0;
}

void sp_restart_warn(const sp_log_t *log, const sp_config_t *old, const sp_config_t *new)
{
    if (!has_same_listeners(old, new)) {
        sp_log_write(log, SP_LOG_WARNING, "a change of listen needs a restart");
    }
    if (!has_same_admin(old, new)) {
        sp_log_write(log, SP_LOG_WARNING, "a change of admin needs a restart");
    }
    if (!has_same_storage(old, new)) {
        sp_log_write(log, SP_LOG_WARNING, "a change of tls.acme.storage needs a restart");
    }
    if (old->threads != new->threads) {
        sp_log_write(log, SP_LOG_WARNING, "a change of threads needs a restart");
    }
}
