/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/base/buf.h>

#include "support/failing_alloc.h"

Test(arena_fault, gives_null_and_goes_on_when_memory_is_out)
{
    sp_arena_t arena;

    sp_arena_init(&arena, NULL, 0, 100);
    sp_alloc_fail_at(1);
    cr_expect_null(sp_arena_alloc(&arena, 10));
    cr_expect(sp_alloc_stop());
    sp_alloc_fail_at(1);
    cr_expect_null(sp_arena_zalloc(&arena, 10, 10));
    cr_expect(sp_alloc_stop());
    sp_alloc_fail_at(1);
    cr_expect_null(sp_arena_copy(&arena, SP_STR("abc")).ptr);
    cr_expect(sp_alloc_stop());
    cr_expect_not_null(sp_arena_alloc(&arena, 10));
    sp_arena_clear(&arena);
}

Test(arena_fault, needs_one_allocation_for_each_chunk)
{
    sp_arena_t arena;

    sp_arena_init(&arena, NULL, 0, 100);
    sp_alloc_fail_at(0);
    for (int i = 0; i != 10; ++i) {
        cr_assert_not_null(sp_arena_alloc(&arena, 10));
    }
    cr_expect_eq(sp_alloc_count(), 2, "6 aligned pieces fit into the first chunk, 4 into another");
    cr_expect_not(sp_alloc_stop());
    sp_arena_clear(&arena);
}

/* Grows a text until it is `length` long. */
static sp_status_t write_text(size_t length)
{
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 64);
    sp_buf_init(&buf, &arena, 10000);
    for (size_t i = 0; i != length / 2; ++i) {
        sp_buf_append_char(&buf, 'x');
        sp_buf_printf(&buf, "%d", 1);
    }
    sp_arena_clear(&arena);
    return buf.status;
}

Test(buf_fault, reports_each_failed_allocation_once)
{
    bool failed = true;
    size_t n = 0;

    while (failed) {
        sp_status_t status = SP_OK;

        sp_alloc_fail_at(++n);
        status = write_text(1000);
        failed = sp_alloc_stop();
        cr_assert_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu", n);
    }
    cr_expect_gt(n, 3, "the text did grow several times");
}
