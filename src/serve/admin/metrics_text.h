/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_METRICS_TEXT_H
#define SIGNPOST_SERVE_ADMIN_METRICS_TEXT_H

/* Metrics in the text format of Prometheus, version 0.0.4. */

#include <signpost/base/buf.h>

#include "dns/histogram.h"

typedef enum sp_metric_type { SP_METRIC_COUNTER, SP_METRIC_GAUGE } sp_metric_type_t;

/* # HELP and # TYPE; the values follow. */
void sp_metric_begin(sp_buf_t *buf, const char *name, sp_metric_type_t type, const char *help);

/* One value. `labels` is NULL, or what stands between the braces: ours, so nothing is escaped. */
void sp_metric_value(sp_buf_t *buf, const char *name, const char *labels, uint64_t value);
void sp_metric_seconds(sp_buf_t *buf, const char *name, uint64_t us);

/* A metric with one value. */
void sp_metric_single(sp_buf_t *buf, const char *name, sp_metric_type_t type, const char *help,
                      uint64_t value);

/* A whole histogram, in seconds; `name` without suffix. */
void sp_metric_histogram(sp_buf_t *buf, const char *name, const char *help,
                         const sp_histogram_sum_t *sum);

#endif
