/* SPDX-License-Identifier: Apache-2.0 */
#include "load/choice.h"

#include <criterion/criterion.h>
#include <math.h>

#define DRAWS 200000
#define SIGMAS 5.0
#define EVEN 37

static sp_load_plan_t plan_of(sp_load_targets_t *targets, size_t count, sp_load_names_t names)
{
    *targets = (sp_load_targets_t){.count = count};
    return (sp_load_plan_t){.threads = 1, .seed = 1, .names = names, .targets = targets};
}

static void count_draws(const sp_load_plan_t *plan, unsigned *counts)
{
    sp_load_weights_t *weights = NULL;
    sp_load_choice_t choice;

    cr_assert_eq(sp_load_weights_create(plan, &weights), SP_OK);
    sp_load_choice_init(&choice, plan, weights, 0);
    for (size_t i = 0; i != DRAWS; ++i) {
        size_t drawn = sp_load_choice_next(&choice);

        cr_assert_lt(drawn, plan->targets->count);
        counts[drawn] += 1;
    }
    sp_load_weights_destroy(weights);
}

/* Binomial: within some sigmas of what theory has. */
static void expect_share(unsigned count, double share, size_t index)
{
    double sigma = sqrt(DRAWS * share * (1.0 - share));

    cr_expect_lt(fabs(count - DRAWS * share), SIGMAS * sigma + 1.0, "%zu: %u, not %.0f", index,
                 count, DRAWS * share);
}

Test(load_random, is_the_same_for_the_same_seed_only)
{
    sp_load_random_t one;
    sp_load_random_t same;
    sp_load_random_t other_seed;
    sp_load_random_t other_stream;

    sp_load_random_init(&one, 7, 3);
    sp_load_random_init(&same, 7, 3);
    sp_load_random_init(&other_seed, 8, 3);
    sp_load_random_init(&other_stream, 7, 4);
    for (size_t i = 0; i != 100; ++i) {
        uint64_t value = sp_load_random_next(&one);

        cr_assert_eq(value, sp_load_random_next(&same));
        cr_expect_neq(value, sp_load_random_next(&other_seed));
        cr_expect_neq(value, sp_load_random_next(&other_stream));
    }
}

Test(load_random, spreads_evenly_from_0_to_below_1)
{
    sp_load_random_t random;
    double sum = 0.0;
    double squares = 0.0;

    sp_load_random_init(&random, 0, 0);
    for (size_t i = 0; i != DRAWS; ++i) {
        double unit = sp_load_random_unit(&random);

        cr_assert(unit >= 0.0 && unit < 1.0);
        sum += unit;
        squares += unit * unit;
    }
    cr_expect_float_eq(sum / DRAWS, 0.5, SIGMAS * sqrt(1.0 / 12 / DRAWS));
    cr_expect_float_eq(squares / DRAWS, 1.0 / 3, SIGMAS * sqrt(4.0 / 45 / DRAWS));
}

Test(load_choice, is_uniform)
{
    unsigned counts[EVEN] = {0};
    sp_load_targets_t targets;
    sp_load_plan_t plan = plan_of(&targets, SP_COUNT(counts), SP_LOAD_UNIFORM);

    count_draws(&plan, counts);
    for (size_t i = 0; i != SP_COUNT(counts); ++i) {
        expect_share(counts[i], 1.0 / EVEN, i);
    }
}

static void check_zipf(double s)
{
    unsigned counts[1000] = {0};
    sp_load_targets_t targets;
    sp_load_plan_t plan = plan_of(&targets, SP_COUNT(counts), SP_LOAD_ZIPF);
    double sum = 0.0;

    plan.zipf_s = s;
    for (size_t i = 1; i <= SP_COUNT(counts); ++i) {
        sum += 1.0 / pow((double)i, s);
    }
    count_draws(&plan, counts);
    for (size_t i = 0; i != SP_COUNT(counts); ++i) {
        expect_share(counts[i], 1.0 / pow((double)(i + 1), s) / sum, i);
    }
}

Test(load_choice, follows_zipf)
{
    check_zipf(0.5);
    check_zipf(1.0);
    check_zipf(1.1);
    check_zipf(3.0);
}

Test(load_choice, takes_the_only_target_whatever_the_names_are)
{
    sp_load_targets_t targets;
    unsigned counts[1] = {0};

    for (sp_load_names_t names = SP_LOAD_UNIFORM; names <= SP_LOAD_SEQUENTIAL; ++names) {
        sp_load_plan_t plan = plan_of(&targets, 1, names);

        plan.zipf_s = 1.0;
        count_draws(&plan, counts);
    }
    cr_expect_eq(counts[0], 3 * DRAWS);
}

Test(load_choice, goes_through_all_in_turn_over_the_threads)
{
    sp_load_targets_t targets;
    sp_load_plan_t plan = plan_of(&targets, 10, SP_LOAD_SEQUENTIAL);
    sp_load_choice_t choices[3];

    plan.threads = 3;
    for (unsigned thread = 0; thread != 3; ++thread) {
        sp_load_choice_init(&choices[thread], &plan, NULL, thread);
    }
    for (size_t i = 0; i != 100; ++i) {
        cr_expect_eq(sp_load_choice_next(&choices[i % 3]), i % 10);
    }
}

Test(load_choice, goes_in_turn_also_with_more_threads_than_targets)
{
    sp_load_targets_t targets;
    sp_load_plan_t plan = plan_of(&targets, 2, SP_LOAD_SEQUENTIAL);
    sp_load_choice_t choice;

    plan.threads = 5;
    sp_load_choice_init(&choice, &plan, NULL, 3);
    cr_expect_eq(sp_load_choice_next(&choice), 1);
    cr_expect_eq(sp_load_choice_next(&choice), 0);
    cr_expect_eq(sp_load_choice_next(&choice), 1);
}

Test(load_choice, differs_between_threads_and_repeats_with_the_seed)
{
    sp_load_targets_t targets;
    sp_load_plan_t plan = plan_of(&targets, 1000000, SP_LOAD_UNIFORM);
    sp_load_choice_t first;
    sp_load_choice_t again;
    sp_load_choice_t other;
    unsigned equal = 0;

    plan.threads = 2;
    sp_load_choice_init(&first, &plan, NULL, 0);
    sp_load_choice_init(&again, &plan, NULL, 0);
    sp_load_choice_init(&other, &plan, NULL, 1);
    for (size_t i = 0; i != 1000; ++i) {
        size_t drawn = sp_load_choice_next(&first);

        cr_expect_eq(drawn, sp_load_choice_next(&again));
        equal += drawn == sp_load_choice_next(&other) ? 1U : 0U;
    }
    cr_expect_lt(equal, 5);
}
