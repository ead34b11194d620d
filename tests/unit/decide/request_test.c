/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/decide/request.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;
static sp_request_t request;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 1024);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(request, .init = start, .fini = finish);

/* Reads GET `target` with up to two Host headers. */
static sp_status_t read(const char *target, const char *host, const char *second_host)
{
    const sp_str_t hosts[] = {sp_str_from(host), sp_str_from(second_host)};
    sp_raw_request_t raw = {.method = SP_STR("GET"),
                            .target = sp_str_from(target),
                            .scheme = SP_STR("http"),
                            .hosts = hosts,
                            .host_count = (host != NULL) + (size_t)(second_host != NULL)};
    sp_error_t err = {.message = ""};
    sp_status_t status = sp_request_read(&raw, &arena, &request, &err);

    cr_expect_eq(status == SP_OK, err.message[0] == '\0', "a refusal has a sentence");
    return status;
}

Test(request, is_split_into_path_and_query)
{
    cr_assert_eq(read("/a/b?c=d?e", "h.example:81", NULL), SP_OK);
    EXPECT_STR(request.uri, "/a/b?c=d?e");
    EXPECT_STR(request.path, "/a/b");
    EXPECT_STR(request.query, "c=d?e");
    cr_expect(request.has_query);
    EXPECT_STR(request.host, "h.example");
    EXPECT_STR(request.port, "81");
    EXPECT_STR(request.raw_host, "h.example:81");
}

Test(request, tells_no_query_from_an_empty_one)
{
    cr_assert_eq(read("/a", "h", NULL), SP_OK);
    cr_expect_not(request.has_query);
    cr_assert_eq(read("/a?", "h", NULL), SP_OK);
    cr_expect(request.has_query);
    EXPECT_STR(request.query, "");
}

Test(request, keeps_the_path_octet_for_octet)
{
    cr_assert_eq(read("//A/../%2e/%zz\\\xff{}#x?%", "h", NULL), SP_OK);
    EXPECT_STR(request.path, "//A/../%2e/%zz\\\xff{}#x");
    EXPECT_STR(request.query, "%");
}

Test(request, in_absolute_form_names_the_host_itself)
{
    cr_assert_eq(read("HTTP://Target.example:8080/a?b", "other.example", NULL), SP_OK);
    EXPECT_STR(request.host, "target.example");
    EXPECT_STR(request.port, "8080");
    EXPECT_STR(request.uri, "/a?b");
    EXPECT_STR(request.raw_host, "other.example");
    cr_assert_eq(read("https://target.example", NULL, NULL), SP_OK);
    EXPECT_STR(request.uri, "/");
    EXPECT_STR(request.scheme, "http");
    cr_assert_eq(read("http://target.example?a", NULL, NULL), SP_OK);
    EXPECT_STR(request.uri, "/?a");
    EXPECT_STR(request.path, "/");
}

Test(request, in_another_form_is_refused)
{
    static const char *const bad[] = {"*",        "example.com:443", "example.com", "",
                                      "a/b",      "ftp://a/",        "?a",          "http:/a",
                                      "http:///", "http://u@h/",     "http://",     "http://:80/",
                                      "file:///", "http://[::1/",    "http://?a"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect_neq(read(bad[i], "h", NULL), SP_OK, "%s", bad[i]);
    }
}

Test(request, names_one_host)
{
    cr_expect_neq(read("/", NULL, NULL), SP_OK);
    cr_expect_neq(read("/", "", NULL), SP_OK);
    cr_expect_neq(read("/", "a", "b"), SP_OK);
    cr_expect_neq(read("/", "a", "a"), SP_OK);
    cr_expect_neq(read("http://a/", "a", "b"), SP_OK);
    cr_expect_eq(read("/", " \ta\t ", NULL), SP_OK, "blanks around a field value are not its own");
}

Test(request, has_no_blanks_and_controls_in_its_target)
{
    cr_expect_neq(read("/a b", "h", NULL), SP_OK);
    cr_expect_neq(read("/a\r\n", "h", NULL), SP_OK);
    cr_expect_neq(read("/\x7f", "h", NULL), SP_OK);
    cr_expect_neq(read("/\x01", "h", NULL), SP_OK);
    cr_expect_eq(read("/\x80", "h", NULL), SP_OK);
}

Test(request, to_an_address_is_marked)
{
    cr_assert_eq(read("/", "192.0.2.1:80", NULL), SP_OK);
    cr_expect(request.is_address);
    cr_assert_eq(read("/", "[::1]", NULL), SP_OK);
    cr_expect(request.is_address);
    EXPECT_STR(request.host, "[::1]");
}

Test(request, to_connect_is_refused)
{
    const sp_str_t host = SP_STR("h");
    const sp_raw_request_t raw = {.method = SP_STR("CONNECT"),
                                  .target = SP_STR("/"),
                                  .scheme = SP_STR("http"),
                                  .hosts = &host,
                                  .host_count = 1};

    cr_expect_eq(sp_request_read(&raw, &arena, &request, NULL), SP_BAD_SYNTAX);
}

static sp_str_t header(sp_str_t name)
{
    sp_str_t value;

    cr_assert_eq(sp_request_header(&request, name, &arena, &value), SP_OK);
    return value;
}

Test(request, joins_the_values_of_a_header)
{
    const sp_header_t headers[] = {{SP_STR("X-A"), SP_STR("1")},
                                   {SP_STR("X-B"), SP_STR("")},
                                   {SP_STR("x-a"), SP_STR("2, 3")},
                                   {SP_STR("X-A"), SP_STR("")}};
    const sp_str_t host = SP_STR("H.example");
    const sp_raw_request_t raw = {.method = SP_STR("GET"),
                                  .target = SP_STR("/"),
                                  .scheme = SP_STR("http"),
                                  .hosts = &host,
                                  .host_count = 1,
                                  .headers = headers,
                                  .header_count = SP_COUNT(headers)};

    cr_assert_eq(sp_request_read(&raw, &arena, &request, NULL), SP_OK);
    EXPECT_STR(header(SP_STR("X-A")), "1,2, 3,");
    EXPECT_STR(header(SP_STR("x-b")), "");
    cr_expect_not_null(header(SP_STR("X-B")).ptr);
    cr_expect_null(header(SP_STR("X-C")).ptr);
    EXPECT_STR(header(SP_STR("Host")), "H.example");
}
