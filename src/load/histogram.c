/* SPDX-License-Identifier: Apache-2.0 */
#include "load/histogram.h"

#include <math.h>

#define SUB_BITS SP_LOAD_HISTOGRAM_SUB_BITS
#define SUB_COUNT ((uint64_t)1 << SUB_BITS)

/* Shares such as 0.999 are not exact in binary: this much too high a product is still the rank that
 * was meant. */
#define RANK_SLACK 1e-12

void sp_load_histogram_init(sp_load_histogram_t *histogram)
{
    *histogram = (sp_load_histogram_t){.count = 0};
}

/* Below 2^SUB_BITS each value has a bucket; above, the value's leading SUB_BITS + 1 bits say which.
 */
static size_t bucket_of(uint64_t ns)
{
    unsigned shift = 0;

    if (ns < SUB_COUNT) {
        return (size_t)ns;
    }
    shift = 63U - (unsigned)__builtin_clzll(ns) - SUB_BITS;
    return ((size_t)shift << SUB_BITS) + (size_t)(ns >> shift);
}

void sp_load_histogram_bucket(size_t index, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
    uint64_t shift = index < 2 * SUB_COUNT ? 0 : (index >> SUB_BITS) - 1;
    uint64_t leading = index - (shift << SUB_BITS);

    *ret_from_ns = leading << shift;
    *ret_to_ns = (leading + 1) << shift;
}

void sp_load_histogram_add(sp_load_histogram_t *histogram, uint64_t ns)
{
    uint64_t value = ns < SP_LOAD_HISTOGRAM_MAX_NS ? ns : SP_LOAD_HISTOGRAM_MAX_NS;

    if (histogram->count == 0 || value < histogram->min_ns) {
        histogram->min_ns = value;
    }
    if (value > histogram->max_ns) {
        histogram->max_ns = value;
    }
    ++histogram->count;
    histogram->sum_ns += (double)value;
    histogram->sum_squares += (double)value * (double)value;
    ++histogram->buckets[bucket_of(value)];
}

void sp_load_histogram_merge(sp_load_histogram_t *into, const sp_load_histogram_t *from)
{
    if (from->count == 0) {
        return;
    }
    if (into->count == 0 || from->min_ns < into->min_ns) {
        into->min_ns = from->min_ns;
    }
    if (from->max_ns > into->max_ns) {
        into->max_ns = from->max_ns;
    }
    into->count += from->count;
    into->sum_ns += from->sum_ns;
    into->sum_squares += from->sum_squares;
    for (size_t i = 0; i != SP_LOAD_HISTOGRAM_BUCKETS; ++i) {
        into->buckets[i] += from->buckets[i];
    }
}

uint64_t sp_load_histogram_quantile(const sp_load_histogram_t *histogram, double q)
{
    double rank = ceil(q * (double)histogram->count * (1.0 - RANK_SLACK));
    uint64_t wanted = rank < 1.0 ? 1 : (uint64_t)rank;
    uint64_t seen = 0;

    if (histogram->count == 0 || q <= 0.0) {
        return histogram->min_ns;
    }
    for (size_t i = 0; i != SP_LOAD_HISTOGRAM_BUCKETS && wanted < histogram->count; ++i) {
        seen += histogram->buckets[i];
        if (seen >= wanted) {
            uint64_t from = 0;
            uint64_t to = 0;

            sp_load_histogram_bucket(i, &from, &to);
            return from > histogram->min_ns ? from : histogram->min_ns;
        }
    }
    return histogram->max_ns;
}

double sp_load_histogram_mean_ns(const sp_load_histogram_t *histogram)
{
    return histogram->count == 0 ? 0.0 : histogram->sum_ns / (double)histogram->count;
}

double sp_load_histogram_deviation_ns(const sp_load_histogram_t *histogram)
{
    double mean = sp_load_histogram_mean_ns(histogram);
    double variance = 0.0;

    if (histogram->count != 0) {
        variance = histogram->sum_squares / (double)histogram->count - mean * mean;
    }
    return variance > 0.0 ? sqrt(variance) : 0.0;
}
