/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/backoff.h"

#include <criterion/criterion.h>
#include <string.h>

#define NOW ((uint64_t)1800000000)

Test(backoff, does_not_hold_a_name_that_never_failed)
{
    const sp_backoff_t backoff = {.failures = 0};

    cr_expect_not(sp_backoff_holds(&backoff, NOW));
}

Test(backoff, grows_up_to_a_day)
{
    static const uint64_t waits[] = {60, 240, 960, 3840, 15360, 61440, 86400, 86400};
    sp_backoff_t backoff = {.failures = 0};

    for (size_t i = 0; i != SP_COUNT(waits); ++i) {
        sp_backoff_fail(&backoff, NOW, 0, SP_STR("no"));
        cr_expect_eq(backoff.failures, i + 1);
        cr_expect_eq(backoff.until_s, NOW + waits[i]);
    }
}

Test(backoff, holds_until_its_time)
{
    sp_backoff_t backoff = {.failures = 0};

    sp_backoff_fail(&backoff, NOW, 0, SP_STR("no"));
    cr_expect(sp_backoff_holds(&backoff, NOW));
    cr_expect(sp_backoff_holds(&backoff, NOW + 59));
    cr_expect_not(sp_backoff_holds(&backoff, NOW + 60));
}

Test(backoff, heeds_what_the_authority_says)
{
    sp_backoff_t backoff = {.failures = 0};

    sp_backoff_fail(&backoff, NOW, 3600, SP_STR("rate limited"));
    cr_expect_eq(backoff.until_s, NOW + 3600);
}

Test(backoff, reads_what_it_prints)
{
    sp_backoff_t backoff = {.failures = 0};
    sp_backoff_t again;
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 1024);
    sp_buf_init(&buf, &arena, 1024);
    sp_backoff_fail(&backoff, NOW, 0, SP_STR("it said\nno: \x1b[31m"));
    sp_backoff_print(&backoff, &buf);
    cr_assert(sp_backoff_parse(sp_buf_str(&buf), NOW, &again));
    cr_expect_eq(again.failures, 1);
    cr_expect_eq(again.until_s, NOW + 60);
    cr_expect_str_eq(again.reason, "it said?no: ?[31m");
    sp_arena_clear(&arena);
}

Test(backoff, cuts_a_long_reason)
{
    char reason[SP_BACKOFF_REASON_MAX + 1];
    sp_backoff_t backoff = {.failures = 0};

    memset(reason, 'x', sizeof(reason));
    sp_backoff_fail(&backoff, NOW, 0, (sp_str_t){reason, SP_BACKOFF_REASON_MAX - 1});
    cr_expect_eq(strlen(backoff.reason), SP_BACKOFF_REASON_MAX - 1);
    sp_backoff_fail(&backoff, NOW, 0, (sp_str_t){reason, SP_BACKOFF_REASON_MAX});
    cr_expect_eq(strlen(backoff.reason), SP_BACKOFF_REASON_MAX - 1);
}

Test(backoff, takes_no_text_of_another_kind)
{
    static const char *const texts[] = {
        "", "x", "1", "1 x", "-1 5", "65536 5 y", "1 99999999999999999999 y"};
    sp_backoff_t backoff;

    for (size_t i = 0; i != SP_COUNT(texts); ++i) {
        cr_expect_not(sp_backoff_parse(sp_str_from(texts[i]), NOW, &backoff), "%s", texts[i]);
        cr_expect_eq(backoff.failures, 0);
    }
}

Test(backoff, never_waits_longer_than_it_can)
{
    sp_backoff_t backoff;

    cr_assert(sp_backoff_parse(SP_STR("3 1900000000 clock was wrong"), NOW, &backoff));
    cr_expect_eq(backoff.until_s, NOW + SP_BACKOFF_MAX_S);
}
