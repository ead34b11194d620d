/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/histogram.h"

static const uint64_t limits_us[SP_HISTOGRAM_BUCKETS] = {
    100,    250,    500,    1000,    2500,    5000,    10000,    25000,     50000,
    100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, UINT64_MAX};

/* There is one writer, so that no locked instruction is needed. */
static void add(atomic_uint_fast64_t *count, uint64_t value)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

void sp_histogram_add(sp_histogram_t *histogram, uint64_t us)
{
    size_t index = 0;

    while (us > limits_us[index]) {
        ++index;
    }
    add(&histogram->counts[index], 1);
    add(&histogram->sum_us, us);
}

void sp_histogram_collect(const sp_histogram_t *histogram, sp_histogram_sum_t *sum)
{
    for (size_t i = 0; i != SP_HISTOGRAM_BUCKETS; ++i) {
        sum->counts[i] += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
    }
    sum->sum_us += atomic_load_explicit(&histogram->sum_us, memory_order_relaxed);
}

uint64_t sp_histogram_limit_us(size_t index)
{
    return limits_us[index];
}
