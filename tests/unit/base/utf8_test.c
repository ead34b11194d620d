/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include <signpost/base/utf8.h>

static void expect_len(const char *text, size_t expected)
{
    cr_expect_eq(sp_utf8_len(sp_str_from(text)), expected, "%s", text);
}

Test(utf8, knows_characters_of_one_to_four_octets)
{
    expect_len("a", 1);
    expect_len("\x7f", 1);
    expect_len("\xc3\xa9", 2);
    expect_len("\xe2\x82\xac", 3);
    expect_len("\xed\x9f\xbf", 3);
    expect_len("\xf0\x9f\x98\x80", 4);
    expect_len("\xf4\x8f\xbf\xbf", 4);
}

Test(utf8, refuses_what_is_no_character)
{
    expect_len("\x80", 0);
    expect_len("\xff", 0);
    expect_len("\xc0\xaf", 0);         /* overlong */
    expect_len("\xe0\x9f\xbf", 0);     /* overlong */
    expect_len("\xf0\x8f\xbf\xbf", 0); /* overlong */
    expect_len("\xed\xa0\x80", 0);     /* surrogate */
    expect_len("\xf4\x90\x80\x80", 0); /* over U+10FFFF */
    expect_len("\xe2\x82", 0);         /* cut short */
    expect_len("\xe2\x82\x28", 0);
    expect_len("\xc3", 0);
}
