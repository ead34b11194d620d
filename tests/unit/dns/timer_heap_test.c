/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/timer_heap.h"

#include <criterion/criterion.h>

#define TIMERS 500

/* A fixed order that looks like none. */
static uint64_t scattered(size_t index)
{
    return (index * 7919 + 13) % TIMERS;
}

static void expect_in_order(sp_timer_heap_t *heap, size_t count)
{
    uint64_t before = 0;
    sp_timer_t *timer;
    size_t seen = 0;

    while ((timer = sp_timer_heap_first(heap)) != NULL) {
        cr_assert_geq(timer->due_us, before);
        before = timer->due_us;
        sp_timer_heap_remove(heap, timer);
        cr_assert_eq(timer->place, 0);
        ++seen;
    }
    cr_expect_eq(seen, count);
}

Test(timer_heap, gives_the_next_first)
{
    static sp_timer_t timers[TIMERS];
    sp_timer_heap_t heap = {0};

    cr_expect_null(sp_timer_heap_first(&heap));
    for (size_t i = 0; i != TIMERS; ++i) {
        cr_assert(sp_timer_heap_add(&heap, &timers[i], scattered(i)));
    }
    expect_in_order(&heap, TIMERS);
    sp_timer_heap_clear(&heap);
}

Test(timer_heap, moves_timers_both_ways)
{
    static sp_timer_t timers[TIMERS];
    sp_timer_heap_t heap = {0};

    for (size_t i = 0; i != TIMERS; ++i) {
        cr_assert(sp_timer_heap_add(&heap, &timers[i], i));
    }
    for (size_t i = 0; i != TIMERS; ++i) {
        sp_timer_heap_move(&heap, &timers[i], scattered(i));
    }
    sp_timer_heap_move(&heap, &timers[400], UINT64_MAX);
    sp_timer_heap_move(&heap, &timers[100], 0);
    cr_expect_eq(sp_timer_heap_first(&heap)->due_us, 0);
    expect_in_order(&heap, TIMERS);
    sp_timer_heap_clear(&heap);
}

Test(timer_heap, lets_any_timer_go)
{
    static sp_timer_t timers[TIMERS];
    sp_timer_heap_t heap = {0};

    for (size_t i = 0; i != TIMERS; ++i) {
        cr_assert(sp_timer_heap_add(&heap, &timers[i], scattered(i)));
    }
    for (size_t i = 0; i != TIMERS; i += 2) {
        sp_timer_heap_remove(&heap, &timers[i]);
        sp_timer_heap_remove(&heap, &timers[i]);
    }
    expect_in_order(&heap, TIMERS / 2);
    sp_timer_heap_clear(&heap);
}
