/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/target.h"

#include <criterion/criterion.h>
#include <string.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;
static sp_request_t request;
static sp_values_t values;

/* The request is http://www.example.com`uri`. */
static void set_uri(const char *uri)
{
    sp_str_t text = sp_str_from(uri);
    size_t mark = sp_str_find(text, '?');

    request.uri = text;
    request.path = sp_str_slice(text, 0, mark);
    request.query = sp_str_skip(text, mark + 1);
    request.has_query = mark != text.len;
}

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 4096);
    values = (sp_values_t){.numbered = NULL};
    request = (sp_request_t){.method = SP_STR("GET"),
                             .scheme = SP_STR("http"),
                             .host = SP_STR("www.example.com"),
                             .port = SP_STR("")};
    set_uri("/dir/file?a=b");
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(target, .init = start, .fini = finish);

static sp_status_t finish_target(const char *text, sp_target_use_t use, sp_target_t *ret_target)
{
    const sp_template_t *parsed = sp_template_parse(sp_str_from(text), &arena);
    const sp_expansion_t expansion = {.request = &request, .values = &values, .arena = &arena};
    sp_error_t err = {.message = ""};
    sp_status_t status = sp_target_finish(parsed, &expansion, use, ret_target, &err);

    cr_expect_eq(status == SP_OK, err.message[0] == '\0', "%s", err.message);
    return status;
}

static void expect_target(const char *text, const char *location)
{
    sp_target_t target;

    cr_assert_eq(finish_target(text, SP_TARGET_LOCATION, &target), SP_OK, "%s", text);
    EXPECT_STR(target.text, location);
}

static void expect_fault(const char *text)
{
    sp_target_t target = {.text = SP_STR("untouched")};

    cr_expect_eq(finish_target(text, SP_TARGET_LOCATION, &target), SP_BAD_VALUE, "%s", text);
    EXPECT_STR(target.text, "untouched");
}

Test(target, is_the_records_text)
{
    expect_target("https://x.example", "https://x.example");
    expect_target("HTTPS://X.example:8443/a?b#c", "HTTPS://X.example:8443/a?b#c");
    expect_target("//x.example/p", "//x.example/p");
}

Test(target, is_expanded_once)
{
    set_uri("/{host}?q={path}");
    expect_target("https://x.example{uri}", "https://x.example/%7Bhost%7D?q=%7Bpath%7D");
}

Test(target, that_is_relative_becomes_an_absolute_path)
{
    expect_target("other", "/dir/other");
    expect_target("../x", "/x");
    expect_target("?c", "/dir/file?c");
    expect_target("./x.html", "/dir/x.html");
    expect_target("/x", "/x");
}

Test(target, has_the_scheme_http_or_https)
{
    expect_fault("ftp://x.example/");
    expect_fault("javascript:alert(1)");
    expect_fault("data:text/html,x");
    expect_fault("https:x.example");
    expect_fault("https:/x.example");
    expect_fault("a_b:c");
}

Test(target, has_a_proper_host)
{
    expect_fault("https://");
    expect_fault("https:///path");
    expect_fault("//");
    expect_fault("https://a..b/");
    expect_fault("https://a b/");
    expect_fault("https://x.example:65536/");
    expect_fault("https://x.example:port/");
    expect_fault("https://?q");
}

Test(target, with_a_forgotten_scheme_is_faulty)
{
    expect_fault("x.example/path");
    expect_fault("x.example");
    expect_target("x/y.z", "/dir/x/y.z");
}

Test(target, has_a_labels_for_a_host_beyond_ascii)
{
    expect_target("https://b\xc3\xbc"
                  "cher.example/\xc3\xbc",
                  "https://xn--bcher-kva.example/%C3%BC");
}

Test(target, takes_its_authority_from_the_own_host)
{
    request.port = SP_STR("8080");
    expect_target("https://{host}/x", "https://www.example.com:8080/x");
    expect_target("https://{hostonly}/x", "https://www.example.com/x");
    expect_target("https://a-{label2}.{label3}:{port}/", "https://a-example.com:8080/");
    expect_target("{scheme}://x.example/", "http://x.example/");
}

