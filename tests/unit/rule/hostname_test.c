/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/hostname.h>
#include <string.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 1024);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(hostname, .init = start, .fini = finish);

static sp_status_t read(const char *text, sp_host_t *ret_host)
{
    return sp_host_read(sp_str_from(text), &arena, ret_host, NULL);
}

static bool is_refused(const char *text)
{
    sp_host_t host = {.is_address = false};

    return read(text, &host) != SP_OK && host.name.ptr == NULL;
}

Test(hostname, is_lower_cased)
{
    sp_host_t host;

    cr_assert_eq(read("WWW.Example.COM", &host), SP_OK);
    EXPECT_STR(host.name, "www.example.com");
    EXPECT_STR(host.port, "");
    cr_expect_not(host.is_address);
}

Test(hostname, loses_one_final_dot)
{
    sp_host_t host;

    cr_assert_eq(read("example.com.", &host), SP_OK);
    EXPECT_STR(host.name, "example.com");
    cr_assert_eq(read("example.com.:80", &host), SP_OK);
    EXPECT_STR(host.name, "example.com");
    cr_expect(is_refused("example.com.."));
    cr_expect(is_refused("."));
}

Test(hostname, gives_the_port_apart_as_it_is_written)
{
    sp_host_t host;

    cr_assert_eq(read("example.com:0080", &host), SP_OK);
    EXPECT_STR(host.name, "example.com");
    EXPECT_STR(host.port, "0080");
}

Test(hostname, accepts_ports_up_to_65535)
{
    sp_host_t host;

    cr_expect_eq(read("a:0", &host), SP_OK);
    cr_expect_eq(read("a:65535", &host), SP_OK);
    cr_expect(is_refused("a:65536"));
    cr_expect(is_refused("a:99999999999999999999999"));
    cr_expect(is_refused("a:"));
    cr_expect(is_refused("a:-1"));
    cr_expect(is_refused("a:8o"));
    cr_expect(is_refused("a:80:80"));
}

Test(hostname, must_be_there)
{
    cr_expect(is_refused(""));
    cr_expect(is_refused(":80"));
    cr_expect(is_refused(NULL));
}

Test(hostname, has_no_empty_label)
{
    cr_expect(is_refused("a..b"));
    cr_expect(is_refused(".a"));
}

Test(hostname, has_labels_of_63_octets_at_most)
{
    char text[80];
    sp_host_t host;

    memset(text, 'a', sizeof(text));
    memcpy(text + SP_LABEL_MAX, ".b", 3);
    cr_expect_eq(read(text, &host), SP_OK);
    memcpy(text + SP_LABEL_MAX, "a.b", 4);
    cr_expect(is_refused(text));
}

/* "a.a.a…", `len` octets long. */
static const char *name_of_length(size_t len, char *buffer)
{
    for (size_t i = 0; i != len; ++i) {
        buffer[i] = i % 2 == 0 ? 'a' : '.';
    }
    buffer[len] = '\0';
    return buffer;
}

Test(hostname, has_253_octets_at_most)
{
    char text[SP_NAME_MAX + 4];
    sp_host_t host;
    sp_error_t err;

    cr_expect_eq(read(name_of_length(SP_NAME_MAX, text), &host), SP_OK);
    cr_expect_eq(host.name.len, SP_NAME_MAX);
    strcat(text, ".");
    cr_expect_eq(read(text, &host), SP_OK, "the final dot does not count");
    cr_expect(is_refused(name_of_length(SP_NAME_MAX + 2, text)));
    cr_expect_eq(sp_host_read(sp_str_from(text), &arena, &host, &err), SP_TOO_LONG);
}

Test(hostname, is_made_of_letters_digits_hyphens_and_underscores)
{
    static const char *const bad[] = {"a b.c", "a%41.c", "a/b",  "a@b",   "user@a.b", "a\tb",
                                      "a\x7f", "a*b",    "a\"b", "a<b>c", "*.b",      "a\\b"};
    sp_host_t host;

    cr_expect_eq(read("a-b_c.9-.-x.EXAMPLE", &host), SP_OK);
    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect(is_refused(bad[i]), "%s", bad[i]);
    }
}

Test(hostname, says_where_the_fault_is)
{
    sp_host_t host;
    sp_error_t err;

    cr_assert_eq(sp_host_read(SP_STR("www.exa mple"), &arena, &host, &err), SP_BAD_VALUE);
    cr_expect_eq(err.offset, 4);
    cr_assert_eq(sp_host_read(SP_STR("www..example"), &arena, &host, &err), SP_BAD_VALUE);
    cr_expect_eq(err.offset, 4);
    cr_assert_eq(sp_host_read(SP_STR("www:x"), &arena, &host, &err), SP_BAD_VALUE);
    cr_expect_eq(err.offset, 3);
}

Test(hostname, in_u_label_form_has_its_faults_at_its_beginning)
{
    sp_host_t host;
    sp_error_t err;

    cr_assert_eq(sp_host_read(SP_STR("2.1\xc9\x9e..."), &arena, &host, &err), SP_BAD_VALUE);
    cr_expect_eq(err.offset, 0, "positions in the converted text are not the caller's");
}

Test(hostname, in_u_label_form_becomes_a_labels)
{
    sp_host_t host;

    cr_assert_eq(read("b\xc3\xbc"
                      "cher.example",
                      &host),
                 SP_OK);
    EXPECT_STR(host.name, "xn--bcher-kva.example");
    cr_assert_eq(read("B\xc3\x9c"
                      "CHER.Example:8080",
                      &host),
                 SP_OK);
    EXPECT_STR(host.name, "xn--bcher-kva.example");
    EXPECT_STR(host.port, "8080");
}

