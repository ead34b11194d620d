/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_ZONE_WRITER_H
#define SIGNPOST_LAB_ZONE_WRITER_H

/* The zone that everything is asked about: SP_LAB_ZONE with d00000 … as hosts, each with an address
 * and a _redirect record. Besides it, what the load generator sends and what the DNS tools ask. */

#include <signpost/base/error.h>
#include <stdint.h>

#define SP_LAB_ZONE "redir.test"

typedef struct sp_lab_zone {
    unsigned names;
    unsigned ttl_s; /* of all records, and of negative answers */
} sp_lab_zone_t;

/* "d00042.redir.test", into `name`, which it returns. */
#define SP_LAB_HOST_MAX 40
const char *sp_lab_host(unsigned number, char name[SP_LAB_HOST_MAX]);

/* A master file for any authority. SP_OK or SP_IO. */
sp_status_t sp_lab_zone_write(const sp_lab_zone_t *zone, const char *path, sp_error_t *err);

/* For `signpost load`: host, path, 302, the Location that the record gives. */
sp_status_t sp_lab_targets_write(const sp_lab_zone_t *zone, const char *path, sp_error_t *err);

/* For dnsperf: "_redirect.HOST TXT", all of them in an order that `seed` shuffles. */
sp_status_t sp_lab_queries_write(const sp_lab_zone_t *zone, uint64_t seed, const char *path,
                                 sp_error_t *err);

#endif
