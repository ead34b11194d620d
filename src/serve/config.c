/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "serve/config_check.h"

#include <stdlib.h>

#define ARENA_CHUNK 4096

static const sp_config_t scalar_defaults = {
    .dns = {.options =
                {.transport = SP_TRANSPORT_AUTO, .try_ms = 400, .tries = 3, .max_inflight = 10000},
            .timeout_ms = 2000},
    .cache = {.enabled = true,
              .prefetch = true,
              .max_bytes = 64UL * 1024 * 1024,
              .min_ttl_s = 0,
              .max_ttl_s = 86400,
              .negative_ttl_s = 60,
              .failure_ttl_s = 5,
              .stale_s = 86400},
    .dialects = SP_DIALECT_TXTV0,
    .tls_certificates = "/etc/signpost/tls",
    .tls_default = "",
    .acme = {.directory = {.ptr = SP_ACME_LETS_ENCRYPT, .len = sizeof(SP_ACME_LETS_ENCRYPT) - 1},
             .email = {.ptr = "", .len = 0},
             .eab_kid = {.ptr = "", .len = 0},
             .eab_hmac_key = {.ptr = "", .len = 0},
             .challenge = SP_ACME_HTTP_01,
             .per_domain_per_week = 20,
             .per_hour = 60},
    .drain = {.delay_s = 0, .timeout_s = 30},
    .log = {.level = SP_LOG_INFO, .access = SP_ACCESS_JSON, .format = SP_LOG_TEXT},
};

void sp_config_init_scalars(sp_config_t *config)
{
    *config = scalar_defaults;
    sp_policy_init(&config->policy);
}

sp_status_t sp_config_create_default(sp_config_t **ret_config)
{
    sp_status_t status = SP_NO_MEMORY;
    sp_config_t *config = malloc(sizeof(*config));
    sp_config_listen_t *listen;

    if (config == NULL) {
        return SP_NO_MEMORY;
    }
    sp_config_init_scalars(config);
    sp_arena_init(&config->arena, NULL, 0, ARENA_CHUNK);
    listen = sp_arena_zalloc(&config->arena, 1, sizeof(*listen));
    if (listen == NULL) {
        goto out;
    }
    config->listen = listen;
    config->listen_count = 1;
    status = sp_address_parse(SP_STR("[::]:8080"), &config->arena, &listen->address, NULL);
    if (status == SP_OK) {
        *ret_config = config;
        config = NULL;
    }
out:
    sp_config_destroy(config);
    return status;
}

void sp_config_destroy(sp_config_t *config)
{
    if (config != NULL) {
        sp_arena_clear(&config->arena);
        free(config);
    }
}

bool sp_config_trusts(const sp_config_t *config, const struct sockaddr *peer)
{
    bool trusted = false;

    for (size_t i = 0; i != config->trusted_proxy_count && !trusted; ++i) {
        trusted = sp_network_contains(&config->trusted_proxies[i], peer);
    }
    return trusted;
}

const sp_config_listen_t *sp_config_tls_listener(const sp_config_t *config)
{
    for (size_t i = 0; i != config->listen_count; ++i) {
        if (config->listen[i].tls) {
            return &config->listen[i];
        }
    }
    return NULL;
}
