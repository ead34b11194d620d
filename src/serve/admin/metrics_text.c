/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/metrics_text.h"

#include <inttypes.h>

#define US_PER_S UINT64_C(1000000)

static void put_head(sp_buf_t *buf, const char *name, const char *type, const char *help)
{
    sp_buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void sp_metric_begin(sp_buf_t *buf, const char *name, sp_metric_type_t type, const char *help)
{
    put_head(buf, name, type == SP_METRIC_COUNTER ? "counter" : "gauge", help);
}

void sp_metric_value(sp_buf_t *buf, const char *name, const char *labels, uint64_t value)
{
    if (labels == NULL) {
        sp_buf_printf(buf, "%s %" PRIu64 "\n", name, value);
    } else {
        sp_buf_printf(buf, "%s{%s} %" PRIu64 "\n", name, labels, value);
    }
}

/* "0.0025": exact, without zeros at the end. */
static void put_seconds(sp_buf_t *buf, uint64_t us)
{
    uint64_t rest = us % US_PER_S;
    int digits = 6;

    while (digits > 1 && rest % 10 == 0) {
        rest /= 10;
        --digits;
    }
    sp_buf_printf(buf, "%" PRIu64 ".%0*" PRIu64, us / US_PER_S, digits, rest);
}

void sp_metric_seconds(sp_buf_t *buf, const char *name, uint64_t us)
{
    sp_buf_printf(buf, "%s ", name);
    put_seconds(buf, us);
    sp_buf_append_char(buf, '\n');
}

/* To a hundredth. */
void sp_metric_single(sp_buf_t *buf, const char *name, sp_metric_type_t type, const char *help,
                      uint64_t value)
{
    sp_metric_begin(buf, name, type, help);
    sp_metric_value(buf, name, NULL, value);
}

void sp_metric_histogram(sp_buf_t *buf, const char *name, const char *help,
                         const sp_histogram_sum_t *sum)
{
    uint64_t count = 0;

    put_head(buf, name, "histogram", help);
    for (size_t i = 0; i != SP_HISTOGRAM_BUCKETS; ++i) {
        count += sum->counts[i];
        sp_buf_printf(buf, "%s_bucket{le=\"", name);
        if (i + 1 == SP_HISTOGRAM_BUCKETS) {
            sp_buf_append(buf, SP_STR("+Inf"));
        } else {
            put_seconds(buf, sp_histogram_limit_us(i));
        }
        sp_buf_printf(buf, "\"} %" PRIu64 "\n", count);
    }
    sp_buf_printf(buf, "%s_sum ", name);
    put_seconds(buf, sum->sum_us);
    sp_buf_printf(buf, "\n%s_count %" PRIu64 "\n", name, count);
}
