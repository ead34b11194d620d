/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/values.h"

#include <criterion/criterion.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;
static sp_request_t request;
static sp_values_t values;

#define TEXT(literal)                                                                              \
    {                                                                                              \
        .ptr = (literal), .len = sizeof(literal) - 1                                               \
    }

static const sp_header_t headers[] = {{TEXT("X-A"), TEXT("1")},
                                      {TEXT("x-a"), TEXT("2")},
                                      {TEXT("Cookie"), TEXT("a=1; id = x y ;b=; id=z")},
                                      {TEXT("Authorization"), TEXT("bAsIc  dXNlcjpwYTpzcw==")}};

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 1024);
    values = (sp_values_t){.numbered = NULL};
    request = (sp_request_t){.method = SP_STR("GET"),
                             .scheme = SP_STR("https"),
                             .host = SP_STR("www.example.com"),
                             .port = SP_STR("8443"),
                             .uri = SP_STR("/a b/c~d.html?k=v%20w&k=2&+%41=b+c&e&=f"),
                             .path = SP_STR("/a b/c~d.html"),
                             .query = SP_STR("k=v%20w&k=2&+%41=b+c&e&=f"),
                             .has_query = true,
                             .headers = headers,
                             .header_count = SP_COUNT(headers),
                             .raw_host = SP_STR("WWW.example.com:8443")};
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(values, .init = start, .fini = finish);
TestSuite(query, .init = start, .fini = finish);

/* The value of a template that is one placeholder. */
static sp_str_t value_and_kind(const char *text, sp_value_kind_t *ret_kind)
{
    const sp_template_t *parsed = sp_template_parse(sp_str_from(text), &arena);
    sp_str_t value = {.ptr = NULL, .len = 0};

    cr_assert(parsed != NULL && parsed->part_count == 1);
    cr_assert_eq(sp_value_of(&parsed->parts[0], &request, &values, &arena, ret_kind, &value),
                 SP_OK);
    return value;
}

static void expect_value(const char *text, const char *value, sp_value_kind_t kind)
{
    sp_value_kind_t got = SP_VALUE_NONE;

    EXPECT_STR(value_and_kind(text, &got), value);
    cr_expect_eq(got, kind, "%s", text);
}

Test(values, of_the_request_line)
{
    expect_value("{uri}", "/a b/c~d.html?k=v%20w&k=2&+%41=b+c&e&=f", SP_VALUE_PATH);
    expect_value("{path}", "/a b/c~d.html", SP_VALUE_PATH);
    expect_value("{query}", "k=v%20w&k=2&+%41=b+c&e&=f", SP_VALUE_SENT);
    expect_value("{dir}", "/a b/", SP_VALUE_PATH);
    expect_value("{file}", "c~d.html", SP_VALUE_SENT);
    expect_value("{method}", "GET", SP_VALUE_SENT);
    expect_value("{fragment}", "", SP_VALUE_SENT);
}

Test(values, that_are_escaped_are_form_encoded_as_sent)
{
    expect_value("{path_escaped}", "%2Fa+b%2Fc~d.html", SP_VALUE_SENT);
    expect_value("{query_escaped}", "k%3Dv%2520w%26k%3D2%26%2B%2541%3Db%2Bc%26e%26%3Df",
                 SP_VALUE_SENT);
    request.uri = SP_STR("/-_.~?\xc3\xbc");
    expect_value("{uri_escaped}", "%2F-_.~%3F%C3%BC", SP_VALUE_SENT);
}

Test(values, of_the_host)
{
    expect_value("{host}", "www.example.com:8443", SP_VALUE_OWN_HOST);
    expect_value("{hostonly}", "www.example.com", SP_VALUE_OWN_HOST);
    expect_value("{port}", "8443", SP_VALUE_OWN_HOST);
    expect_value("{scheme}", "https", SP_VALUE_SENT);
    request.port = SP_STR("");
    expect_value("{host}", "www.example.com", SP_VALUE_OWN_HOST);
    expect_value("{port}", "", SP_VALUE_OWN_HOST);
}

Test(values, of_labels_are_counted_from_the_left)
{
    expect_value("{label1}", "www", SP_VALUE_OWN_HOST);
    expect_value("{label3}", "com", SP_VALUE_OWN_HOST);
}

Test(values, of_labels_that_the_host_lacks_are_faulty)
{
    expect_value("{label4}", "", SP_VALUE_FAULTY);
    expect_value("{label0}", "", SP_VALUE_FAULTY);
    expect_value("{label}", "", SP_VALUE_FAULTY);
    expect_value("{label65535}", "", SP_VALUE_FAULTY);
    expect_value("{labels}", "", SP_VALUE_FAULTY);
}

Test(values, of_parameters_are_the_first_decoded)
{
    expect_value("{?k}", "v w", SP_VALUE_DECODED);
    expect_value("{? A}", "b c", SP_VALUE_DECODED);
    expect_value("{?e}", "", SP_VALUE_DECODED);
    expect_value("{?missing}", "", SP_VALUE_DECODED);
    expect_value("{?K}", "", SP_VALUE_DECODED);
}

Test(values, of_headers_are_joined)
{
    expect_value("{>X-A}", "1,2", SP_VALUE_DECODED);
    expect_value("{>Host}", "WWW.example.com:8443", SP_VALUE_DECODED);
    expect_value("{>X-Missing}", "", SP_VALUE_DECODED);
}

