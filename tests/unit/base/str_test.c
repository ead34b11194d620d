/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/base/str.h>
#include <string.h>

static const sp_str_t nothing = {.ptr = NULL, .len = 0};

Test(str, is_made_of_a_literal_or_a_c_text)
{
    cr_expect_eq(SP_STR("abc").len, 3);
    cr_expect_eq(SP_STR("").len, 0);
    cr_expect_eq(sp_str_from("abc").len, 3);
    cr_expect_eq(sp_str_from("").len, 0);
    cr_expect_eq(sp_str_from(NULL).len, 0);
    cr_expect_null(sp_str_from(NULL).ptr);
}

Test(str, equals_octet_for_octet)
{
    cr_expect(sp_str_eq(SP_STR("a\0b"), SP_STR("a\0b")));
    cr_expect(sp_str_eq(nothing, SP_STR("")));
    cr_expect_not(sp_str_eq(SP_STR("a\0b"), SP_STR("a\0c")));
    cr_expect_not(sp_str_eq(SP_STR("a"), SP_STR("ab")));
    cr_expect_not(sp_str_eq(SP_STR("a"), SP_STR("A")));
}

Test(str, compares_ascii_letters_without_case)
{
    cr_expect(sp_str_eq_nocase(SP_STR("X-Thing1"), SP_STR("x-tHING1")));
    cr_expect(sp_str_eq_nocase(nothing, nothing));
    cr_expect_not(sp_str_eq_nocase(SP_STR("abc"), SP_STR("abcd")));
    cr_expect_not(sp_str_eq_nocase(SP_STR("["), SP_STR("{")), "differ by 0x20, but are no letters");
    cr_expect_not(sp_str_eq_nocase(SP_STR("\xc3\x84"), SP_STR("\xc3\xa4")), "not ASCII");
}

Test(str, orders_bytewise_with_a_prefix_first)
{
    cr_expect_eq(sp_str_compare(SP_STR("abc"), SP_STR("abc")), 0);
    cr_expect_eq(sp_str_compare(nothing, SP_STR("")), 0);
    cr_expect_lt(sp_str_compare(SP_STR("ab"), SP_STR("abc")), 0);
    cr_expect_gt(sp_str_compare(SP_STR("abc"), SP_STR("ab")), 0);
    cr_expect_lt(sp_str_compare(SP_STR("B"), SP_STR("a")), 0);
    cr_expect_gt(sp_str_compare(SP_STR("\xff"), SP_STR("a")), 0, "octets are unsigned");
    cr_expect_lt(sp_str_compare(nothing, SP_STR("a")), 0);
}

Test(str, knows_its_beginning_and_end)
{
    cr_expect(sp_str_starts_with(SP_STR("www.example"), SP_STR("www.")));
    cr_expect(sp_str_starts_with(SP_STR("www"), nothing));
    cr_expect(sp_str_starts_with(nothing, nothing));
    cr_expect_not(sp_str_starts_with(SP_STR("ww"), SP_STR("www")));
    cr_expect_not(sp_str_starts_with(SP_STR("WWW."), SP_STR("www.")));
    cr_expect(sp_str_starts_with_nocase(SP_STR("WwW.a"), SP_STR("wWw.")));
    cr_expect_not(sp_str_starts_with_nocase(SP_STR("WwW"), SP_STR("www.")));
    cr_expect_not(sp_str_starts_with_nocase(SP_STR("WwX."), SP_STR("www.")));
    cr_expect(sp_str_ends_with(SP_STR("a.example"), SP_STR(".example")));
    cr_expect(sp_str_ends_with(SP_STR("a"), nothing));
    cr_expect_not(sp_str_ends_with(SP_STR("example"), SP_STR(".example")));
    cr_expect_not(sp_str_ends_with(SP_STR("a.exampla"), SP_STR(".example")));
}

