/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_APP_METRICS_H
#define SIGNPOST_LAB_APP_METRICS_H

/* What signpost says of itself: its DNS queries by transport and rcode, and its lookups. */

#include <jansson.h>
#include <signpost/base/error.h>

#define SP_LAB_QUERY_KINDS_MAX 64

typedef struct sp_lab_query_kind {
    char transport[16];
    char rcode[24];
    double count;
} sp_lab_query_kind_t;

typedef struct sp_lab_app_metrics {
    sp_lab_query_kind_t queries[SP_LAB_QUERY_KINDS_MAX];
    size_t query_count;
    double lookups; /* asked of the network: misses */
    double hedges;
} sp_lab_app_metrics_t;

/* The text of /metrics; what is not known is passed over. */
void sp_lab_app_metrics_parse(sp_str_t text, sp_lab_app_metrics_t *ret_metrics);

/* GET /metrics at a unix socket. */
sp_status_t sp_lab_app_metrics_read(const char *socket_path, sp_lab_app_metrics_t *ret_metrics,
                                    sp_error_t *err);

/* {"queries": […], "lookups": N, "hedges": N, "queries_per_request": X}: what came in between.
 * `requests` 0: the last is left out. NULL when memory is out. */
json_t *sp_lab_app_metrics_json(const sp_lab_app_metrics_t *before,
                                const sp_lab_app_metrics_t *after, double requests);

#endif