Test(values, of_cookies_are_the_first_as_sent)
{
    expect_value("{~id}", "x y", SP_VALUE_DECODED);
    expect_value("{~b}", "", SP_VALUE_DECODED);
    expect_value("{~none}", "", SP_VALUE_DECODED);
    expect_value("{~ID}", "", SP_VALUE_DECODED);
}

Test(values, of_the_user_are_from_basic_credentials)
{
    sp_header_t credentials = {SP_STR("Authorization"), SP_STR("")};
    static const struct {
        const char *field;
        const char *user;
    } examples[] = {{"Basic YQ==", "a"},
                    {"Basic YTpi", "a"},
                    {"Basic Og==", ""},
                    {"Bearer YTpi", ""},
                    {"Basic", ""},
                    {"Basic Y*pi", ""},
                    {"Basic w7w6eA==", "\xc3\xbc"},
                    {"Basic", ""},
                    {"Basic +/+/Og==", "\xfb\xff\xbf"}};

    expect_value("{user}", "user", SP_VALUE_DECODED);
    request.headers = &credentials;
    request.header_count = 1;
    for (size_t i = 0; i != SP_COUNT(examples); ++i) {
        credentials.value = sp_str_from(examples[i].field);
        expect_value("{user}", examples[i].user, SP_VALUE_DECODED);
    }
    request.header_count = 0;
    expect_value("{user}", "", SP_VALUE_DECODED);
}

Test(values, of_matches_are_there_inside_path_records_only)
{
    const sp_str_t numbered[] = {SP_STR("one"), SP_STR("two")};
    const sp_str_t segments[] = {SP_STR("s%31")};

    expect_value("{1}", "", SP_VALUE_DECODED);
    expect_value("{$1}", "", SP_VALUE_SENT);
    expect_value("{name}", "", SP_VALUE_NONE);
    values.numbered = numbered;
    values.numbered_count = 2;
    values.segments = segments;
    values.segment_count = 1;
    expect_value("{2}", "two", SP_VALUE_DECODED);
    expect_value("{3}", "", SP_VALUE_DECODED);
    expect_value("{0}", "", SP_VALUE_DECODED);
    expect_value("{$1}", "s%31", SP_VALUE_SENT);
    expect_value("{$2}", "", SP_VALUE_SENT);
    expect_value("{$0}", "", SP_VALUE_SENT);
    values.numbered_sent = true;
    expect_value("{1}", "one", SP_VALUE_SENT);
}

Test(values, of_named_groups)
{
    sp_regex_t *regex = NULL;
    sp_str_t groups[4];

    cr_assert_eq(sp_regex_compile(SP_STR("(?P<a>x)(y)(?P<b_2>z)?"), &regex, NULL), SP_OK);
    cr_assert(sp_regex_search(regex, SP_STR("xy"), 0, groups, 4));
    values.regex = regex;
    values.groups = groups;
    expect_value("{a}", "x", SP_VALUE_DECODED);
    expect_value("{$a}", "x", SP_VALUE_DECODED);
    expect_value("{b_2}", "", SP_VALUE_DECODED);
    expect_value("{c}", "", SP_VALUE_NONE);
    expect_value("{A}", "", SP_VALUE_NONE);
    sp_regex_destroy(regex);
}

Test(query, is_cut_at_ampersands)
{
    sp_str_t rest = SP_STR("&a=1&&b&c=");
    sp_str_t parameter;
    sp_str_t name;

    cr_assert(sp_query_next(&rest, &parameter, &name));
    EXPECT_STR(parameter, "a=1");
    EXPECT_STR(name, "a");
    cr_assert(sp_query_next(&rest, &parameter, &name));
    EXPECT_STR(parameter, "b");
    EXPECT_STR(name, "b");
    cr_assert(sp_query_next(&rest, &parameter, &name));
    EXPECT_STR(parameter, "c=");
    cr_expect_not(sp_query_next(&rest, &parameter, &name));
}

Test(query, names_are_compared_decoded)
{
    cr_expect(sp_query_name_is(SP_STR("q%72"), SP_STR("qr")));
    cr_expect(sp_query_name_is(SP_STR("a+b%20c"), SP_STR("a b c")));
    cr_expect(sp_query_name_is(SP_STR(""), SP_STR("")));
    cr_expect_not(sp_query_name_is(SP_STR("qr2"), SP_STR("qr")));
    cr_expect_not(sp_query_name_is(SP_STR("q"), SP_STR("qr")));
    cr_expect_not(sp_query_name_is(SP_STR("qs"), SP_STR("qr")));
    cr_expect_not(sp_query_name_is(SP_STR("q%"), SP_STR("qr")));
}

Test(values, paths_are_decoded_but_for_broken_escapes)
{
    EXPECT_STR(sp_path_decode(SP_STR("/a%20b+c%"), &arena), "/a b+c%");
    EXPECT_STR(sp_path_decode(SP_STR("/%zz%4"), &arena), "/%zz%4");
    EXPECT_STR(sp_path_decode(SP_STR("/%2541"), &arena), "/%41");
    EXPECT_STR(sp_path_decode(SP_STR("/plain"), &arena), "/plain");
}
