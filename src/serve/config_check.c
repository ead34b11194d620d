/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_check.h"

#include <stdio.h>

#define POINTER_MAX 48

static void report_taken(const sp_config_t *config, const sp_address_t *taken, size_t at,
                         sp_config_conflict_fn *on_conflict, void *arg)
{
    const sp_address_t *address = &config->listen[at].address;
    char pointer[POINTER_MAX];
    char message[SP_ERROR_MESSAGE_MAX];
    int written = 0;

    if (sp_address_eq(address, taken)) {
        written =
            snprintf(message, sizeof(message),
                     "%.100s is listened at already; expected each place once", address->text);
    } else {
        written =
            snprintf(message, sizeof(message),
                     "%.60s and %.60s can't both be listened at: one takes the other's, and [::] "
                     "both families; expected one of them",
                     address->text, taken->text);
    }
    if (written > 0 && snprintf(pointer, sizeof(pointer), "/listen/%zu/address", at) > 0) {
        on_conflict(arg, pointer, message);
    }
}

/* The first of `count` listeners that is in the way of the address; NULL: none. They are opened by
 * several threads at once (SO_REUSEPORT), so that the system would not complain about one that is
 * there twice. */
static const sp_address_t *find_overlap(const sp_config_t *config, size_t count,
                                        const sp_address_t *address)
{
    for (size_t i = 0; i != count; ++i) {
        if (sp_address_overlaps(address, &config->listen[i].address)) {
            return &config->listen[i].address;
        }
    }
    return NULL;
}

static void check_admin(const sp_config_t *config, sp_config_conflict_fn *on_conflict, void *arg)
{
    const sp_address_t *taken = find_overlap(config, config->listen_count, &config->admin);
    char message[SP_ERROR_MESSAGE_MAX];

    if (taken != NULL && sp_address_eq(taken, &config->admin)) {
        on_conflict(arg, "/admin/address",
                    "the admin endpoints must have an address of their own, not that of a public "
                    "listener");
    } else if (taken != NULL &&
               snprintf(message, sizeof(message),
                        "the admin endpoints must have an address of their own; the public "
                        "listener %.60s takes %.60s as well",
                        taken->text, config->admin.text) > 0) {
        on_conflict(arg, "/admin/address", message);
    }
}

static void check_listeners(const sp_config_t *config, sp_config_conflict_fn *on_conflict,
                            void *arg)
{
    for (size_t i = 0; i != config->listen_count; ++i) {
        const sp_address_t *taken = find_overlap(config, i, &config->listen[i].address);

        if (taken != NULL) {
            report_taken(config, taken, i, on_conflict, arg);
        }
    }
    check_admin(config, on_conflict, arg);
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
