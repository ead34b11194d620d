/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/plan.h"

#include <criterion/criterion.h>

/* Runs a plan whose runs are all quiet; which case each turn was of goes to `order`. */
static size_t play(sp_lab_plan_t *plan, size_t *order)
{
    sp_lab_turn_t turn;
    size_t count = 0;

    while (sp_lab_plan_next(plan, &turn)) {
        order[count++] = turn.index;
        cr_expect_eq(turn.order, count);
        cr_expect_not(sp_lab_plan_disturbed(plan, 0.0));
    }
    return count;
}

Test(lab_plan, interleaves_and_begins_with_another_case_each_time)
{
    static const size_t expected[] = {0, 1, 2, 1, 2, 0, 2, 0, 1};
    size_t order[16];
    sp_lab_plan_t plan;

    sp_lab_plan_init(&plan, 3, 3, 0.5);
    cr_assert_eq(play(&plan, order), 9);
    for (size_t i = 0; i != 9; ++i) {
        cr_expect_eq(order[i], expected[i], "turn %zu", i);
    }
}

Test(lab_plan, takes_every_case_equally_often)
{
    size_t order[64];
    size_t seen[5] = {0};
    sp_lab_plan_t plan;
    size_t count = 0;

    sp_lab_plan_init(&plan, 5, 7, 0.5);
    count = play(&plan, order);
    cr_assert_eq(count, 35);
    for (size_t i = 0; i != count; ++i) {
        ++seen[order[i]];
    }
    for (size_t i = 0; i != 5; ++i) {
        cr_expect_eq(seen[i], 7);
    }
}

Test(lab_plan, repeats_a_disturbed_run_at_once)
{
    sp_lab_plan_t plan;
    sp_lab_turn_t turn;

    sp_lab_plan_init(&plan, 2, 2, 0.5);
    cr_assert(sp_lab_plan_next(&plan, &turn));
    cr_expect(sp_lab_plan_disturbed(&plan, SP_LAB_FOREIGN_MAX + 0.01));
    cr_assert(sp_lab_plan_next(&plan, &turn));
    cr_expect_eq(turn.index, 0);
    cr_expect_eq(turn.repetition, 1);
    cr_expect_eq(turn.attempt, 2);
    cr_expect_eq(turn.order, 2);
    cr_expect_not(sp_lab_plan_disturbed(&plan, SP_LAB_FOREIGN_MAX));
    cr_assert(sp_lab_plan_next(&plan, &turn));
    cr_expect_eq(turn.index, 1);
    cr_expect_eq(turn.attempt, 1);
}

Test(lab_plan, stops_repeating_after_so_many_attempts)
{
    sp_lab_plan_t plan;
    sp_lab_turn_t turn;

    sp_lab_plan_init(&plan, 1, 10, 1.0);
    for (unsigned attempt = 1; attempt <= SP_LAB_ATTEMPTS; ++attempt) {
        cr_assert(sp_lab_plan_next(&plan, &turn));
        cr_expect_eq(turn.attempt, attempt);
        cr_expect_eq(sp_lab_plan_disturbed(&plan, 1.0), attempt < SP_LAB_ATTEMPTS);
    }
    cr_assert(sp_lab_plan_next(&plan, &turn));
    cr_expect_eq(turn.repetition, 2);
}

Test(lab_plan, ends_on_a_machine_that_is_never_quiet)
{
    sp_lab_plan_t plan;
    sp_lab_turn_t turn;
    size_t runs = 0;

    sp_lab_plan_init(&plan, 4, 5, 0.5);
    while (sp_lab_plan_next(&plan, &turn)) {
        (void)sp_lab_plan_disturbed(&plan, 2.0);
        cr_assert_leq(++runs, 30);
    }
    cr_expect_eq(runs, 30);
}

Test(lab_plan, knows_what_is_left)
{
    sp_lab_plan_t plan;
    sp_lab_turn_t turn;

    sp_lab_plan_init(&plan, 2, 3, 0.5);
    cr_expect_eq(sp_lab_plan_left(&plan, 0), 3);
    cr_assert(sp_lab_plan_next(&plan, &turn));
    cr_expect_eq(sp_lab_plan_left(&plan, 0), 2);
    cr_expect_eq(sp_lab_plan_left(&plan, 1), 3);
    (void)sp_lab_plan_disturbed(&plan, 1.0);
    cr_expect_eq(sp_lab_plan_left(&plan, 0), 3);
}
