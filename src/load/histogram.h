/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_HISTOGRAM_H
#define SIGNPOST_LOAD_HISTOGRAM_H

/* Durations in log-linear buckets: 1 ns exact up to 128 ns, then 128 buckets for each doubling, so
 * that a value read off it is less than 0.8 % too low. Memory is fixed; several can be merged. */

#include <signpost/base/error.h>
#include <stddef.h>
#include <stdint.h>

#define SP_LOAD_HISTOGRAM_SUB_BITS 7
#define SP_LOAD_HISTOGRAM_MAX_NS ((uint64_t)1 << 42) /* 73 minutes; beyond counts as this */
#define SP_LOAD_HISTOGRAM_BUCKETS                                                                  \
    ((size_t)(42 - SP_LOAD_HISTOGRAM_SUB_BITS + 2) << SP_LOAD_HISTOGRAM_SUB_BITS)

typedef struct sp_load_histogram {
    uint64_t count;
    uint64_t min_ns, max_ns; /* exact; 0 while nothing is counted */
    double sum_ns, sum_squares;
    uint64_t buckets[SP_LOAD_HISTOGRAM_BUCKETS];
} sp_load_histogram_t;

void sp_load_histogram_init(sp_load_histogram_t *histogram);
void sp_load_histogram_add(sp_load_histogram_t *histogram, uint64_t ns);
void sp_load_histogram_merge(sp_load_histogram_t *into, const sp_load_histogram_t *from);

/* The smallest recorded value such that at least the share `q` (0 … 1) of all is not above it: the
 * lower edge of its bucket, or the exact minimum or maximum at the ends. 0 while empty. */
uint64_t sp_load_histogram_quantile(const sp_load_histogram_t *histogram, double q);

double sp_load_histogram_mean_ns(const sp_load_histogram_t *histogram);
double sp_load_histogram_deviation_ns(const sp_load_histogram_t *histogram);

/* Bucket `index` holds values from *ret_from to below *ret_to. */
void sp_load_histogram_bucket(size_t index, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

#endif
