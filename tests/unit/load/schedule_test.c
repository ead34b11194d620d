/* SPDX-License-Identifier: Apache-2.0 */

/* When requests are due. */

#include <criterion/criterion.h>
#include <math.h>

#include "load/choice.h"

#define NS 1e9
#define SLOTS 2000 /* of 100 ms */

static sp_load_plan_t plan_at(double rate, sp_load_arrivals_t arrivals)
{
    return (sp_load_plan_t){.threads = 1, .seed = 1, .rate = rate, .arrivals = arrivals};
}

Test(load_schedule, spaces_constant_arrivals_evenly_over_the_threads)
{
    sp_load_plan_t plan = plan_at(3000.0, SP_LOAD_CONSTANT);
    sp_load_schedule_t schedules[4];

    plan.threads = 4;
    plan.duration_ns = (uint64_t)10 * 1000000000;
    for (unsigned thread = 0; thread != 4; ++thread) {
        sp_load_schedule_init(&schedules[thread], &plan, thread);
    }
    for (size_t i = 0; i != 30000; ++i) {
        uint64_t due = sp_load_schedule_next(&schedules[i % 4]);

        cr_assert_float_eq((double)due, (double)i * NS / 3000.0, 2.0, "%zu", i);
    }
    for (unsigned thread = 0; thread != 4; ++thread) {
        cr_expect_eq(sp_load_schedule_next(&schedules[thread]), UINT64_MAX);
        cr_expect_eq(sp_load_schedule_next(&schedules[thread]), UINT64_MAX);
    }
}

Test(load_schedule, holds_the_rate_of_poisson_arrivals_over_the_threads)
{
    sp_load_plan_t plan = plan_at(5000.0, SP_LOAD_POISSON);
    double expected = 5000.0 * 40;
    uint64_t count = 0;

    plan.threads = 3;
    plan.duration_ns = (uint64_t)40 * 1000000000;
    for (unsigned thread = 0; thread != 3; ++thread) {
        sp_load_schedule_t schedule;
        uint64_t last = 0;

        sp_load_schedule_init(&schedule, &plan, thread);
        for (uint64_t due = 0; (due = sp_load_schedule_next(&schedule)) != UINT64_MAX; ++count) {
            cr_assert_geq(due, last);
            cr_assert_lt(due, plan.duration_ns);
            last = due;
        }
    }
    cr_expect_float_eq((double)count, expected, 5 * sqrt(expected));
}

/* Poisson: gaps deviate by as much as they last, and counts vary by as much as they are. */
Test(load_schedule, has_the_variance_of_poisson_arrivals)
{
    sp_load_plan_t plan = plan_at(1000.0, SP_LOAD_POISSON);
    sp_load_schedule_t schedule;
    double gaps = 0.0;
    double gap_squares = 0.0;
    unsigned counts[SLOTS] = {0};
    double variance = 0.0;
    uint64_t last = 0;
    double n = 0.0;

    plan.duration_ns = (uint64_t)200 * 1000000000;
    sp_load_schedule_init(&schedule, &plan, 0);
    for (uint64_t due = 0; (due = sp_load_schedule_next(&schedule)) != UINT64_MAX; last = due) {
        double gap = (double)(due - last);

        gaps += gap;
        gap_squares += gap * gap;
        counts[due / 100000000] += 1;
        n += 1.0;
    }
    cr_expect_float_eq(sqrt(gap_squares / n - gaps * gaps / n / n) / (gaps / n), 1.0, 0.02);
    for (size_t i = 0; i != SP_COUNT(counts); ++i) {
        variance += pow(counts[i] - 100.0, 2.0) / SLOTS;
    }
    /* The sample variance of N counts deviates by about its sqrt(2 / N). */
    cr_expect_float_eq(variance / 100.0, 1.0, 5 * sqrt(2.0 / SLOTS));
}

Test(load_schedule, gives_out_exactly_the_requests_over_the_threads)
{
    for (sp_load_arrivals_t arrivals = SP_LOAD_POISSON; arrivals <= SP_LOAD_CONSTANT; ++arrivals) {
        sp_load_plan_t plan = plan_at(1000.0, arrivals);
        uint64_t count = 0;

        plan.threads = 7;
        plan.requests = 100;
        for (unsigned thread = 0; thread != 7; ++thread) {
            sp_load_schedule_t schedule;

            sp_load_schedule_init(&schedule, &plan, thread);
            while (sp_load_schedule_next(&schedule) != UINT64_MAX) {
                ++count;
            }
        }
        cr_expect_eq(count, 100);
    }
}

Test(load_schedule, has_none_for_a_thread_beyond_the_requests)
{
    sp_load_plan_t plan = plan_at(1000.0, SP_LOAD_CONSTANT);
    sp_load_schedule_t schedule;

    plan.threads = 2;
    plan.requests = 1;
    sp_load_schedule_init(&schedule, &plan, 1);
    cr_expect_eq(sp_load_schedule_next(&schedule), UINT64_MAX);
    sp_load_schedule_init(&schedule, &plan, 0);
    cr_expect_eq(sp_load_schedule_next(&schedule), 0);
    cr_expect_eq(sp_load_schedule_next(&schedule), UINT64_MAX);
}

Test(load_schedule, repeats_with_the_seed_and_differs_without)
{
    sp_load_plan_t plan = plan_at(1000.0, SP_LOAD_POISSON);
    sp_load_plan_t other_plan = plan;
    sp_load_schedule_t first;
    sp_load_schedule_t again;
    sp_load_schedule_t other;

    other_plan.seed = 2;
    sp_load_schedule_init(&first, &plan, 0);
    sp_load_schedule_init(&again, &plan, 0);
    sp_load_schedule_init(&other, &other_plan, 0);
    for (size_t i = 0; i != 100; ++i) {
        uint64_t due = sp_load_schedule_next(&first);

        cr_expect_eq(due, sp_load_schedule_next(&again));
        cr_expect_neq(due, sp_load_schedule_next(&other));
    }
}
