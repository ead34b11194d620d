/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "load/due_queue.h"

static void push(sp_load_due_queue_t *queue, size_t target)
{
    cr_assert(sp_load_due_queue_push(queue, (sp_load_due_t){.target = target}));
}

static void expect_next(sp_load_due_queue_t *queue, size_t target)
{
    sp_load_due_t due = {.target = 0};

    cr_assert(sp_load_due_queue_pop(queue, &due));
    cr_expect_eq(due.target, target, "%zu, not %zu", due.target, target);
}

Test(due_queue, gives_back_in_order_however_it_grows)
{
    sp_load_due_queue_t queue = {.ring = NULL};
    size_t in = 0;
    size_t out = 0;

    while (in < 5000) {
        for (size_t i = 0; i != 7; ++i) {
            push(&queue, in++);
        }
        for (size_t i = 0; i != 3; ++i) {
            expect_next(&queue, out++);
        }
        cr_assert_eq(queue.count, in - out);
        cr_assert_eq(sp_load_due_queue_at(&queue, 0)->target, out);
        cr_assert_eq(sp_load_due_queue_at(&queue, in - out - 1)->target, in - 1);
    }
    while (out != in) {
        expect_next(&queue, out++);
    }
    cr_expect_not(sp_load_due_queue_pop(&queue, &(sp_load_due_t){.target = 0}));
    sp_load_due_queue_clear(&queue);
}

Test(due_queue, lets_one_go_first)
{
    sp_load_due_queue_t queue = {.ring = NULL};

    cr_assert(sp_load_due_queue_push_first(&queue, (sp_load_due_t){.target = 1000}));
    for (size_t i = 0; i != 300; ++i) {
        push(&queue, i);
        cr_assert(sp_load_due_queue_push_first(&queue, (sp_load_due_t){.target = 1001 + i}));
    }
    for (size_t i = 0; i != 301; ++i) {
        expect_next(&queue, 1300 - i);
    }
    for (size_t i = 0; i != 300; ++i) {
        expect_next(&queue, i);
    }
    cr_expect_eq(queue.count, 0);
    sp_load_due_queue_clear(&queue);
}
