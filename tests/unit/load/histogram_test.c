/* SPDX-License-Identifier: Apache-2.0 */
#include "load/histogram.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "load/choice.h"

#define SAMPLES 20000

static int by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* From 1 ns to an hour, as many in each decade. */
static void draw(uint64_t *samples, size_t count, uint64_t seed)
{
    sp_load_random_t random;

    sp_load_random_init(&random, seed, 0);
    for (size_t i = 0; i != count; ++i) {
        samples[i] = (uint64_t)pow(10.0, 12.5 * sp_load_random_unit(&random));
    }
}

Test(load_histogram, has_buckets_that_meet_and_are_narrow)
{
    uint64_t before = 0;

    for (size_t i = 0; i != SP_LOAD_HISTOGRAM_BUCKETS; ++i) {
        uint64_t from = 1;
        uint64_t to = 0;

        sp_load_histogram_bucket(i, &from, &to);
        cr_assert_eq(from, before, "bucket %zu", i);
        cr_assert_gt(to, from, "bucket %zu", i);
        cr_assert(to - from == 1 || (to - from) * 128 <= from, "bucket %zu", i);
        before = to;
    }
    cr_expect_gt(before, SP_LOAD_HISTOGRAM_MAX_NS);
}

Test(load_histogram, counts_each_edge_in_its_own_bucket)
{
    sp_load_histogram_t *histogram = malloc(sizeof(*histogram));

    cr_assert_not_null(histogram);
    sp_load_histogram_init(histogram);
    for (size_t i = 0; i <= SP_LOAD_HISTOGRAM_BUCKETS - 128; ++i) {
        uint64_t from = 0;
        uint64_t to = 0;

        sp_load_histogram_bucket(i, &from, &to);
        sp_load_histogram_add(histogram, from);
        cr_assert_eq(histogram->buckets[i], 1, "%zu", i);
        if (to <= SP_LOAD_HISTOGRAM_MAX_NS) {
            sp_load_histogram_add(histogram, to - 1);
            cr_assert_eq(histogram->buckets[i], 2, "%zu", i);
        }
    }
    free(histogram);
}

