/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/snapshot.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dns/resolv_conf.h"
#include "serve/config_origin.h"
#include "serve/fault_log.h"
#include "serve/restart.h"

#define RESOLV_CONF "/etc/resolv.conf"
#define POINTER_MAX 48

/* Held by each snapshot that uses it. */
typedef struct shared_cache {
    atomic_size_t references;
    sp_cache_options_t options;
    sp_cache_t *cache;
} shared_cache_t;

struct sp_snapshot {
    atomic_size_t references;
    sp_config_t *config;
    sp_zones_t *zones;
    sp_dns_options_t dns;
    shared_cache_t *shared; /* NULL: nothing is cached */
};

static void release_cache(shared_cache_t *shared)
{
    if (shared == NULL ||
        atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    sp_cache_destroy(shared->cache);
    free(shared);
}

static sp_status_t create_cache(const sp_cache_options_t *options, shared_cache_t **ret_shared)
{
    shared_cache_t *shared = calloc(1, sizeof(*shared));
    sp_status_t status = SP_NO_MEMORY;

    if (shared == NULL) {
        return SP_NO_MEMORY;
    }
    atomic_init(&shared->references, 1);
    shared->options = *options;
    status = sp_cache_create(options, &shared->cache);
    if (status != SP_OK) {
        release_cache(shared);
        return status;
    }
    *ret_shared = shared;
    return SP_OK;
}

static bool has_same_options(const sp_cache_options_t *a, const sp_cache_options_t *b)
{
    return a->max_bytes == b->max_bytes && a->min_ttl_s == b->min_ttl_s &&
           a->max_ttl_s == b->max_ttl_s && a->negative_ttl_s == b->negative_ttl_s &&
           a->failure_ttl_s == b->failure_ttl_s && a->stale_s == b->stale_s &&
           a->prefetch == b->prefetch;
}

static sp_status_t find_cache(sp_snapshot_t *snapshot, const sp_snapshot_t *old)
{
    const sp_config_cache_t *config = &snapshot->config->cache;
    sp_cache_options_t options = {
        .enabled = true,
        .max_bytes = config->max_bytes,
        .min_ttl_s = config->min_ttl_s,
        .max_ttl_s = config->max_ttl_s,
        .negative_ttl_s = config->negative_ttl_s,
        .failure_ttl_s = config->failure_ttl_s,
        .stale_s = config->stale_s,
        .prefetch = config->prefetch,
    };

    if (!config->enabled) {
        return SP_OK;
    }
    if (old != NULL && old->shared != NULL && has_same_options(&old->shared->options, &options)) {
        (void)atomic_fetch_add_explicit(&old->shared->references, 1, memory_order_relaxed);
        snapshot->shared = old->shared;
        return SP_OK;
    }
    return create_cache(&options, &snapshot->shared);
}

/* Who hears of faults in zones. */
typedef struct zone_faults {
    const sp_log_t *log;
    const sp_config_t *config;
} zone_faults_t;

/* A zone file as a whole: what named it is told with it. */
static void tell_bad_path(const zone_faults_t *faults, const char *path, const char *message)
{
    const sp_config_dns_t *dns = &faults->config->dns;
    char pointer[POINTER_MAX];
    size_t at = 0;

    while (at != dns->zone_count && (dns->zones[at] == NULL || strcmp(dns->zones[at], path) != 0)) {
        ++at;
    }
    if (faults->config->origin.is_zone_flag) {
        sp_log_write_place(faults->log, "--zone: %s", message);
    } else if (snprintf(pointer, sizeof(pointer), "/dns/zones/%zu", at) > 0) {
        sp_fault_log_value(faults->log, faults->config, pointer, "dns.zones[%zu]: %s", at, message);
    }
}

static void on_zone_fault(void *arg, const char *path, size_t line, size_t column,
                          const char *message)
{
    const zone_faults_t *faults = arg;

    if (line != 0) {
        sp_log_write_place(faults->log, "%s:%zu:%zu: %s", path, line, column, message);
    } else {
        tell_bad_path(faults, path, message); /* the words begin with the path */
    }
}

/* Zones alone are enough; without them there must be somebody to ask. Where the configuration has
 * faults, what it left open may just not have been read. */
static sp_status_t find_resolvers(sp_snapshot_t *snapshot, const sp_log_t *log)
{
    const sp_config_t *config = snapshot->config;
    sp_error_t err = {0};

    snapshot->dns = config->dns.options;
    if (snapshot->dns.resolver_count != 0 || !sp_config_knows(config, "/dns/resolvers")) {
        return SP_OK;
    }
    if (sp_resolv_conf_read(RESOLV_CONF, snapshot->dns.resolvers, SP_RESOLVERS_MAX,
                            &snapshot->dns.resolver_count, &err) != SP_OK) {
        snapshot->dns.resolver_count = 0;
    }
    if (snapshot->dns.resolver_count == 0 && config->dns.zone_count == 0 &&
        sp_config_knows(config, "/dns/zones")) {
        sp_log_write(log, SP_LOG_ERROR,
                     "no resolver: neither dns.resolvers, --resolver nor a nameserver line in "
                     "%s names one, and there is no zone file",
                     RESOLV_CONF);
        return SP_BAD_VALUE;
    }
    return SP_OK;
}

/* Every fault is told by the callback. */
static sp_status_t load_zones(sp_snapshot_t *snapshot, const sp_log_t *log)
{
    const sp_config_dns_t *dns = &snapshot->config->dns;
    zone_faults_t faults = {.log = log, .config = snapshot->config};
    const char **paths = NULL;
    size_t count = 0;
    sp_error_t err = {0};
    sp_status_t status = SP_OK;

    if (dns->zone_count == 0) {
        return SP_OK;
    }
    paths = calloc(dns->zone_count, sizeof(*paths));
    if (paths == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; i != dns->zone_count; ++i) {
        if (dns->zones[i] != NULL) { /* else it was a bad value */
            paths[count++] = dns->zones[i];
        }
    }
    status = sp_zones_load(paths, count, on_zone_fault, &faults, &snapshot->zones, &err);
    free(paths);
    return status;
}

/* With zones and resolvers whatever the configuration's status is: every fault is to be told. */
static sp_status_t fill(sp_snapshot_t *snapshot, sp_status_t status, const sp_log_t *log,
                        const sp_snapshot_t *old)
{
    status = sp_fault_worse(status, load_zones(snapshot, log));
    status = sp_fault_worse(status, find_resolvers(snapshot, log));
    return status == SP_OK ? find_cache(snapshot, old) : status;
}

sp_status_t sp_snapshot_examine(const sp_config_flags_t *flags, const sp_log_t *log,
                                const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot)
{
    sp_snapshot_t *snapshot = calloc(1, sizeof(*snapshot));
    sp_status_t status = SP_NO_MEMORY;

    if (snapshot != NULL) {
        atomic_init(&snapshot->references, 1);
        status = sp_config_examine(flags, sp_fault_log, (void *)(uintptr_t)log, &snapshot->config);
    }
    if (status != SP_NO_MEMORY) {
        status = fill(snapshot, status, log, old);
    }
    if (status == SP_NO_MEMORY) {
        sp_log_write(log, SP_LOG_ERROR, "out of memory while loading the configuration");
        sp_snapshot_release(snapshot);
        return status;
    }
    *ret_snapshot = snapshot;
    return status;
}

sp_status_t sp_snapshot_load(const sp_config_flags_t *flags, const sp_log_t *log,
                             const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot)
{
    sp_snapshot_t *snapshot = NULL;
    sp_status_t status = sp_snapshot_examine(flags, log, old, &snapshot);

    if (status == SP_OK) {
        *ret_snapshot = snapshot;
    } else {
        sp_snapshot_release(snapshot);
    }
    return status;
}

sp_status_t sp_snapshot_keep(sp_snapshot_t *snapshot, const sp_snapshot_t *old, const sp_log_t *log)
{
    sp_status_t status = sp_restart_keep(log, old->config, snapshot->config);

    if (status != SP_OK) {
        sp_log_write(log, SP_LOG_ERROR, "out of memory while loading the configuration");
    }
    return status;
}

sp_snapshot_t *sp_snapshot_retain(sp_snapshot_t *snapshot)
{
    (void)atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
    return snapshot;
}

void sp_snapshot_release(sp_snapshot_t *snapshot)
{
    if (snapshot == NULL ||
        atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    release_cache(snapshot->shared);
    sp_zones_destroy(snapshot->zones);
    sp_config_destroy(snapshot->config);
    free(snapshot);
}

const sp_config_t *sp_snapshot_config(const sp_snapshot_t *snapshot)
{
    return snapshot->config;
}

const sp_zones_t *sp_snapshot_zones(const sp_snapshot_t *snapshot)
{
    return snapshot->zones;
}

const sp_dns_options_t *sp_snapshot_dns(const sp_snapshot_t *snapshot)
{
    return &snapshot->dns;
}

sp_cache_t *sp_snapshot_cache(const sp_snapshot_t *snapshot)
{
    return snapshot->shared == NULL ? NULL : snapshot->shared->cache;
}
