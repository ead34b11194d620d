/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/markup.h"

#include <criterion/criterion.h>

#define BAD "\xef\xbf\xbd"

static void expect(sp_str_t text, const char *wanted)
{
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 256);
    sp_buf_init(&buf, &arena, 4096);
    sp_lab_append_text(&buf, text);
    cr_expect(sp_str_eq(sp_buf_str(&buf), sp_str_from(wanted)), "%s", wanted);
    sp_arena_clear(&arena);
}

Test(report_markup, leaves_text_and_escapes_markup)
{
    expect(SP_STR(""), "");
    expect(SP_STR("a\tb\nc \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd"),
           "a\tb\nc \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd");
    expect(SP_STR("<a b='c'>&\"</a>"), "&lt;a b=&#39;c&#39;&gt;&amp;&#34;&lt;/a&gt;");
}

Test(report_markup, replaces_control_characters)
{
    for (int octet = 0; octet != 0x80; ++octet) {
        char text[] = {'<', (char)octet, 'z'};
        bool control = (octet < 0x20 && octet != '\t' && octet != '\n') || octet == 0x7f;

        if (control) {
            expect((sp_str_t){text, sizeof(text)}, "&lt;" BAD "z");
        } else if (octet == '\t') {
            expect((sp_str_t){text, sizeof(text)}, "&lt;\tz");
        }
    }
    expect(SP_STR("\x01"), BAD);
    expect(SP_STR("\x1b[1mbold\r\n"), BAD "[1mbold" BAD "\n");
}

Test(report_markup, replaces_what_is_no_character)
{
    expect(SP_STR("\xef\xbf\xbe|\xef\xbf\xbf"), BAD BAD BAD "|" BAD BAD BAD);
    expect(SP_STR("cut \xe2\x82"), "cut " BAD BAD);
    expect(SP_STR("\xff&\xc0\xaf"), BAD "&amp;" BAD BAD);
    expect(SP_STR("\xed\xa0\x80"), BAD BAD BAD);
}