Test(load_histogram, reads_quantiles_less_than_a_hundredth_too_low)
{
    static const double shares[] = {0.001, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
    uint64_t *samples = calloc(SAMPLES, sizeof(*samples));
    sp_load_histogram_t *histogram = malloc(sizeof(*histogram));

    cr_assert(samples != NULL && histogram != NULL);
    draw(samples, SAMPLES, 1);
    sp_load_histogram_init(histogram);
    for (size_t i = 0; i != SAMPLES; ++i) {
        sp_load_histogram_add(histogram, samples[i]);
    }
    qsort(samples, SAMPLES, sizeof(*samples), by_size);
    for (size_t i = 0; i != SP_COUNT(shares); ++i) {
        size_t rank = (size_t)ceil(shares[i] * SAMPLES - 1e-6);
        uint64_t exact = samples[rank - 1];
        uint64_t read = sp_load_histogram_quantile(histogram, shares[i]);

        cr_expect_leq(read, exact, "%g", shares[i]);
        cr_expect_lt((double)(exact - read), 0.008 * (double)exact + 1e-9, "%g", shares[i]);
    }
    free(histogram);
    free(samples);
}

Test(load_histogram, is_exact_at_both_ends)
{
    sp_load_histogram_t *histogram = malloc(sizeof(*histogram));

    cr_assert_not_null(histogram);
    sp_load_histogram_init(histogram);
    cr_expect_eq(sp_load_histogram_quantile(histogram, 0.5), 0);
    sp_load_histogram_add(histogram, 1234567);
    cr_expect_eq(sp_load_histogram_quantile(histogram, 0.5), 1234567);
    sp_load_histogram_add(histogram, 7654321);
    sp_load_histogram_add(histogram, 5000001);
    cr_expect_eq(sp_load_histogram_quantile(histogram, 0.0), 1234567);
    cr_expect_eq(sp_load_histogram_quantile(histogram, 0.1), 1234567);
    cr_expect_eq(sp_load_histogram_quantile(histogram, 1.0), 7654321);
    cr_expect_eq(histogram->min_ns, 1234567);
    cr_expect_eq(histogram->max_ns, 7654321);
    free(histogram);
}

Test(load_histogram, takes_shares_for_what_they_were_meant_to_be)
{
    sp_load_histogram_t *histogram = malloc(sizeof(*histogram));

    cr_assert_not_null(histogram);
    sp_load_histogram_init(histogram);
    for (uint64_t i = 1; i <= 100; ++i) {
        sp_load_histogram_add(histogram, i);
    }
    for (unsigned percent = 1; percent <= 100; ++percent) {
        cr_expect_eq(sp_load_histogram_quantile(histogram, percent / 100.0), percent, "%u",
                     percent);
    }
    free(histogram);
}

Test(load_histogram, counts_what_is_beyond_as_the_most)
{
    sp_load_histogram_t *histogram = malloc(sizeof(*histogram));

    cr_assert_not_null(histogram);
    sp_load_histogram_init(histogram);
    sp_load_histogram_add(histogram, SP_LOAD_HISTOGRAM_MAX_NS);
    sp_load_histogram_add(histogram, SP_LOAD_HISTOGRAM_MAX_NS + 1);
    sp_load_histogram_add(histogram, UINT64_MAX);
    cr_expect_eq(histogram->count, 3);
    cr_expect_eq(histogram->max_ns, SP_LOAD_HISTOGRAM_MAX_NS);
    cr_expect_eq(sp_load_histogram_quantile(histogram, 0.5), SP_LOAD_HISTOGRAM_MAX_NS);
    free(histogram);
}

Test(load_histogram, merges_into_what_one_alone_would_hold)
{
    uint64_t samples[999];
    sp_load_histogram_t *parts = calloc(4, sizeof(*parts));
    sp_load_histogram_t *whole = &parts[3];

    cr_assert_not_null(parts);
    draw(samples, SP_COUNT(samples), 2);
    for (size_t i = 0; i != 4; ++i) {
        sp_load_histogram_init(&parts[i]);
    }
    for (size_t i = 0; i != SP_COUNT(samples); ++i) {
        sp_load_histogram_add(&parts[1 + i % 2], samples[i]);
        sp_load_histogram_add(whole, samples[i]);
    }
    sp_load_histogram_merge(&parts[1], &parts[0]); /* an empty one changes nothing */
    sp_load_histogram_merge(&parts[0], &parts[1]);
    sp_load_histogram_merge(&parts[0], &parts[2]);
    cr_expect_eq(parts[0].count, whole->count);
    cr_expect_eq(parts[0].min_ns, whole->min_ns);
    cr_expect_eq(parts[0].max_ns, whole->max_ns);
    cr_expect_arr_eq(parts[0].buckets, whole->buckets, sizeof(whole->buckets));
    cr_expect_float_eq(sp_load_histogram_mean_ns(&parts[0]), sp_load_histogram_mean_ns(whole), 1.0);
    free(parts);
}

Test(load_histogram, knows_mean_and_deviation)
{
    sp_load_histogram_t *histogram = malloc(sizeof(*histogram));

    cr_assert_not_null(histogram);
    sp_load_histogram_init(histogram);
    cr_expect_float_eq(sp_load_histogram_mean_ns(histogram), 0.0, 1e-9);
    cr_expect_float_eq(sp_load_histogram_deviation_ns(histogram), 0.0, 1e-9);
    for (uint64_t i = 0; i != 8; ++i) {
        static const uint64_t values[8] = {2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000};

        sp_load_histogram_add(histogram, values[i]);
    }
    cr_expect_float_eq(sp_load_histogram_mean_ns(histogram), 5000.0, 1e-6);
    cr_expect_float_eq(sp_load_histogram_deviation_ns(histogram), 2000.0, 1e-6);
    free(histogram);
}