Test(str, finds_an_octet_or_a_text)
{
    cr_expect_eq(sp_str_find(SP_STR("a=b=c"), '='), 1);
    cr_expect_eq(sp_str_find(SP_STR("abc"), '='), 3, "its length where there is none");
    cr_expect_eq(sp_str_find(nothing, '='), 0);
    cr_expect_eq(sp_str_find_last(SP_STR("a=b=c"), '='), 3);
    cr_expect_eq(sp_str_find_last(SP_STR("=bc"), '='), 0);
    cr_expect_eq(sp_str_find_last(SP_STR("abc"), '='), 3);
    cr_expect_eq(sp_str_find_last(nothing, '='), 0);
    cr_expect_eq(sp_str_search(SP_STR("aab?query"), SP_STR("ab")), 1);
    cr_expect_eq(sp_str_search(SP_STR("ab"), SP_STR("b")), 1, "at the very end");
    cr_expect_eq(sp_str_search(SP_STR("ab"), SP_STR("abc")), 2);
    cr_expect_eq(sp_str_search(SP_STR("ab"), SP_STR("x")), 2);
    cr_expect_eq(sp_str_search(SP_STR("ab"), nothing), 0);
}

Test(str, skips_and_slices_within_its_bounds)
{
    sp_str_t text = SP_STR("abcdef");

    cr_expect(sp_str_eq(sp_str_skip(text, 2), SP_STR("cdef")));
    cr_expect_eq(sp_str_skip(text, 7).len, 0);
    cr_expect_eq(sp_str_skip(text, 7).ptr, text.ptr + 6);
    cr_expect_null(sp_str_skip(nothing, 1).ptr);
    cr_expect(sp_str_eq(sp_str_slice(text, 1, 3), SP_STR("bc")));
    cr_expect(sp_str_eq(sp_str_slice(text, 4, 99), SP_STR("ef")));
    cr_expect_eq(sp_str_slice(text, 3, 2).len, 0, "from behind to");
    cr_expect_eq(sp_str_slice(text, 99, 99).len, 0);
}

Test(str, is_cut_at_separators)
{
    sp_str_t rest = SP_STR("a;;b=c");

    cr_expect(sp_str_eq(sp_str_cut(rest, ';', &rest), SP_STR("a")));
    cr_expect(sp_str_eq(sp_str_cut(rest, ';', &rest), SP_STR("")));
    cr_expect(sp_str_eq(sp_str_cut(rest, ';', &rest), SP_STR("b=c")));
    cr_expect_null(rest.ptr, "no separator followed");
}

Test(str, has_an_empty_last_part_behind_a_final_separator)
{
    sp_str_t rest = nothing;

    cr_expect(sp_str_eq(sp_str_cut(SP_STR("a;"), ';', &rest), SP_STR("a")));
    cr_assert_not_null(rest.ptr);
    cr_expect_eq(rest.len, 0);
    cr_expect_eq(sp_str_cut(rest, ';', &rest).len, 0);
    cr_expect_null(rest.ptr);
}

Test(str, loses_blanks_on_both_sides)
{
    cr_expect(sp_str_eq(sp_str_trim(SP_STR(" \t\r\na b\n\r\t ")), SP_STR("a b")));
    cr_expect_eq(sp_str_trim(SP_STR(" \t\r\n")).len, 0);
    cr_expect_eq(sp_str_trim(nothing).len, 0);
    cr_expect(sp_str_eq(sp_str_trim(SP_STR("\v\f")), SP_STR("\v\f")), "other white space stays");
}

Test(str, reads_a_decimal_number_up_to_a_maximum)
{
    uint64_t value = 0;

    cr_assert(sp_str_to_uint(SP_STR("65535"), 65535, &value));
    cr_expect_eq(value, 65535);
    cr_assert(sp_str_to_uint(SP_STR("0007"), 65535, &value));
    cr_expect_eq(value, 7);
    cr_assert(sp_str_to_uint(SP_STR("18446744073709551615"), UINT64_MAX, &value));
    cr_expect_eq(value, UINT64_MAX);
    cr_assert(sp_str_to_uint(SP_STR("0"), 0, &value));
    cr_expect_eq(value, 0);
}

