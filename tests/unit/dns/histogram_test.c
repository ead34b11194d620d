/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/histogram.h"

#include <criterion/criterion.h>

Test(histogram, puts_a_duration_into_the_first_bucket_that_holds_it)
{
    sp_histogram_t histogram = {.sum_us = 0};
    sp_histogram_sum_t sum = {.sum_us = 0};

    sp_histogram_add(&histogram, 0);
    sp_histogram_add(&histogram, 100);
    sp_histogram_add(&histogram, 101);
    sp_histogram_add(&histogram, 10000000);
    sp_histogram_add(&histogram, 10000001);
    sp_histogram_collect(&histogram, &sum);
    cr_expect_eq(sum.counts[0], 2);
    cr_expect_eq(sum.counts[1], 1);
    cr_expect_eq(sum.counts[SP_HISTOGRAM_BUCKETS - 2], 1);
    cr_expect_eq(sum.counts[SP_HISTOGRAM_BUCKETS - 1], 1);
    cr_expect_eq(sum.sum_us, 20000202);
}

Test(histogram, has_rising_limits_from_100_us_to_10_s)
{
    cr_expect_eq(sp_histogram_limit_us(0), 100);
    cr_expect_eq(sp_histogram_limit_us(SP_HISTOGRAM_BUCKETS - 2), 10000000);
    cr_expect_eq(sp_histogram_limit_us(SP_HISTOGRAM_BUCKETS - 1), UINT64_MAX);
    for (size_t i = 1; i != SP_HISTOGRAM_BUCKETS; ++i) {
        cr_expect_gt(sp_histogram_limit_us(i), sp_histogram_limit_us(i - 1));
    }
}

Test(histogram, adds_up_those_of_several_threads)
{
    sp_histogram_t one = {.sum_us = 0};
    sp_histogram_t two = {.sum_us = 0};
    sp_histogram_sum_t sum = {.sum_us = 0};

    sp_histogram_add(&one, 300);
    sp_histogram_add(&two, 400);
    sp_histogram_collect(&one, &sum);
    sp_histogram_collect(&two, &sum);
    cr_expect_eq(sum.counts[2], 2);
    cr_expect_eq(sum.sum_us, 700);
}
