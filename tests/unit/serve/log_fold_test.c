/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/log_fold.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct told {
    unsigned times;
    uint64_t count;
    sp_log_level_t level;
    char text[SP_LOG_FOLD_TEXT_MAX];
} told_t;

static void on_tell(void *arg, sp_log_level_t level, const char *text, uint64_t count)
{
    told_t *told = arg;

    ++told->times;
    told->level = level;
    told->count = count;
    strncpy(told->text, text, sizeof(told->text) - 1);
}

static unsigned add_many(sp_log_fold_t *fold, const char *text, unsigned times, uint64_t now_ms)
{
    unsigned written = 0;

    for (unsigned i = 0; i != times; ++i) {
        written += sp_log_fold_add(fold, SP_LOG_WARNING, text, now_ms) ? 1 : 0;
    }
    return written;
}

Test(log_fold, writes_a_few_and_counts_the_rest)
{
    sp_log_fold_t *fold = NULL;
    told_t told = {.times = 0};

    cr_assert_eq(sp_log_fold_create(&fold), SP_OK);
    cr_expect_eq(add_many(fold, "it rains", 128, 1000), SP_LOG_FOLD_BURST);
    sp_log_fold_tell(fold, 1000 + SP_LOG_FOLD_MS - 1, on_tell, &told);
    cr_expect_eq(told.times, 0, "its time is not over");
    sp_log_fold_tell(fold, 1000 + SP_LOG_FOLD_MS, on_tell, &told);
    cr_expect_eq(told.times, 1);
    cr_expect_eq(told.count, 128 - SP_LOG_FOLD_BURST);
    cr_expect_eq(told.level, SP_LOG_WARNING);
    cr_expect_str_eq(told.text, "it rains");
    sp_log_fold_destroy(fold);
}

Test(log_fold, tells_nothing_of_what_was_written)
{
    sp_log_fold_t *fold = NULL;
    told_t told = {.times = 0};

    cr_assert_eq(sp_log_fold_create(&fold), SP_OK);
    cr_expect_eq(add_many(fold, "reloaded", SP_LOG_FOLD_BURST, 0), SP_LOG_FOLD_BURST);
    sp_log_fold_tell(fold, UINT64_MAX, on_tell, &told);
    cr_expect_eq(told.times, 0);
    sp_log_fold_destroy(fold);
}

Test(log_fold, begins_anew_when_the_time_is_over)
{
    sp_log_fold_t *fold = NULL;

    cr_assert_eq(sp_log_fold_create(&fold), SP_OK);
    (void)add_many(fold, "it rains", 50, 0);
    cr_expect(sp_log_fold_add(fold, SP_LOG_WARNING, "it rains", SP_LOG_FOLD_MS));
    sp_log_fold_destroy(fold);
}

Test(log_fold, keeps_texts_and_levels_apart)
{
    sp_log_fold_t *fold = NULL;

    cr_assert_eq(sp_log_fold_create(&fold), SP_OK);
    (void)add_many(fold, "it rains", 50, 0);
    cr_expect(sp_log_fold_add(fold, SP_LOG_WARNING, "it snows", 0));
    cr_expect(sp_log_fold_add(fold, SP_LOG_ERROR, "it rains", 0));
    sp_log_fold_destroy(fold);
}

Test(log_fold, writes_what_it_has_no_room_to_count)
{
    sp_log_fold_t *fold = NULL;
    char text[] = "event a";

    cr_assert_eq(sp_log_fold_create(&fold), SP_OK);
    for (int i = 0; i != 26; ++i) {
        text[6] = (char)('a' + i);
        (void)add_many(fold, text, 1, 0);
    }
    cr_expect_eq(add_many(fold, "one more", 20, 0), 20);
    sp_log_fold_destroy(fold);
    sp_log_fold_destroy(NULL);
}
