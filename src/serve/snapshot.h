/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_SNAPSHOT_H
#define SIGNPOST_SERVE_SNAPSHOT_H

/* A configuration in force, with the zones it names: immutable, shared by all workers, replaced as
 * a whole at a reload. Counted references; the thread that lets go last frees it. */

#include "dns/cache.h"
#include "dns/zone_client.h"
#include "serve/config.h"
#include "serve/log.h"

typedef struct sp_snapshot sp_snapshot_t;

/* Loads the configuration and its zones, and logs every fault. The result has one reference. The
 * cache of `old` (may be NULL) goes on with it unless its settings differ. SP_OK, SP_NO_MEMORY,
 * SP_IO, SP_BAD_VALUE, SP_BAD_SYNTAX. */
sp_status_t sp_snapshot_load(const sp_config_flags_t *flags, const sp_log_t *log,
                             const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot);

/* The same for whoever goes on looking for faults: what could be read is given whatever the status
 * is, but with SP_NO_MEMORY (see sp_config_examine). */
sp_status_t sp_snapshot_examine(const sp_config_flags_t *flags, const sp_log_t *log,
                                const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot);

/* What a reload can't change stays as it is in `old`, with a warning (restart.h). Before anybody
 * else has the snapshot. SP_OK, SP_NO_MEMORY (logged). */
sp_status_t sp_snapshot_keep(sp_snapshot_t *snapshot, const sp_snapshot_t *old,
                             const sp_log_t *log);

/* Both are safe from any thread; sp_snapshot_release accepts NULL. */
sp_snapshot_t *sp_snapshot_retain(sp_snapshot_t *snapshot);
void sp_snapshot_release(sp_snapshot_t *snapshot);

const sp_config_t *sp_snapshot_config(const sp_snapshot_t *snapshot);
const sp_zones_t *sp_snapshot_zones(const sp_snapshot_t *snapshot); /* NULL: none */
sp_cache_t *sp_snapshot_cache(const sp_snapshot_t *snapshot);       /* NULL: none */

/* The resolvers of the configuration, else those of the machine. */
const sp_dns_options_t *sp_snapshot_dns(const sp_snapshot_t *snapshot);

#endif
