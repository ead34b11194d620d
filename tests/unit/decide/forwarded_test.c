/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/decide/request.h>

#include "decide/forwarded.h"
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

TestSuite(forwarded, .init = start, .fini = finish);

static sp_forwarded_t read(const sp_header_t *headers, size_t count)
{
    const sp_request_t request = {.headers = headers, .header_count = count};
    sp_forwarded_t forwarded;

    cr_assert_eq(sp_forwarded_read(&request, &arena, &forwarded), SP_OK);
    return forwarded;
}

static sp_forwarded_t read_forwarded(const char *value)
{
    const sp_header_t header = {SP_STR("forwarded"), sp_str_from(value)};

    return read(&header, 1);
}

Test(forwarded, says_nothing_by_itself)
{
    sp_forwarded_t forwarded = read(NULL, 0);

    EXPECT_STR(forwarded.proto, "");
    EXPECT_STR(forwarded.host, "");
    EXPECT_STR(forwarded.client, "");
}

Test(forwarded, reads_the_first_element)
{
    sp_forwarded_t forwarded = read_forwarded(
        "for=192.0.2.1;Proto=HTTPS ; host = a.example:81;by=x, for=192.0.2.2;proto=http");

    EXPECT_STR(forwarded.proto, "HTTPS");
    EXPECT_STR(forwarded.host, "a.example:81");
    EXPECT_STR(forwarded.client, "192.0.2.1");
}

Test(forwarded, reads_quoted_strings)
{
    sp_forwarded_t forwarded =
        read_forwarded("for=\"[2001:db8::1]:4711\";host=\"a\\.ex,am;ple\";proto=\"https\"");

    EXPECT_STR(forwarded.client, "2001:db8::1");
    EXPECT_STR(forwarded.host, "a.ex,am;ple");
    EXPECT_STR(forwarded.proto, "https");
}

Test(forwarded, survives_malformed_elements)
{
    static const char *const bad[] = {"\"", "for=\"",     "for", "=",        ";;;",
                                      ",",  "for=\"\\\"", "\\",  "for=\"\\", "for=\"\""};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        EXPECT_STR(read_forwarded(bad[i]).proto, "");
    }
}

Test(forwarded, takes_the_port_off_the_client)
{
    EXPECT_STR(read_forwarded("for=\"192.0.2.1:80\"").client, "192.0.2.1");
    EXPECT_STR(read_forwarded("for=\"[::1]\"").client, "::1");
    EXPECT_STR(read_forwarded("for=unknown").client, "unknown");
}

Test(forwarded, reads_the_older_headers)
{
    const sp_header_t headers[] = {{SP_STR("X-Forwarded-Proto"), SP_STR("https, http")},
                                   {SP_STR("X-Forwarded-Host"), SP_STR(" a.example , b.example")},
                                   {SP_STR("X-Forwarded-Host"), SP_STR("c.example")},
                                   {SP_STR("X-Forwarded-For"), SP_STR("2001:db8::1, 192.0.2.1")}};
    sp_forwarded_t forwarded = read(headers, SP_COUNT(headers));

    EXPECT_STR(forwarded.proto, "https");
    EXPECT_STR(forwarded.host, "a.example");
    EXPECT_STR(forwarded.client, "2001:db8::1");
}

Test(forwarded, beats_the_older_headers)
{
    const sp_header_t headers[] = {{SP_STR("X-Forwarded-Proto"), SP_STR("http")},
                                   {SP_STR("X-Forwarded-Host"), SP_STR("old.example")},
                                   {SP_STR("Forwarded"), SP_STR("host=new.example;proto=https")}};
    sp_forwarded_t forwarded = read(headers, SP_COUNT(headers));

    EXPECT_STR(forwarded.proto, "https");
    EXPECT_STR(forwarded.host, "new.example");
}

Test(forwarded, leaves_what_it_does_not_say_to_the_older_headers)
{
    const sp_header_t headers[] = {{SP_STR("Forwarded"), SP_STR("for=192.0.2.1;proto=gopher")},
                                   {SP_STR("X-Forwarded-Proto"), SP_STR("https")},
                                   {SP_STR("X-Forwarded-Host"), SP_STR("old.example")}};
    sp_forwarded_t forwarded = read(headers, SP_COUNT(headers));

    EXPECT_STR(forwarded.proto, "https");
    EXPECT_STR(forwarded.host, "old.example");
    EXPECT_STR(forwarded.client, "192.0.2.1");
}

/* What the request makes of it. */
static sp_status_t read_request(bool trusted, const char *value, sp_request_t *ret_request)
{
    const sp_header_t header = {SP_STR("Forwarded"), sp_str_from(value)};
    const sp_str_t host = SP_STR("own.example:8080");
    const sp_raw_request_t raw = {.method = SP_STR("GET"),
                                  .target = SP_STR("/"),
                                  .scheme = SP_STR("http"),
                                  .hosts = &host,
                                  .host_count = 1,
                                  .headers = &header,
                                  .header_count = 1,
                                  .trusted_peer = trusted};
    sp_error_t err;

    return sp_request_read(&raw, &arena, ret_request, &err);
}

Test(forwarded, counts_only_from_a_trusted_proxy)
{
    sp_request_t request;

    cr_assert_eq(read_request(false, "for=192.0.2.1;host=b.example;proto=https", &request), SP_OK);
    EXPECT_STR(request.host, "own.example");
    EXPECT_STR(request.scheme, "http");
    EXPECT_STR(request.client, "");
    cr_assert_eq(read_request(true, "for=192.0.2.1;host=B.example.;proto=HTTPS", &request), SP_OK);
    EXPECT_STR(request.host, "b.example");
    EXPECT_STR(request.port, "");
    EXPECT_STR(request.scheme, "https");
    EXPECT_STR(request.client, "192.0.2.1");
    EXPECT_STR(request.raw_host, "own.example:8080");
}

Test(forwarded, host_is_as_strict_as_any)
{
    sp_request_t request;

    cr_expect_neq(read_request(true, "host=\"a b\"", &request), SP_OK);
    cr_expect_neq(read_request(true, "host=\"a..b\"", &request), SP_OK);
}

Test(forwarded, host_may_be_an_address)
{
    sp_request_t request;

    cr_assert_eq(read_request(true, "host=192.0.2.7", &request), SP_OK);
    cr_expect(request.is_address);
}
