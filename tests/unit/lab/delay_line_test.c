/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/delay_line.h"

#include <criterion/criterion.h>

Test(lab_delay_line, lets_packets_out_after_the_delay_and_not_before)
{
    sp_delay_line_t line;
    uint32_t last = 0;

    cr_assert(sp_delay_line_init(&line, 8, 100, 0, 1));
    cr_expect_eq(sp_delay_line_next_ns(&line), UINT64_MAX);
    cr_expect(sp_delay_line_push(&line, 5, 1000));
    cr_expect(sp_delay_line_push(&line, 6, 1010));
    cr_expect_eq(sp_delay_line_next_ns(&line), 1100);
    cr_expect_not(sp_delay_line_pop(&line, 1099, &last));
    cr_expect(sp_delay_line_pop(&line, 1100, &last));
    cr_expect_eq(last, 5);
    cr_expect_eq(sp_delay_line_next_ns(&line), 1110);
    cr_expect(sp_delay_line_pop(&line, UINT64_MAX, &last));
    cr_expect_eq(last, 6);
    cr_expect_not(sp_delay_line_pop(&line, UINT64_MAX, &last));
    sp_delay_line_clear(&line);
}

Test(lab_delay_line, tells_the_last_of_several_that_are_due)
{
    sp_delay_line_t line;
    uint32_t last = 0;

    cr_assert(sp_delay_line_init(&line, 8, 10, 0, 1));
    for (uint32_t id = 1; id <= 4; ++id) {
        cr_expect(sp_delay_line_push(&line, id, id));
    }
    cr_expect(sp_delay_line_pop(&line, 13, &last));
    cr_expect_eq(last, 3);
    sp_delay_line_clear(&line);
}

Test(lab_delay_line, has_room_for_as_many_as_was_asked_for_again_and_again)
{
    sp_delay_line_t line;
    uint32_t last = 0;

    cr_assert(sp_delay_line_init(&line, 3, 10, 0, 1));
    for (uint32_t round = 0; round != 5; ++round) {
        for (uint32_t id = 0; id != 3; ++id) {
            cr_expect(sp_delay_line_push(&line, 10 * round + id, 100 * round));
        }
        cr_expect_not(sp_delay_line_push(&line, 99, 100 * round));
        cr_expect(sp_delay_line_pop(&line, 100 * round + 10, &last));
        cr_expect_eq(last, 10 * round + 2);
    }
    sp_delay_line_clear(&line);
}

/* When each of 1000 packets comes out that come in at once, a hundred apart. */
static void play(uint64_t seed, uint64_t *due)
{
    sp_delay_line_t line;
    uint32_t last = 0;

    cr_assert(sp_delay_line_init(&line, 1, 1000, 400, seed));
    for (uint32_t id = 0; id != 1000; ++id) {
        cr_expect(sp_delay_line_push(&line, id, 100 * id));
        due[id] = sp_delay_line_next_ns(&line);
        cr_expect(sp_delay_line_pop(&line, UINT64_MAX, &last));
    }
    sp_delay_line_clear(&line);
}

Test(lab_delay_line, jitter_stays_in_its_bounds_and_keeps_the_order)
{
    uint64_t due[1000];
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    play(7, due);
    for (uint64_t id = 0; id != 1000; ++id) {
        uint64_t delay = due[id] - 100 * id;

        cr_expect(id == 0 || due[id] >= due[id - 1]);
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
    }
    cr_expect_geq(least, 600);
    cr_expect_lt(least, 800);
    cr_expect_leq(most, 1400);
    cr_expect_gt(most, 1350);
}

Test(lab_delay_line, jitter_is_that_of_the_seed)
{
    uint64_t first[1000];
    uint64_t second[1000];
    uint64_t other[1000];

    play(7, first);
    play(7, second);
    play(8, other);
    cr_expect_arr_eq(first, second, sizeof(first));
    cr_expect_arr_neq(first, other, sizeof(first));
}

Test(lab_delay_line, jitter_never_makes_a_packet_come_out_before_it_came_in)
{
    sp_delay_line_t line;

    cr_assert(sp_delay_line_init(&line, 1, 10, 1000, 3));
    cr_expect(sp_delay_line_push(&line, 1, 500));
    cr_expect_geq(sp_delay_line_next_ns(&line), 500);
    sp_delay_line_clear(&line);
}
