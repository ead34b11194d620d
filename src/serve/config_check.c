/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_check.h"

#include <stdio.h>

#define POINTER_MAX 48

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

/* Nobody could connect. */
static void check_proxies(const sp_config_t *config, sp_config_conflict_fn *on_conflict, void *arg)
{
    char pointer[POINTER_MAX];

    for (size_t i = 0; i != config->listen_count; ++i) {
        if (config->listen[i].proxy_protocol && config->trusted_proxy_count == 0 &&
            snprintf(pointer, sizeof(pointer), "/listen/%zu/proxy_protocol", i) > 0) {
            on_conflict(arg, pointer,
                        "proxy_protocol is taken from trusted proxies only; expected their "
                        "addresses in trusted_proxies");
        }
    }
}

/* The authority asks on a listener of the kind that the challenge is about. */
static void check_challenge(const sp_config_t *config, sp_config_conflict_fn *on_conflict,
                            void *arg)
{
    bool needs_tls = config->acme.challenge == SP_ACME_TLS_ALPN_01;
    bool found = config->acme.storage == NULL;

    for (size_t i = 0; i != config->listen_count; ++i) {
        found = found || config->listen[i].tls == needs_tls;
    }
    if (!found) {
        on_conflict(arg, "/tls/acme",
                    needs_tls ? "the challenge tls-alpn-01 is answered on a listener with TLS; "
                                "expected one in listen"
                              : "the challenge http-01 is answered on a listener without TLS; "
                                "expected one in listen");
    }
}

void sp_config_find_conflicts(const sp_config_t *config, sp_config_conflict_fn *on_conflict,
                              void *arg)
{
    char message[SP_ERROR_MESSAGE_MAX];

    check_listeners(config, on_conflict, arg);
    check_proxies(config, on_conflict, arg);
    check_challenge(config, on_conflict, arg);
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
