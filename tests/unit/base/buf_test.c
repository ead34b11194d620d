/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/base/buf.h>
#include <string.h>

#define EXPECT_TEXT(buf, literal)                                                                  \
    cr_expect(sp_str_eq(sp_buf_str(buf), SP_STR(literal)), "got '%.*s'", (int)(buf)->len,          \
              (buf)->ptr)

static sp_arena_t arena;

static void setup(void)
{
    sp_arena_init(&arena, NULL, 0, 64);
}

static void teardown(void)
{
    sp_arena_clear(&arena);
}

TestSuite(buf, .init = setup, .fini = teardown);

Test(buf, begins_empty)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 10);
    cr_expect_eq(buf.status, SP_OK);
    cr_expect_eq(sp_buf_str(&buf).len, 0);
    sp_buf_append(&buf, SP_STR(""));
    cr_expect_eq(arena.total, 0, "nothing appended, nothing allocated");
}

Test(buf, takes_texts_octets_and_numbers)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 1000);
    sp_buf_append(&buf, SP_STR("a\0b"));
    sp_buf_append_char(&buf, '|');
    sp_buf_append_uint(&buf, 0);
    sp_buf_append_char(&buf, '|');
    sp_buf_append_uint(&buf, UINT64_MAX);
    EXPECT_TEXT(&buf, "a\0b|0|18446744073709551615");
    cr_expect_eq(buf.status, SP_OK);
}

Test(buf, keeps_its_text_while_it_grows)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 100000);
    for (int i = 0; i != 10000; ++i) {
        sp_buf_append(&buf, SP_STR("0123456789"));
    }
    cr_assert_eq(buf.status, SP_OK);
    cr_assert_eq(buf.len, 100000);
    for (size_t i = 0; i != buf.len; ++i) {
        cr_assert_eq(buf.ptr[i], (char)('0' + i % 10));
    }
}

Test(buf, fills_up_to_its_maximum_and_not_beyond)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 4);
    sp_buf_append(&buf, SP_STR("abcd"));
    cr_expect_eq(buf.status, SP_OK);
    sp_buf_append_char(&buf, 'e');
    cr_expect_eq(buf.status, SP_TOO_LONG);
    EXPECT_TEXT(&buf, "abcd");
}

Test(buf, stays_failed)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 4);
    sp_buf_append(&buf, SP_STR("abc"));
    sp_buf_append(&buf, SP_STR("de"));
    sp_buf_append_char(&buf, 'f');
    sp_buf_printf(&buf, "%d", 1);
    cr_expect_eq(buf.status, SP_TOO_LONG, "though there is room for one");
    EXPECT_TEXT(&buf, "abc");
}

Test(buf, prints_formatted_text)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 1000);
    sp_buf_printf(&buf, "%s=%d", "a", 1);
    sp_buf_printf(&buf, ";%.*s", 2, "bcd");
    sp_buf_printf(&buf, "%s", "");
    EXPECT_TEXT(&buf, "a=1;bc");
    cr_expect_eq(buf.status, SP_OK);
}

Test(buf, prints_a_text_longer_than_its_first_capacity)
{
    sp_buf_t buf;
    char text[301];

    memset(text, 'x', 300);
    text[300] = '\0';
    sp_buf_init(&buf, &arena, 1000);
    sp_buf_printf(&buf, "%s", text);
    cr_expect_eq(buf.status, SP_OK);
    cr_expect(sp_str_eq(sp_buf_str(&buf), sp_str_from(text)));
}

Test(buf, refuses_formatted_text_over_its_maximum)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 5);
    sp_buf_printf(&buf, "%s", "123456");
    cr_expect_eq(buf.status, SP_TOO_LONG);
    cr_expect_eq(buf.len, 0);
}

Test(buf, escapes_for_html)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 1000);
    sp_buf_append_html(&buf, SP_STR("<a href=\"x\" b='y'>&amp;\xc3\xa4"));
    EXPECT_TEXT(&buf, "&lt;a href=&#34;x&#34; b=&#39;y&#39;&gt;&amp;amp;\xc3\xa4");
}

Test(buf, escapes_for_terminals_and_logs)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 1000);
    sp_buf_append_escaped(&buf, SP_STR("a\\b\x1b[0m\n\x7f\xff\0~"));
    EXPECT_TEXT(&buf, "a\\x5cb\\x1b[0m\\x0a\\x7f\\xff\\x00~");
}

Test(buf, printf_fills_the_buffer_to_its_last_octet)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, 5);
    sp_buf_printf(&buf, "%s", "12345");
    cr_expect_eq(buf.status, SP_OK);
    cr_expect(sp_str_eq(sp_buf_str(&buf), SP_STR("12345")));
    sp_buf_printf(&buf, "%s", "6");
    cr_expect_eq(buf.status, SP_TOO_LONG);
}