Test(target, authority_is_never_the_visitors_choice)
{
    static const char *const bad[] = {"https://{?h}",
                                      "https://{?h}/",
                                      "https://x.{?h}/",
                                      "https://{?h}.example/",
                                      "https://x.example.{?h}/",
                                      "https://x.example:{?h}/",
                                      "https://{?h}@x.y.example/",
                                      "https://u:{?h}@x.y.example/",
                                      "https://x.example{?h}/",
                                      "//{?h}/",
                                      "{?h}://x.example/",
                                      "https:{?p}",
                                      "https:/{?p}",
                                      "/{?p}",
                                      "{?u}",
                                      "https://{>X-Host}/",
                                      "https://{~c}/",
                                      "https://{method}/",
                                      "https://{query}/",
                                      "https://{file}/"};

    set_uri("/dir/file?h=evil&p=/evil.example&u=https://evil.example/");
    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        expect_fault(bad[i]);
    }
    set_uri("//evil.example/");
    expect_fault("{uri}");
    expect_fault("{path}");
    expect_fault("{dir}");
}

Test(target, first_label_may_hold_a_visitors_letters)
{
    sp_target_t target;

    set_uri("/?q=abc-1&e=&d=a.b&s=/x&u=a_b");
    expect_target("https://{?q}.x.example/", "https://abc-1.x.example/");
    expect_target("https://p-{?q}-s.x.example/", "https://p-abc-1-s.x.example/");
    expect_target("https://{?q}.{hostonly}/", "https://abc-1.www.example.com/");
    expect_target("https://x{?e}.example/", "https://x.example/");
    expect_target("https://b\xc3\xbc{?q}.x.example/", "https://xn--babc-1-3ya.x.example/");
    expect_fault("https://\xe3\x80\x82{?q}.x.example/");
    expect_fault("https://a\xe3\x80\x82{?q}.x.example/");
    expect_fault("https://{?q}.example/");
    expect_fault("https://{?q}.example./");
    expect_fault("https://{?d}.x.example/");
    expect_fault("https://x-{?s}.y.example/");
    expect_fault("https://{?u}.x.example/");
    expect_fault("https://{?e}.x.example/");
    cr_expect_eq(finish_target("https://{?q}.x.example/", SP_TARGET_REGISTRY, &target), SP_OK);
}

Test(target, path_may_follow_the_authority_directly)
{
    set_uri("/p?s=/x&t=x");
    expect_target("https://x.example{path}", "https://x.example/p");
    expect_target("https://x.example{?s}", "https://x.example/x");
    expect_target("https://x.example{?none}", "https://x.example");
    expect_target("https://x.example{?s}{?t}", "https://x.example/xx");
    expect_target("https://x.example{?s}{path}", "https://x.example/x/p");
    expect_fault("https://x.example{?t}");
}

Test(target, encodes_what_would_change_its_structure)
{
    set_uri("/p?v=a%3Fb%23c%26d%2Be%25f/g");
    expect_target("https://x.example/{?v}", "https://x.example/a%3Fb%23c&d+e%25f/g");
    expect_target("https://x.example/?w={?v}", "https://x.example/?w=a?b%23c%26d%2Be%25f/g");
    expect_target("https://x.example/#a{?v}b#c", "https://x.example/#aa?b%23c%26d%2Be%25f/gb%23c");
    expect_target("https://x.example/#{?v}", "https://x.example/#a?b%23c%26d%2Be%25f/g");
}

Test(target, encodes_a_number_sign_that_was_sent)
{
    set_uri("/p#x?q#y");
    expect_target("https://x.example{uri}", "https://x.example/p%23x?q%23y");
    expect_target("https://x.example/#a#{query}", "https://x.example/#a%23q%23y");
}

Test(target, loses_a_question_mark_that_nothing_follows)
{
    set_uri("/p");
    expect_target("https://x.example/?{query}", "https://x.example/");
    expect_target("https://x.example/?{query}{?a}", "https://x.example/");
    expect_target("https://x.example/?", "https://x.example/?");
    expect_target("https://x.example/?a={?b}", "https://x.example/?a=");
    expect_target("https://x.example/?{query}#f", "https://x.example/?#f");
    set_uri("/p?q");
    expect_target("https://x.example/?{query}", "https://x.example/?q");
}

Test(target, keeps_braces_that_are_no_placeholder)
{
    expect_target("https://x.example/{a-b}{name}{$name}{",
                  "https://x.example/%7Ba-b%7D%7Bname%7D%7B$name%7D%7B");
    expect_fault("https://{name}.x.example/");
}

Test(target, without_such_a_label_is_faulty)
{
    expect_target("https://x.example/{label3}", "https://x.example/com");
    expect_fault("https://x.example/{label4}");
    expect_fault("https://x.example/{label0}");
    expect_fault("https://{label}.x.example/");
}

