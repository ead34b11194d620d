/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/location.h>
#include <string.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 4096);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(url, .init = start, .fini = finish);
TestSuite(authority, .init = start, .fini = finish);
TestSuite(reference, .init = start, .fini = finish);

static sp_str_t encoded(sp_str_t text, sp_octets_t octets)
{
    sp_buf_t buf;

    sp_buf_init(&buf, &arena, SP_LOCATION_MAX);
    sp_url_append(&buf, text, octets);
    cr_assert_eq(buf.status, SP_OK);
    return sp_buf_str(&buf);
}

Test(url, keeps_reserved_and_unreserved_octets)
{
    static const char all[] = "AZaz09-._~:/?#[]@!$&'()*+,;=";

    EXPECT_STR(encoded(SP_STR("AZaz09-._~:/?#[]@!$&'()*+,;="), SP_OCTETS_RECORD), all);
}

Test(url, encodes_everything_else_in_upper_case)
{
    EXPECT_STR(encoded(SP_STR("a b\"<>\\^`{|}"), SP_OCTETS_RECORD),
               "a%20b%22%3C%3E%5C%5E%60%7B%7C%7D");
    EXPECT_STR(encoded(SP_STR("\r\n\t\0\x7f\xc3\xbc"), SP_OCTETS_RECORD), "%0D%0A%09%00%7F%C3%BC");
}

Test(url, leaves_escapes_as_they_are)
{
    EXPECT_STR(encoded(SP_STR("%2f%2F%zz%"), SP_OCTETS_RECORD), "%2f%2F%25zz%25");
    EXPECT_STR(encoded(SP_STR("%2f%4"), SP_OCTETS_SENT), "%2f%254");
}

Test(url, encodes_a_number_sign_that_was_sent)
{
    EXPECT_STR(encoded(SP_STR("a#b?c&d"), SP_OCTETS_SENT), "a%23b?c&d");
}

Test(url, encodes_the_structure_of_decoded_values)
{
    EXPECT_STR(encoded(SP_STR("a?b#c%41/&+d"), SP_OCTETS_DECODED_PATH), "a%3Fb%23c%2541/&+d");
    EXPECT_STR(encoded(SP_STR("a?b#c%41/&+d"), SP_OCTETS_DECODED_QUERY), "a?b%23c%2541/%26%2Bd");
}

Test(url, is_cut_at_its_delimiters)
{
    sp_url_t url;

    sp_url_split(SP_STR("HTTPS://u@h:1/p/q?a?b#c#d"), &url);
    EXPECT_STR(url.scheme, "HTTPS");
    EXPECT_STR(url.authority, "u@h:1");
    EXPECT_STR(url.path, "/p/q");
    EXPECT_STR(url.query, "a?b");
    EXPECT_STR(url.fragment, "c#d");
}

Test(url, tells_absent_parts_from_empty_ones)
{
    sp_url_t url;

    sp_url_split(SP_STR("//?#"), &url);
    cr_expect_null(url.scheme.ptr);
    cr_expect_not_null(url.authority.ptr);
    cr_expect_not_null(url.query.ptr);
    cr_expect_not_null(url.fragment.ptr);
    sp_url_split(SP_STR("a/b"), &url);
    cr_expect_null(url.authority.ptr);
    cr_expect_null(url.query.ptr);
    cr_expect_null(url.fragment.ptr);
    EXPECT_STR(url.path, "a/b");
}

Test(url, takes_a_colon_for_the_end_of_a_scheme_only_where_one_can_be)
{
    static const struct {
        const char *text;
        const char *scheme;
        const char *path;
    } urls[] = {{"mailto:a", "mailto", "a"}, {"a.b+c-1:x", "a.b+c-1", "x"},
                {"1a:x", "", "1a:x"},        {":x", "", ":x"},
                {"a/b:c", "", "a/b:c"},      {"a_b:c", "", "a_b:c"},
                {"a?b:c", "", "a"},          {"+a:x", "", "+a:x"}};

    for (size_t i = 0; i != SP_COUNT(urls); ++i) {
        sp_url_t url;

        sp_url_split(sp_str_from(urls[i].text), &url);
        EXPECT_STR(url.scheme, urls[i].scheme);
        EXPECT_STR(url.path, urls[i].path);
    }
}

