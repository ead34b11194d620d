/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "rule/record_header.h"
#include "unit/rule/expect_str.h"

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 512);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(record_header, .init = start, .fini = finish);

/* Is `name: value` refused, and nothing written? */
static bool is_ignored(sp_str_t name, sp_str_t value)
{
    sp_header_t field = {.name = SP_STR("untouched")};
    const char *why = NULL;

    cr_assert_eq(sp_record_header_read(name, value, &arena, &field, &why), SP_OK);
    cr_expect(why == NULL || sp_str_eq(field.name, SP_STR("untouched")));
    return why != NULL;
}

static sp_str_t value_of(sp_str_t value)
{
    sp_header_t field = {.name = SP_STR("")};
    const char *why = NULL;

    cr_assert_eq(sp_record_header_read(SP_STR("X-Name"), value, &arena, &field, &why), SP_OK);
    cr_assert_null(why);
    EXPECT_STR(field.name, "X-Name");
    return field.value;
}

Test(record_header, value_is_percent_decoded_once)
{
    EXPECT_STR(value_of(SP_STR("plain text")), "plain text");
    EXPECT_STR(value_of(SP_STR("max-age%3D60%3b%20public")), "max-age=60; public");
    EXPECT_STR(value_of(SP_STR("%2541")), "%41");
    EXPECT_STR(value_of(SP_STR("")), "");
}

Test(record_header, value_may_hold_tabs_and_octets_beyond_ascii)
{
    EXPECT_STR(value_of(SP_STR("a%09b")), "a\tb");
    EXPECT_STR(value_of(SP_STR("caf%C3%A9 \xc3\xa9")), "caf\xc3\xa9 \xc3\xa9");
}

Test(record_header, with_a_broken_escape_is_ignored)
{
    cr_expect(is_ignored(SP_STR("X"), SP_STR("100%")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("%4")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("%G0")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("%%41")));
}

Test(record_header, with_an_octet_that_no_field_value_has_is_ignored)
{
    cr_expect(is_ignored(SP_STR("X"), SP_STR("a%0D%0ASet-Cookie: b")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("a\nb")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("a%00")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("a%7F")));
    cr_expect(is_ignored(SP_STR("X"), SP_STR("a%1b[0m")));
}

Test(record_header, name_is_a_token)
{
    static const char *const bad[] = {"",      "X Y",  "X:",    "X\t", "X/Y",
                                      "\"X\"", "X(Y)", "X\x80", "X@"};

    cr_expect_not(is_ignored(SP_STR("!#$%&'*+-.^_`|~09azAZ"), SP_STR("v")));
    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect(is_ignored(sp_str_from(bad[i]), SP_STR("v")), "%s", bad[i]);
    }
}

Test(record_header, that_frames_the_message_or_ends_at_the_next_hop_is_ignored)
{
    static const char *const reserved[] = {
        "Location", "content-length",  "DATE",    "Connection",        "keep-alive",
        "TE",       "Trailer",         "Upgrade", "Transfer-Encoding", "Proxy-Authenticate",
        "proxy-",   "PROXY-Connection"};

    for (size_t i = 0; i != SP_COUNT(reserved); ++i) {
        cr_expect(is_ignored(sp_str_from(reserved[i]), SP_STR("v")), "%s", reserved[i]);
    }
    cr_expect_not(is_ignored(SP_STR("Cache-Control"), SP_STR("no-store")));
    cr_expect_not(is_ignored(SP_STR("Dated"), SP_STR("v")));
    cr_expect_not(is_ignored(SP_STR("Proxy"), SP_STR("v")));
}
