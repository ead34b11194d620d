/* SPDX-License-Identifier: Apache-2.0 */

/* Any octets as a configuration file: a configuration or at least one fault, never both, and every
 * place that is told lies in the text. A configuration that was taken must keep the limits that the
 * rest of the program counts on. */

#include "serve/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct told {
    size_t faults;
    size_t lines; /* of the text */
} told_t;

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_fault(void *arg, const sp_config_fault_t *fault)
{
    told_t *told = arg;

    ++told->faults;
    require(fault->line <= told->lines);
    require(fault->line == 0 || fault->column != 0);
    require(fault->message[0] != '\0' && strchr(fault->message, '\n') == NULL);
}

static void check_config(const sp_config_t *config)
{
    require(config->listen_count >= 1 && config->listen_count <= SP_CONFIG_LISTEN_MAX);
    for (size_t i = 0; i != config->listen_count; ++i) {
        require(config->listen[i].address.kind != SP_ADDRESS_NONE);
        require(config->listen[i].address.text != NULL);
    }
    require(config->dns.options.resolver_count <= SP_RESOLVERS_MAX);
    for (size_t i = 0; i != config->dns.zone_count; ++i) {
        require(config->dns.zones[i][0] != '\0');
    }
    require(config->dns.timeout_ms >= 1 && config->dns.options.tries >= 1);
    require(config->cache.min_ttl_s <= config->cache.max_ttl_s);
    require(config->policy.max_lookups >= 1 && config->policy.types <= 15);
    require(config->policy.qr.size >= 32 && config->policy.qr.recovery_level <= 3);
    require(config->policy.fallback_code >= 301 && config->policy.fallback_code <= 308);
    require(config->tls_certificates[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    told_t told = {.lines = 1};
    sp_config_t *config = NULL;
    sp_status_t status;

    for (size_t i = 0; i != size; ++i) {
        told.lines += data[i] == '\n' ? 1 : 0;
    }
    status = sp_config_read_text(text, "fuzz", check_fault, &told, &config);
    require((status == SP_OK) == (config != NULL));
    require((status == SP_OK) == (told.faults == 0));
    if (config != NULL) {
        check_config(config);
    }
    sp_config_destroy(config);
    return 0;
}