Test(url, behind_an_authority_has_no_other)
{
    sp_url_t url;

    sp_url_split_path(SP_STR("//a?b#c"), &url);
    EXPECT_STR(url.path, "//a");
    cr_expect_null(url.authority.ptr);
    EXPECT_STR(url.query, "b");
    EXPECT_STR(url.fragment, "c");
}

/* ---- authority ---- */

static void expect_authority(const char *text, const char *written, const char *name,
                             const char *port)
{
    sp_str_t authority;
    sp_host_t host;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_authority_read(sp_str_from(text), &arena, &authority, &host, &err), SP_OK,
                 "%s: %s", text, err.message);
    EXPECT_STR(authority, written);
    EXPECT_STR(host.name, name);
    EXPECT_STR(host.port, port);
}

static bool is_refused(const char *text)
{
    sp_str_t authority;
    sp_host_t host;
    sp_error_t err = {.message = ""};

    return sp_authority_read(sp_str_from(text), &arena, &authority, &host, &err) == SP_BAD_VALUE &&
           err.message[0] != '\0';
}

Test(authority, is_written_as_it_is)
{
    expect_authority("Example.COM", "Example.COM", "example.com", "");
    expect_authority("example.com:8080", "example.com:8080", "example.com", "8080");
    expect_authority("example.com:", "example.com:", "example.com", "");
    expect_authority("a_b-c.", "a_b-c.", "a_b-c", "");
    expect_authority("localhost", "localhost", "localhost", "");
}

Test(authority, may_be_an_ipv6_address)
{
    expect_authority("[2001:DB8::1]:443", "[2001:DB8::1]:443", "[2001:db8::1]", "443");
    expect_authority("[::1]", "[::1]", "[::1]", "");
    cr_expect(is_refused("[::g]"));
    cr_expect(is_refused("[::1"));
    cr_expect(is_refused("[::1]x"));
    cr_expect(is_refused("[::1]x:80"));
    cr_expect(is_refused("[]"));
    cr_expect(is_refused("["));
}

Test(authority, in_u_label_form_is_written_with_a_labels)
{
    expect_authority("b\xc3\xbc"
                     "cher.example:81",
                     "xn--bcher-kva.example:81", "xn--bcher-kva.example", "81");
    cr_expect(is_refused("\xe2\x98\x83.example"));
    cr_expect(is_refused("\xff.example"));
}

Test(authority, may_have_userinfo)
{
    expect_authority("user:p w@example.com", "user:p%20w@example.com", "example.com", "");
    expect_authority("@example.com", "@example.com", "example.com", "");
    cr_expect(is_refused("a@b@example.com"));
    cr_expect(is_refused("[a@example.com"));
}

Test(authority, has_a_host)
{
    cr_expect(is_refused(""));
    cr_expect(is_refused(":80"));
    cr_expect(is_refused("user@"));
    cr_expect(is_refused("."));
}

Test(authority, has_a_host_of_proper_labels)
{
    static const char *const bad[] = {"a..b", ".a",   "a b",    "a%2eb", "a*b",
                                      "a,b",  "a\\b", "a\"b.c", "a\x01", "a..",
                                      "a!b",  "a(b",  "a;b",    "a=b",   "a$b"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect(is_refused(bad[i]), "%s", bad[i]);
    }
}

Test(authority, has_a_port_up_to_65535)
{
    expect_authority("a:65535", "a:65535", "a", "65535");
    cr_expect(is_refused("a:65536"));
    cr_expect(is_refused("a:b"));
    cr_expect(is_refused("a:80:80"));
}

/* ---- references ---- */

static sp_str_t resolved(const char *text, const char *base_path, const char *base_query)
{
    sp_url_t reference;
    sp_url_t url;
    sp_buf_t buf;

    sp_url_split(sp_str_from(text), &reference);
    cr_assert_eq(sp_reference_resolve(&reference, sp_str_from(base_path), sp_str_from(base_query),
                                      &arena, &url, NULL),
                 SP_OK);
    sp_buf_init(&buf, &arena, 4096);
    sp_buf_append(&buf, url.path);
    sp_buf_append(&buf, url.query.ptr == NULL ? SP_STR("") : SP_STR("?"));
    sp_buf_append(&buf, url.query);
    sp_buf_append(&buf, url.fragment.ptr == NULL ? SP_STR("") : SP_STR("#"));
    sp_buf_append(&buf, url.fragment);
    return sp_buf_str(&buf);
}

