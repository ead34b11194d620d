/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/counters.h"

/* The frequent ones first. */
static const uint16_t statuses[SP_COUNTERS_STATUSES] = {302, 301, 308, 307, 303, 200, 404,
                                                        400, 503, 508, 413, 431, 417, 0};

static size_t index_of(unsigned status)
{
    size_t index = 0;

    while (index != SP_COUNTERS_STATUSES - 1 && statuses[index] != status) {
        ++index;
    }
    return index;
}

/* There is one writer, so that no locked instruction is needed. */
static void increment(atomic_uint_fast64_t *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

void sp_counters_add(sp_counters_t *counters, const sp_report_t *report)
{
    if (!report->was_answered) {
        increment(&counters->gone);
        return;
    }
    increment(&counters->requests[report->kind][index_of(report->status)]);
    sp_histogram_add(&counters->durations, report->ended_us - report->started_us);
}

unsigned sp_counters_status(size_t index)
{
    return statuses[index];
}
