/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_place.h"

#include <criterion/criterion.h>

static void expect_entry(const char *text, size_t from, size_t start, size_t type, size_t data)
{
    sp_zone_entry_t entry = sp_zone_entry_find(sp_str_from(text), from);

    cr_expect_eq(entry.start, start, "'%s' starts at %zu", text, entry.start);
    cr_expect_eq(entry.type, type, "'%s' has its type at %zu", text, entry.type);
    cr_expect_eq(entry.data, data, "'%s' has its data at %zu", text, entry.data);
}

Test(zone_place, finds_type_and_data_behind_ttl_and_class)
{
    expect_entry("a TXT x\n", 0, 0, 2, 6);
    expect_entry("a 1 IN TXT x\n", 0, 0, 7, 11);
    expect_entry("a in 1h TXT x\n", 0, 0, 8, 12);
    expect_entry("a CLASS1 TXT x\n", 0, 0, 9, 13);
    expect_entry("\t1 TXT x\n", 0, 0, 3, 7);
    expect_entry("\"o w\" TXT x\n", 0, 0, 6, 10);
}

Test(zone_place, passes_over_what_is_no_entry)
{
    expect_entry("$TTL 5\n\n ; c\na TXT x\n", 0, 13, 15, 19);
    expect_entry("a TXT x\nb TXT y\n", 7, 8, 10, 14);
    expect_entry("; nothing", 0, 9, 9, 9);
    expect_entry("", 0, 0, 0, 0);
}

Test(zone_place, looks_through_parentheses_and_comments)
{
    expect_entry("a ( TXT ; c )\n x )\n", 0, 0, 4, 15);
    expect_entry("a (\n1\nTXT\nx )\n", 0, 0, 6, 10);
    expect_entry("a TXT ; no data\n", 0, 0, 2, 2);
}

Test(zone_place, counts_lines_and_columns_both_ways)
{
    sp_str_t text = SP_STR("ab\n\ncd\n");
    sp_zone_place_t place = {0};

    sp_zone_place_move(&place, text, 5);
    cr_expect_eq(place.line, 3);
    cr_expect_eq(place.column, 2);
    sp_zone_place_move(&place, text, 2);
    cr_expect_eq(place.line, 1);
    cr_expect_eq(place.column, 3);
    sp_zone_place_move(&place, text, 3);
    cr_expect_eq(place.line, 2);
    cr_expect_eq(place.column, 1);
}

Test(zone_place, quotes_the_word_around_a_place)
{
    sp_str_t text = SP_STR("a (BAD) x;c\n");

    cr_expect(sp_str_eq(sp_zone_word_at(text, 4), SP_STR("BAD")));
    cr_expect(sp_str_eq(sp_zone_word_at(text, 6), SP_STR("BAD")));
    cr_expect(sp_str_eq(sp_zone_word_at(text, 9), SP_STR("x")));
    cr_expect_eq(sp_zone_word_at(text, 99).len, 0);
}