/* The examples of RFC 3986, 5.4, as far as they have neither scheme nor authority; the base is
 * /b/c/d;p?q. */
Test(reference, is_resolved_as_rfc_3986_shows)
{
    static const struct {
        const char *reference;
        const char *result;
    } examples[] = {{"g", "/b/c/g"},
                    {"./g", "/b/c/g"},
                    {"g/", "/b/c/g/"},
                    {"/g", "/g"},
                    {"?y", "/b/c/d;p?y"},
                    {"g?y", "/b/c/g?y"},
                    {"#s", "/b/c/d;p?q#s"},
                    {"g#s", "/b/c/g#s"},
                    {"g?y#s", "/b/c/g?y#s"},
                    {";x", "/b/c/;x"},
                    {"g;x", "/b/c/g;x"},
                    {"g;x?y#s", "/b/c/g;x?y#s"},
                    {"", "/b/c/d;p?q"},
                    {".", "/b/c/"},
                    {"./", "/b/c/"},
                    {"..", "/b/"},
                    {"../", "/b/"},
                    {"../g", "/b/g"},
                    {"../..", "/"},
                    {"../../", "/"},
                    {"../../g", "/g"},
                    {"../../../g", "/g"},
                    {"../../../../g", "/g"},
                    {"/./g", "/g"},
                    {"/../g", "/g"},
                    {"g.", "/b/c/g."},
                    {".g", "/b/c/.g"},
                    {"g..", "/b/c/g.."},
                    {"..g", "/b/c/..g"},
                    {"./../g", "/b/g"},
                    {"./g/.", "/b/c/g/"},
                    {"g/./h", "/b/c/g/h"},
                    {"g/../h", "/b/c/h"},
                    {"g;x=1/./y", "/b/c/g;x=1/y"},
                    {"g;x=1/../y", "/b/c/y"},
                    {"g?y/./x", "/b/c/g?y/./x"},
                    {"g?y/../x", "/b/c/g?y/../x"},
                    {"g#s/./x", "/b/c/g#s/./x"},
                    {"g#s/../x", "/b/c/g#s/../x"}};

    for (size_t i = 0; i != SP_COUNT(examples); ++i) {
        EXPECT_STR(resolved(examples[i].reference, "/b/c/d;p", "q"), examples[i].result);
    }
}

static bool leaves_the_host(const char *text, const char *base_path)
{
    sp_url_t reference;
    sp_url_t url;
    sp_error_t err;

    sp_url_split_path(sp_str_from(text), &reference);
    return sp_reference_resolve(&reference, sp_str_from(base_path), SP_STR(""), &arena, &url,
                                &err) == SP_BAD_VALUE;
}

Test(reference, may_not_come_to_begin_with_two_slashes)
{
    cr_expect(leaves_the_host("/.//evil.example", "/"));
    cr_expect(leaves_the_host("/a/..//evil.example", "/"));
    cr_expect(leaves_the_host("//evil.example", "/"));
    cr_expect(leaves_the_host("?a", "//evil.example"));
    cr_expect(leaves_the_host("a", "//evil.example/"));
    cr_expect(leaves_the_host(".//a", "/"));
    cr_expect_not(leaves_the_host("/a//b", "/"));
}

Test(reference, is_at_most_as_long_as_a_location)
{
    char *path = sp_arena_zalloc(&arena, 1, SP_LOCATION_MAX + 2);
    sp_url_t reference = {.path = {.ptr = path, .len = SP_LOCATION_MAX}};
    sp_url_t url;
    sp_error_t err;

    cr_assert_not_null(path);
    memset(path, 'a', SP_LOCATION_MAX + 1);
    path[0] = '/';
    cr_expect_eq(sp_reference_resolve(&reference, SP_STR("/"), SP_STR(""), &arena, &url, &err),
                 SP_OK);
    reference.path.len += 1;
    cr_expect_eq(sp_reference_resolve(&reference, SP_STR("/"), SP_STR(""), &arena, &url, &err),
                 SP_TOO_LONG);
}
