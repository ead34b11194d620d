/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/base/arena.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

static bool is_aligned(const void *piece)
{
    return (uintptr_t)piece % alignof(void *) == 0;
}

Test(arena, allocates_nothing_by_itself)
{
    sp_arena_t arena;

    sp_arena_init(&arena, NULL, 0, 100);
    cr_expect_eq(arena.total, 0);
    sp_arena_clear(&arena);
}

Test(arena, gives_the_callers_memory_first)
{
    alignas(max_align_t) char memory[64];
    sp_arena_t arena;
    char *piece = NULL;

    sp_arena_init(&arena, memory, sizeof(memory), 100);
    piece = sp_arena_alloc(&arena, 64);
    cr_expect_eq(piece, memory);
    cr_expect_eq(arena.total, 0, "exactly full");
    piece = sp_arena_alloc(&arena, 1);
    cr_expect(piece < memory || piece >= memory + sizeof(memory));
    cr_expect_gt(arena.total, 0);
    sp_arena_clear(&arena);
}

Test(arena, aligns_pieces_but_not_copies)
{
    sp_arena_t arena;
    sp_str_t first = {.ptr = NULL, .len = 0};
    sp_str_t second = {.ptr = NULL, .len = 0};

    sp_arena_init(&arena, NULL, 0, 1000);
    first = sp_arena_copy(&arena, SP_STR("abc"));
    second = sp_arena_copy(&arena, SP_STR("d"));
    cr_expect_eq(second.ptr, first.ptr + 3, "no gap between texts");
    cr_expect(is_aligned(sp_arena_alloc(&arena, 1)));
    cr_expect(is_aligned(sp_arena_alloc(&arena, 8)));
    cr_expect(is_aligned(sp_arena_zalloc(&arena, 3, 3)));
    sp_arena_clear(&arena);
}

Test(arena, keeps_earlier_pieces_when_it_takes_another_chunk)
{
    sp_arena_t arena;
    unsigned char *pieces[50];

    sp_arena_init(&arena, NULL, 0, 64);
    for (size_t i = 0; i != SP_COUNT(pieces); ++i) {
        pieces[i] = sp_arena_alloc(&arena, i + 1);
        cr_assert_not_null(pieces[i]);
        memset(pieces[i], (int)i, i + 1);
    }
    for (size_t i = 0; i != SP_COUNT(pieces); ++i) {
        for (size_t k = 0; k != i + 1; ++k) {
            cr_assert_eq(pieces[i][k], i);
        }
    }
    sp_arena_clear(&arena);
}

Test(arena, serves_a_piece_larger_than_its_chunks)
{
    sp_arena_t arena;
    char *piece = NULL;

    sp_arena_init(&arena, NULL, 0, 16);
    piece = sp_arena_alloc(&arena, 10000);
    cr_assert_not_null(piece);
    memset(piece, 1, 10000);
    cr_expect_geq(arena.total, 10000);
    sp_arena_clear(&arena);
}

Test(arena, gives_a_valid_pointer_for_size_0)
{
    sp_arena_t arena;

    sp_arena_init(&arena, NULL, 0, 16);
    cr_expect_not_null(sp_arena_alloc(&arena, 0));
    cr_expect_not_null(sp_arena_copy(&arena, SP_STR("")).ptr);
    sp_arena_clear(&arena);
}

Test(arena, zeroes_on_request)
{
    char memory[256];
    sp_arena_t arena;
    const char *piece = NULL;

    memset(memory, 0xff, sizeof(memory));
    sp_arena_init(&arena, memory, sizeof(memory), 100);
    piece = sp_arena_zalloc(&arena, 10, 10);
    cr_assert_not_null(piece);
    for (size_t i = 0; i != 100; ++i) {
        cr_assert_eq(piece[i], 0);
    }
    sp_arena_clear(&arena);
}

Test(arena, copies_texts)
{
    char text[] = "abc";
    sp_arena_t arena;
    sp_str_t copy = {.ptr = NULL, .len = 0};

    sp_arena_init(&arena, NULL, 0, 100);
    copy = sp_arena_copy(&arena, (sp_str_t){.ptr = text, .len = 3});
    text[0] = 'x';
    cr_expect(sp_str_eq(copy, SP_STR("abc")));
    sp_arena_clear(&arena);
}

Test(arena, is_usable_again_after_clear)
{
    alignas(max_align_t) char memory[32];
    sp_arena_t arena;

    sp_arena_init(&arena, memory, sizeof(memory), 100);
    cr_assert_not_null(sp_arena_alloc(&arena, 500));
    sp_arena_clear(&arena);
    cr_expect_eq(arena.total, 0);
    cr_expect_eq(sp_arena_alloc(&arena, 32), (void *)memory);
    sp_arena_clear(&arena);
}

Test(arena, refuses_a_product_over_the_address_space)
{
    sp_arena_t arena;
    size_t bytes = 42;

    sp_arena_init(&arena, NULL, 0, 100);
    cr_expect_null(sp_arena_zalloc(&arena, SIZE_MAX / 2, 3));
    cr_expect_null(sp_arena_alloc(&arena, SIZE_MAX));
    cr_expect_null(sp_arena_copy(&arena, (sp_str_t){.ptr = "", .len = SIZE_MAX - 4}).ptr);
    cr_expect_not(sp_array_size(SIZE_MAX / 2, 3, &bytes));
    cr_expect_eq(bytes, 42, "written on success only");
    cr_expect(sp_array_size(SIZE_MAX, 1, &bytes));
    cr_expect_eq(bytes, SIZE_MAX);
    cr_expect(sp_array_size(7, 0, &bytes));
    cr_expect_eq(bytes, 0);
    sp_arena_clear(&arena);
}
