/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/request.h"

#include <criterion/criterion.h>

static sp_arena_t arena;

static void set_up(void)
{
    sp_arena_init(&arena, NULL, 0, 4096);
}

static void tear_down(void)
{
    sp_arena_clear(&arena);
}

TestSuite(explain_request, .init = set_up, .fini = tear_down);

static sp_raw_request_t read(const char *url)
{
    sp_raw_request_t raw = {.host_count = 0};
    sp_error_t err = {.message = ""};
    const sp_explain_input_t input = {.url = url};

    cr_assert_eq(sp_explain_request(&input, &arena, &raw, &err), SP_OK, "%s: %s", url, err.message);
    cr_assert_eq(raw.host_count, 1);
    return raw;
}

static void expect_str(sp_str_t text, const char *expected)
{
    cr_expect(sp_str_eq(text, sp_str_from(expected)), "'%.*s' is not '%s'", (int)text.len, text.ptr,
              expected);
}

static void expect_message(const char *url, const char *field, const char *message)
{
    sp_raw_request_t raw;
    sp_error_t err = {.message = ""};
    const sp_explain_input_t input = {
        .url = url, .fields = &field, .field_count = field == NULL ? 0 : 1};

    cr_assert_neq(sp_explain_request(&input, &arena, &raw, &err), SP_OK, "%s", url);
    cr_expect_str_eq(err.message, message);
}

Test(explain_request, takes_a_url_apart)
{
    sp_raw_request_t raw = read("https://www.example.com:8443/a%2Fb//c?x=/y&z");

    expect_str(raw.method, "GET");
    expect_str(raw.scheme, "https");
    expect_str(raw.hosts[0], "www.example.com:8443");
    expect_str(raw.target, "/a%2Fb//c?x=/y&z");
}

Test(explain_request, is_http_without_a_scheme)
{
    sp_raw_request_t raw = read("example.com/?u=https://example.net/");

    expect_str(raw.scheme, "http");
    expect_str(raw.hosts[0], "example.com");
    expect_str(raw.target, "/?u=https://example.net/");
}

Test(explain_request, gives_an_empty_path_its_slash)
{
    expect_str(read("http://example.com").target, "/");
    expect_str(read("http://example.com?q").target, "/?q");
}

Test(explain_request, leaves_the_fragment_out)
{
    expect_str(read("http://example.com/a#b?c").target, "/a");
    expect_str(read("http://example.com#b").target, "/");
}

Test(explain_request, keeps_brackets_and_raw_octets_of_the_host)
{
    expect_str(read("http://[::1]:80/").hosts[0], "[::1]:80");
    expect_str(read("http://b\xc3\xbc"
                    "cher.example/")
                   .hosts[0],
               "b\xc3\xbc"
               "cher.example");
}

Test(explain_request, lets_host_headers_replace_the_url)
{
    const char *fields[] = {"host: other.example", "X-Team:  a b ", "Host: second.example"};
    sp_raw_request_t raw;
    const sp_explain_input_t input = {
        .url = "http://example.com/", .method = "HEAD", .fields = fields, .field_count = 3};

    cr_assert_eq(sp_explain_request(&input, &arena, &raw, NULL), SP_OK);
    cr_assert_eq(raw.host_count, 2);
    expect_str(raw.hosts[0], "other.example");
    expect_str(raw.hosts[1], "second.example");
    cr_assert_eq(raw.header_count, 1);
    expect_str(raw.headers[0].name, "X-Team");
    expect_str(raw.headers[0].value, "a b");
    expect_str(raw.method, "HEAD");
}

Test(explain_request, says_what_is_wrong)
{
    expect_message("ftp://example.com/", NULL,
                   "the URL must begin with http:// or https://, not ftp");
    expect_message("http:///path", NULL, "the URL has no host; expected http://HOST/PATH");
    expect_message("http://a@example.com/", NULL,
                   "the URL has user information, which is no part of a request; give it as -H "
                   "'Authorization: Basic ...'");
    expect_message("http://example.com/", "no colon",
                   "a header is given as 'Name: value', not 'no colon'");
    expect_message("http://example.com/", "a b: c",
                   "a header is given as 'Name: value', not 'a b: c'");
}