Test(hostname, is_converted_without_the_transitional_mapping)
{
    sp_host_t host;

    cr_assert_eq(read("stra\xc3\x9f"
                      "e.example",
                      &host),
                 SP_OK);
    EXPECT_STR(host.name, "xn--strae-oqa.example");
}

Test(hostname, that_idna_forbids_is_refused)
{
    cr_expect(is_refused("\xe2\x98\x83.example"), "a snowman is no letter");
    cr_expect(is_refused("\xff\xfe.example"), "not UTF-8");
    cr_expect(is_refused("\xe2\x80\x8d.example"), "a joiner with nothing to join");
    cr_expect(is_refused("a\xef\xbc\x8f"
                         "b.example"),
              "a slash in disguise");
}

Test(hostname, with_a_final_numeric_label_is_an_address)
{
    sp_host_t host;

    cr_assert_eq(read("192.0.2.1", &host), SP_OK);
    cr_expect(host.is_address);
    cr_assert_eq(read("192.0.2.1:80", &host), SP_OK);
    cr_expect(host.is_address);
    cr_assert_eq(read("example.123", &host), SP_OK);
    cr_expect(host.is_address);
    cr_assert_eq(read("42", &host), SP_OK);
    cr_expect(host.is_address);
    cr_assert_eq(read("1.2.3.4a", &host), SP_OK);
    cr_expect_not(host.is_address);
}

Test(hostname, may_be_an_ipv6_address_in_brackets)
{
    sp_host_t host;

    cr_assert_eq(read("[2001:DB8::1]:443", &host), SP_OK);
    EXPECT_STR(host.name, "[2001:db8::1]");
    EXPECT_STR(host.port, "443");
    cr_expect(host.is_address);
    cr_expect(is_refused("2001:db8::1"));
    cr_expect(is_refused("::1"));
    cr_expect(is_refused("[::1"));
    cr_expect(is_refused("[::1]80"));
    cr_expect(is_refused("[::1]:"));
    cr_expect(is_refused("["));
    cr_expect(is_refused("[]"));
    cr_expect(is_refused("[192.0.2.1]"));
    cr_expect(is_refused("[fe80::1%25eth0]"));
}

Test(hostname, to_ascii_refuses_nul_and_accepts_ascii)
{
    sp_str_t ascii;

    cr_expect_eq(sp_host_to_ascii(SP_STR("a\0\xc3\xbc"), &arena, &ascii), SP_BAD_VALUE);
    cr_assert_eq(sp_host_to_ascii(SP_STR("example"), &arena, &ascii), SP_OK);
    EXPECT_STR(ascii, "example");
}

Test(ipv6, has_eight_groups_or_one_gap)
{
    static const char *const good[] = {"::",
                                       "::1",
                                       "1::",
                                       "1:2:3:4:5:6:7:8",
                                       "1:2:3:4:5:6:7::",
                                       "::2:3:4:5:6:7:8",
                                       "2001:db8::dead:BEEF",
                                       "::ffff:192.0.2.1",
                                       "1:2:3:4:5:6:192.0.2.255"};
    static const char *const bad[] = {"",
                                      ":",
                                      ":::",
                                      "1",
                                      "1:2:3:4:5:6:7",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1::2::3",
                                      "1:2:3:4:5:6:7:8::",
                                      "::1:2:3:4:5:6:7:8",
                                      "12345::",
                                      "g::",
                                      "1:",
                                      ":1",
                                      "::1:",
                                      "192.0.2.1::",
                                      "::192.0.2.256",
                                      "::096.0.2.1",
                                      "::192.0.2.00",
                                      "::192.0.2",
                                      "::192.0.2.1.1",
                                      "::192.0.2.1:1",
                                      "1:2:3:4:5:6:7:192.0.2.1",
                                      "::1%eth0"};

    for (size_t i = 0; i != SP_COUNT(good); ++i) {
        cr_expect(sp_ipv6_is_valid(sp_str_from(good[i])), "%s", good[i]);
    }
    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect_not(sp_ipv6_is_valid(sp_str_from(bad[i])), "%s", bad[i]);
    }
}

Test(label, has_1_to_63_octets_of_its_own_alphabet)
{
    char text[SP_LABEL_MAX + 1];

    memset(text, '_', sizeof(text));
    cr_expect(sp_label_is_valid((sp_str_t){.ptr = text, .len = SP_LABEL_MAX}));
    cr_expect_not(sp_label_is_valid((sp_str_t){.ptr = text, .len = SP_LABEL_MAX + 1}));
    cr_expect_not(sp_label_is_valid(SP_STR("")));
    cr_expect(sp_label_is_valid(SP_STR("a-Z0")));
    cr_expect_not(sp_label_is_valid(SP_STR("a.b")));
    cr_expect_not(sp_label_is_valid(SP_STR("\xc3\xbc")));
}

Test(port, is_a_number_up_to_65535)
{
    cr_expect(sp_port_is_valid(SP_STR("0")));
    cr_expect(sp_port_is_valid(SP_STR("65535")));
    cr_expect_not(sp_port_is_valid(SP_STR("65536")));
    cr_expect_not(sp_port_is_valid(SP_STR("")));
    cr_expect_not(sp_port_is_valid(SP_STR("+1")));
}
