/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolver_address.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_printed(const char *text, const char *printed)
{
    struct sockaddr_storage address;
    char out[SP_RESOLVER_TEXT_MAX];
    sp_error_t err = {0};

    cr_assert_eq(sp_resolver_parse(sp_str_from(text), &address, &err), SP_OK, "%s", err.message);
    sp_resolver_print(&address, out, sizeof(out));
    cr_expect_str_eq(out, printed);
}

Test(resolver_address, reads_every_form)
{
    expect_printed("192.0.2.1", "192.0.2.1:53");
    expect_printed("192.0.2.1:5353", "192.0.2.1:5353");
    expect_printed("2001:DB8::1", "[2001:db8::1]:53");
    expect_printed("::1", "[::1]:53");
    expect_printed("[::1]", "[::1]:53");
    expect_printed("[::1]:65535", "[::1]:65535");
    expect_printed("fe80::1%7", "[fe80::1%7]:53");
    expect_printed("[fe80::1%7]:54", "[fe80::1%7]:54");
}

Test(resolver_address, reads_the_name_of_an_interface)
{
    struct sockaddr_storage address;

    cr_expect_eq(sp_resolver_parse(SP_STR("fe80::1%lo"), &address, NULL), SP_OK);
    cr_expect_eq(sp_resolver_parse(SP_STR("fe80::1%no-such-if"), &address, NULL), SP_BAD_VALUE);
}

Test(resolver_address, refuses_everything_else_with_a_sentence)
{
    const char *bad[] = {"",         ":53",       "localhost",     "localhost:53", "192.0.2",
                         "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:x",    "[::1",
                         "[::1]53",  "[::1]:",    "[1.2.3.4]:53",  "fe80::1%",     "1.2.3.4%1",
                         "::1::",    "256.1.1.1", "[]:53"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        struct sockaddr_storage address = {.ss_family = 99};
        sp_error_t err = {0};

        cr_expect_eq(sp_resolver_parse(sp_str_from(bad[i]), &address, &err), SP_BAD_VALUE, "%s",
                     bad[i]);
        cr_expect_not_null(strstr(err.message, "expected"), "%s", err.message);
        cr_expect_eq(address.ss_family, 99);
    }
}

Test(resolver_address, refuses_a_nul_inside)
{
    struct sockaddr_storage address;

    cr_expect_eq(sp_resolver_parse(SP_STR("192.0.2.1\0"), &address, NULL), SP_BAD_VALUE);
}

Test(resolver_address, knows_the_loopback)
{
    struct sockaddr_storage address;

    cr_assert_eq(sp_resolver_parse(SP_STR("127.9.9.9"), &address, NULL), SP_OK);
    cr_expect(sp_resolver_is_loopback(&address));
    cr_assert_eq(sp_resolver_parse(SP_STR("::1"), &address, NULL), SP_OK);
    cr_expect(sp_resolver_is_loopback(&address));
    cr_assert_eq(sp_resolver_parse(SP_STR("192.0.2.1"), &address, NULL), SP_OK);
    cr_expect_not(sp_resolver_is_loopback(&address));
    cr_assert_eq(sp_resolver_parse(SP_STR("2001:db8::1"), &address, NULL), SP_OK);
    cr_expect_not(sp_resolver_is_loopback(&address));
}