Test(target, that_is_the_request_is_a_loop)
{
    expect_fault("http://www.example.com/dir/file?a=b");
    expect_fault("HTTP://WWW.EXAMPLE.COM.:80{uri}");
    expect_fault("http://www.example.com:0080{uri}");
    expect_fault("http://www.example.com:{uri}");
    expect_fault("http://user@www.example.com{uri}#fragment");
    expect_fault("//www.example.com{uri}");
    expect_fault("{uri}");
    expect_fault("file?a=b");
    expect_fault("#x");
    expect_target("https://www.example.com{uri}", "https://www.example.com/dir/file?a=b");
    expect_target("http://www.example.com:81{uri}", "http://www.example.com:81/dir/file?a=b");
    expect_target("http://www.example.com{path}", "http://www.example.com/dir/file");
    expect_target("http://www.example.com/Dir/file?a=b", "http://www.example.com/Dir/file?a=b");
}

Test(target, compares_an_empty_path_as_a_slash)
{
    set_uri("/");
    expect_fault("http://www.example.com");
    expect_fault("http://www.example.com/");
    expect_target("http://www.example.com/?", "http://www.example.com/?");
    set_uri("/?");
    expect_target("http://www.example.com/", "http://www.example.com/");
    expect_fault("http://www.example.com?");
}

Test(target, compares_default_ports_by_scheme)
{
    request.scheme = SP_STR("https");
    request.port = SP_STR("443");
    expect_fault("https://www.example.com{uri}");
    expect_target("https://www.example.com:80{uri}", "https://www.example.com:80/dir/file?a=b");
}

Test(target, compares_what_was_sent_after_encoding)
{
    set_uri("/\"x\\?{a}");
    expect_fault("http://www.example.com/%22x%5C?%7Ba%7D");
}

Test(target, has_32768_octets_at_most)
{
    char *uri = sp_arena_zalloc(&arena, 1, SP_LOCATION_MAX + 1);
    sp_target_t target;

    cr_assert_not_null(uri);
    memset(uri, 'a', SP_LOCATION_MAX);
    uri[0] = '/';
    uri[SP_LOCATION_MAX - sizeof("https://x.example") + 1] = '\0';
    set_uri(uri);
    cr_assert_eq(finish_target("https://x.example{uri}", SP_TARGET_LOCATION, &target), SP_OK);
    cr_expect_eq(target.text.len, SP_LOCATION_MAX);
    expect_fault("https://x.example{uri}a");
    expect_fault("https://x.example/a{uri}{uri}");
}

Test(target, of_a_registry_is_absolute_http)
{
    sp_target_t target;

    cr_assert_eq(finish_target("https://r.example/i:t?q", SP_TARGET_REGISTRY, &target), SP_OK);
    EXPECT_STR(target.url.authority, "r.example");
    EXPECT_STR(target.url.path, "/i:t");
    cr_expect_eq(finish_target("//r.example/", SP_TARGET_REGISTRY, &target), SP_BAD_VALUE);
    cr_expect_eq(finish_target("/r", SP_TARGET_REGISTRY, &target), SP_BAD_VALUE);
    cr_expect_eq(finish_target("ssh://r.example/", SP_TARGET_REGISTRY, &target), SP_BAD_VALUE);
}

Test(target, of_a_repository_may_have_other_schemes)
{
    sp_target_t target;

    cr_assert_eq(finish_target("ssh://git@g.example/r", SP_TARGET_REPOSITORY, &target), SP_OK);
    EXPECT_STR(target.text, "ssh://git@g.example/r");
    cr_expect_eq(finish_target("ftp://g.example/r", SP_TARGET_REPOSITORY, &target), SP_BAD_VALUE);
    cr_expect_eq(finish_target("http://www.example.com{uri}", SP_TARGET_REPOSITORY, &target), SP_OK,
                 "where it is asked for does not matter");
}

Test(target, of_finished_text_has_no_placeholders)
{
    sp_target_t target;
    sp_error_t err;

    cr_assert_eq(
        sp_target_finish_text(SP_STR("https://x.example/{path}"), &request, &arena, &target, &err),
        SP_OK);
    EXPECT_STR(target.text, "https://x.example/%7Bpath%7D");
}

Test(target, of_finished_text_has_a_limit)
{
    char *text = sp_arena_zalloc(&arena, 1, UINT16_MAX + 2);
    sp_target_t target;
    sp_error_t err;

    cr_assert_not_null(text);
    memset(text, 'a', UINT16_MAX + 1);
    text[0] = '/';
    cr_expect_eq(sp_target_finish_text((sp_str_t){.ptr = text, .len = UINT16_MAX + 1}, &request,
                                       &arena, &target, &err),
                 SP_BAD_VALUE);
}
