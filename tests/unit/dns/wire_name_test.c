/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/wire_name.h"

#include <criterion/criterion.h>
#include <string.h>

#define WIRE(literal) ((sp_str_t){"" literal, sizeof(literal) - 1})

static bool reads_as(sp_str_t message, size_t at, const char *text, size_t end)
{
    sp_wire_name_t name;

    return sp_wire_name_read(message, &at, &name) && at == end &&
           sp_str_eq(sp_wire_name_str(&name), sp_str_from(text));
}

static bool is_refused(sp_str_t message, size_t at)
{
    sp_wire_name_t name;

    return !sp_wire_name_read(message, &at, &name);
}

Test(wire_name, reads_labels_in_lower_case)
{
    cr_expect(reads_as(WIRE("\x03WwW\x07"
                            "example\0"),
                       0, "www.example", 13));
    cr_expect(reads_as(WIRE("\0"), 0, "", 1));
}

Test(wire_name, writes_odd_octets_as_decimal_escapes)
{
    cr_expect(reads_as(WIRE("\x04"
                            "a.\\\x07\x01\0\0"),
                       0, "a\\046\\092\\007.\\000", 8));
}

Test(wire_name, follows_pointers_backwards_only)
{
    sp_str_t message = WIRE("\x01"
                            "a\0\x01"
                            "b\xc0\0\xc0\x03");

    cr_expect(reads_as(message, 3, "b.a", 7));
    cr_expect(reads_as(message, 7, "b.a", 9));
    cr_expect(is_refused(WIRE("\xc0\0"), 0));
    cr_expect(is_refused(WIRE("\x01"
                              "a\xc0\0"),
                         0));
    cr_expect(is_refused(WIRE("\xc0\x02\xc0\0"), 2));
    cr_expect(is_refused(WIRE("\xc0"), 0));
}

Test(wire_name, refuses_what_is_cut_off_or_no_label)
{
    cr_expect(is_refused(WIRE(""), 0));
    cr_expect(is_refused(WIRE("\x02"
                              "a"),
                         0));
    cr_expect(is_refused(WIRE("\x01"
                              "a"),
                         0));
    cr_expect(is_refused(WIRE("\x40"
                              "a\0"),
                         0));
}

/* `labels` labels of 49 octets with their length, then one of `last`. */
static sp_str_t long_name(char *out, size_t labels, size_t last)
{
    size_t len = 0;

    for (size_t i = 0; i != labels; ++i) {
        out[len] = 49;
        memset(out + len + 1, 'x', 49);
        len += 50;
    }
    out[len] = (char)last;
    memset(out + len + 1, 'y', last);
    out[len + 1 + last] = '\0';
    return (sp_str_t){out, len + last + 2};
}

Test(wire_name, takes_255_octets_and_no_more)
{
    char wire[300];
    sp_wire_name_t name;
    size_t at = 0;

    cr_expect(sp_wire_name_read(long_name(wire, 5, 3), &at, &name));
    cr_expect_eq(at, 255);
    cr_expect(is_refused(long_name(wire, 5, 4), 0));
}

Test(wire_name, bounds_the_pointers_that_it_follows)
{
    char message[400] = {0};

    for (size_t i = 1; i != 200; ++i) {
        message[2 * i] = (char)0xc0;
        message[2 * i + 1] = (char)(i == 1 ? 0 : 2 * i - 2);
        if (2 * i - 2 > 255) {
            message[2 * i] = (char)0xc1;
        }
    }
    cr_expect(reads_as((sp_str_t){message, sizeof(message)}, 100, "", 102));
    cr_expect(is_refused((sp_str_t){message, sizeof(message)}, 398));
}

Test(wire_name, writes_back_what_it_read)
{
    sp_str_t wire = WIRE("\x04"
                         "a.\\\x07\x07"
                         "example\0");
    uint8_t written[SP_WIRE_NAME_MAX];
    sp_wire_name_t name;
    size_t at = 0;
    size_t len = 0;

    cr_assert(sp_wire_name_read(wire, &at, &name));
    cr_assert(sp_wire_name_write(sp_wire_name_str(&name), written, &len));
    cr_expect(sp_str_eq(wire, (sp_str_t){(const char *)written, len}));
}

Test(wire_name, refuses_to_write_what_is_no_name)
{
    const char *bad[] = {"a..b", ".", "a.", ".a", "\\", "\\25", "\\256", "\\a00"};
    uint8_t wire[SP_WIRE_NAME_MAX];
    char label[70];
    char text[300];
    size_t len;

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect_not(sp_wire_name_write(sp_str_from(bad[i]), wire, &len), "%s", bad[i]);
    }
    memset(label, 'a', sizeof(label));
    cr_expect(sp_wire_name_write((sp_str_t){label, 63}, wire, &len));
    cr_expect_not(sp_wire_name_write((sp_str_t){label, 64}, wire, &len));
    for (size_t i = 0; i != sizeof(text); ++i) {
        text[i] = i % 2 == 0 ? 'a' : '.';
    }
    cr_expect(sp_wire_name_write((sp_str_t){text, 253}, wire, &len));
    cr_expect_eq(len, 255);
    cr_expect_not(sp_wire_name_write((sp_str_t){text, 255}, wire, &len));
}

Test(wire_name, knows_parents_and_what_lies_within)
{
    cr_expect(sp_str_eq(sp_name_parent(SP_STR("a.b.c")), SP_STR("b.c")));
    cr_expect_eq(sp_name_parent(SP_STR("c")).len, 0);
    cr_expect(sp_name_is_within(SP_STR("a.example"), SP_STR("example")));
    cr_expect(sp_name_is_within(SP_STR("example"), SP_STR("example")));
    cr_expect(sp_name_is_within(SP_STR("example"), SP_STR("")));
    cr_expect_not(sp_name_is_within(SP_STR("notexample"), SP_STR("example")));
    cr_expect_not(sp_name_is_within(SP_STR("example"), SP_STR("a.example")));
}
