/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_HISTOGRAM_H
#define SIGNPOST_DNS_HISTOGRAM_H

/* How long something took, counted in fixed buckets from 100 µs to 10 s. One thread writes, any may
 * read; a reader may see a count before the sum that belongs to it. */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SP_HISTOGRAM_BUCKETS 17 /* the last holds everything beyond 10 s */

typedef struct sp_histogram {
    atomic_uint_fast64_t counts[SP_HISTOGRAM_BUCKETS];
    atomic_uint_fast64_t sum_us;
} sp_histogram_t;

/* Several added up. */
typedef struct sp_histogram_sum {
    uint64_t counts[SP_HISTOGRAM_BUCKETS];
    uint64_t sum_us;
} sp_histogram_sum_t;

/* By the writer. */
void sp_histogram_add(sp_histogram_t *histogram, uint64_t us);

/* Adds what was counted so far to *sum. */
void sp_histogram_collect(const sp_histogram_t *histogram, sp_histogram_sum_t *sum);

/* The greatest duration that bucket `index` holds; UINT64_MAX for the last. */
uint64_t sp_histogram_limit_us(size_t index);

#endif