Test(str, refuses_what_is_no_number_or_too_large)
{
    const sp_str_t bad[] = {SP_STR(""),      SP_STR("-1"),
                            SP_STR("+1"),    SP_STR(" 1"),
                            SP_STR("1 "),    SP_STR("0x10"),
                            SP_STR("65536"), SP_STR("655350"),
                            SP_STR("1.5"),   SP_STR("1\0"),
                            SP_STR("\xb2"),  SP_STR("one"),
                            SP_STR("99999"), SP_STR("18446744073709551616")};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        uint64_t value = 42;

        cr_expect_not(sp_str_to_uint(bad[i], 65535, &value), "'%.*s'", (int)bad[i].len, bad[i].ptr);
        cr_expect_eq(value, 42, "written on success only");
    }
}

Test(str, refuses_a_number_over_64_bits_whatever_the_maximum)
{
    uint64_t value = 42;

    cr_expect_not(sp_str_to_uint(SP_STR("18446744073709551616"), UINT64_MAX, &value));
    cr_expect_not(sp_str_to_uint(SP_STR("99999999999999999999999"), UINT64_MAX, &value));
    cr_expect_not(sp_str_to_uint(SP_STR("9"), 8, &value));
    cr_expect_eq(value, 42);
}

Test(str, classifies_every_octet_as_ascii_whatever_the_locale)
{
    static const char digits[] = "0123456789";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char blanks[] = " \t\r\n";

    for (int i = 1; i != 256; ++i) {
        char c = (char)i;
        bool digit = strchr(digits, c) != NULL;
        bool letter = strchr(letters, c) != NULL;

        cr_expect_eq(sp_is_digit(c), digit, "octet %d", i);
        cr_expect_eq(sp_is_alpha(c), letter, "octet %d", i);
        cr_expect_eq(sp_is_alnum(c), digit || letter, "octet %d", i);
        cr_expect_eq(sp_is_blank(c), strchr(blanks, c) != NULL, "octet %d", i);
    }
    cr_expect_not(sp_is_digit('\0'));
    cr_expect_not(sp_is_alpha('\0'));
    cr_expect_not(sp_is_blank('\0'));
}

Test(str, lower_cases_ascii_letters_only)
{
    cr_expect_eq(sp_to_lower('A'), 'a');
    cr_expect_eq(sp_to_lower('Z'), 'z');
    cr_expect_eq(sp_to_lower('z'), 'z');
    cr_expect_eq(sp_to_lower('@'), '@');
    cr_expect_eq(sp_to_lower('['), '[');
    cr_expect_eq(sp_to_lower('\xc4'), '\xc4');
}

Test(str, reads_hex_digits)
{
    cr_expect_eq(sp_hex_value('0'), 0);
    cr_expect_eq(sp_hex_value('9'), 9);
    cr_expect_eq(sp_hex_value('a'), 10);
    cr_expect_eq(sp_hex_value('F'), 15);
    cr_expect_eq(sp_hex_value('g'), -1);
    cr_expect_eq(sp_hex_value('G'), -1);
    cr_expect_eq(sp_hex_value('\0'), -1);
    cr_expect_eq(sp_hex_value(':'), -1);
}

Test(str, reads_percent_escapes)
{
    cr_expect_eq(sp_percent_octet(SP_STR("%41"), 0), 'A');
    cr_expect_eq(sp_percent_octet(SP_STR("a%fFb"), 1), 255);
    cr_expect_eq(sp_percent_octet(SP_STR("%00"), 0), 0);
    cr_expect_eq(sp_percent_octet(SP_STR("a%41"), 0), -1, "no escape there");
    cr_expect_eq(sp_percent_octet(SP_STR("%4"), 0), -1, "cut short");
    cr_expect_eq(sp_percent_octet(SP_STR("%"), 0), -1);
    cr_expect_eq(sp_percent_octet(SP_STR("%g1"), 0), -1);
    cr_expect_eq(sp_percent_octet(SP_STR("%1g"), 0), -1);
    cr_expect_eq(sp_percent_octet(nothing, 0), -1);
}
