/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "serve/access_line.h"

#define LINE_MAX_SIZE ((size_t)65536)

/* 2026-11-30 12:34:56.789 UTC */
static const struct timespec moment = {.tv_sec = 1796042096, .tv_nsec = 789000000};
static const sp_header_t headers[] = {
    {{.ptr = "User-Agent", .len = 10}, {.ptr = "curl/8 \"x\"", .len = 10}},
    {{.ptr = "referer", .len = 7}, {.ptr = "http://a/\x01\xff\xc3\xa9", .len = 13}},
};
static struct sockaddr_in peer = {.sin_family = AF_INET};

static sp_report_t example(void)
{
    peer.sin_addr.s_addr = htonl(0x7f000001);
    return (sp_report_t){
        .was_answered = true,
        .kind = SP_OUTCOME_REDIRECT,
        .status = 302,
        .method = SP_STR("GET"),
        .scheme = SP_STR("http"),
        .host = SP_STR("Example.com:80"),
        .target = SP_STR("/a\\b"),
        .version = 0x101,
        .peer = (const struct sockaddr *)&peer,
        .peer_len = sizeof(peer),
        .location = SP_STR("https://example.net/"),
        .record = SP_STR("_redirect.example.com"),
        .body_len = 77,
        .headers = headers,
        .header_count = SP_COUNT(headers),
        .lookups = 2,
        .cache = SP_REPORT_MISS,
        .dns_us = 400,
        .started_us = 1000,
        .ended_us = 2500,
    };
}

static char text[LINE_MAX_SIZE];

static sp_str_t print(const sp_report_t *report, sp_access_format_t format)
{
    sp_access_stamp_t stamp = {0};
    size_t len = 0;

    sp_access_stamp_set(&stamp, format, &moment);
    len = sp_access_line_write(report, &stamp, text, sizeof(text));

    return (sp_str_t){.ptr = text, .len = len};
}

static json_t *print_json(const sp_report_t *report)
{
    sp_str_t line = print(report, SP_ACCESS_JSON);
    json_t *root = json_loadb(line.ptr, line.len, 0, NULL);

    cr_assert_not_null(root, "%.*s", (int)line.len, line.ptr);
    cr_assert_eq(line.ptr[line.len - 1], '\n');
    cr_assert_eq(sp_str_find(line, '\n'), line.len - 1, "one line");
    return root;
}

static void expect_text(const json_t *root, const char *key, const char *expected)
{
    const char *value = json_string_value(json_object_get(root, key));

    cr_assert_not_null(value, "%s", key);
    cr_expect_str_eq(value, expected, "%s: %s", key, value);
}

static void expect_number(const json_t *root, const char *key, json_int_t expected)
{
    cr_assert(json_is_integer(json_object_get(root, key)), "%s", key);
    cr_expect_eq(json_integer_value(json_object_get(root, key)), expected, "%s", key);
}

Test(access_line, json_has_every_field)
{
    sp_report_t report = example();
    json_t *root = print_json(&report);

    cr_expect_eq(json_object_size(root), 17);
    expect_text(root, "time", "2026-11-30T12:34:56.789Z");
    expect_text(root, "remote", "127.0.0.1");
    expect_text(root, "method", "GET");
    expect_text(root, "scheme", "http");
    expect_text(root, "host", "Example.com:80");
    expect_text(root, "target", "/a\\b");
    expect_text(root, "protocol", "HTTP/1.1");
    expect_number(root, "status", 302);
    expect_text(root, "location", "https://example.net/");
    expect_text(root, "outcome", "redirect");
    expect_text(root, "record", "_redirect.example.com");
    expect_number(root, "lookups", 2);
    expect_text(root, "cache", "miss");
    expect_number(root, "dns_us", 400);
    expect_number(root, "duration_us", 1500);
    expect_text(root, "user_agent", "curl/8 \"x\"");
    expect_text(root, "referer", "http://a/\x01\xef\xbf\xbd\xc3\xa9");
    json_decref(root);
}

Test(access_line, json_shows_null_for_what_is_not_there)
{
    sp_report_t report = example();
    json_t *root = NULL;

    report.was_answered = false;
    report.location = report.record = SP_STR("");
    report.header_count = 0;
    report.cache = SP_REPORT_NO_LOOKUP;
    root = print_json(&report);
    cr_expect(json_is_null(json_object_get(root, "location")));
    cr_expect(json_is_null(json_object_get(root, "outcome")));
    cr_expect(json_is_null(json_object_get(root, "record")));
    cr_expect(json_is_null(json_object_get(root, "cache")));
    cr_expect(json_is_null(json_object_get(root, "user_agent")));
    expect_number(root, "status", SP_ACCESS_STATUS_GONE);
    json_decref(root);
}

static void expect_remote(const sp_report_t *report, const char *expected)
{
    json_t *root = print_json(report);

    expect_text(root, "remote", expected);
    json_decref(root);
}

Test(access_line, shows_who_asked)
{
    sp_report_t report = example();
    struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6};
    struct sockaddr local = {.sa_family = AF_UNIX};

    report.client = SP_STR("2001:db8::7");
    expect_remote(&report, "2001:db8::7");
    report.client = SP_STR("");
    report.peer = (const struct sockaddr *)&ip6;
    report.peer_len = sizeof(ip6);
    cr_assert_eq(inet_pton(AF_INET6, "::ffff:192.0.2.1", &ip6.sin6_addr), 1);
    expect_remote(&report, "192.0.2.1");
    cr_assert_eq(inet_pton(AF_INET6, "2001:db8::1", &ip6.sin6_addr), 1);
    expect_remote(&report, "2001:db8::1");
    report.peer = &local;
    expect_remote(&report, "unix:");
    report.peer_len = 0;
    expect_remote(&report, "");
}

Test(access_line, combined_is_what_log_readers_know)
{
    sp_report_t report = example();
    sp_str_t line = print(&report, SP_ACCESS_COMBINED);

    cr_expect(sp_str_eq(line, SP_STR("127.0.0.1 - - [30/Nov/2026:12:34:56 +0000] \"GET /a\\x5cb "
                                     "HTTP/1.1\" 302 77 \"http://a/\\x01\\xff\\xc3\\xa9\" "
                                     "\"curl/8 \\x22x\\x22\"\n")),
              "%.*s", (int)line.len, line.ptr);
}

Test(access_line, combined_has_dashes_for_what_is_not_there)
{
    sp_report_t report = example();

    report.header_count = 0;
    cr_expect(
        sp_str_ends_with(print(&report, SP_ACCESS_COMBINED), SP_STR(" 302 77 \"-\" \"-\"\n")));
}

Test(access_line, cuts_long_fields)
{
    static char path[2 * SP_ACCESS_FIELD_MAX];
    sp_report_t report = example();
    json_t *root = NULL;

    memset(path, 'x', sizeof(path));
    report.target = (sp_str_t){.ptr = path, .len = sizeof(path)};
    root = print_json(&report);
    cr_expect_eq(json_string_length(json_object_get(root, "target")), SP_ACCESS_FIELD_MAX);
    json_decref(root);
}

Test(access_line, writes_nothing_when_there_is_no_room)
{
    sp_report_t report = example();
    sp_access_stamp_t stamp = {0};
    size_t len = print(&report, SP_ACCESS_JSON).len;

    sp_access_stamp_set(&stamp, SP_ACCESS_JSON, &moment);
    cr_expect_eq(sp_access_line_write(&report, &stamp, text, len), len);
    for (size_t size = 0; size != len; ++size) {
        cr_assert_eq(sp_access_line_write(&report, &stamp, text, size), 0);
    }
}

Test(access_line, escapes_wherever_it_stands)
{
    char path[40];
    sp_report_t report = example();

    for (size_t len = 1; len != sizeof(path); ++len) {
        for (size_t at = 0; at != len; ++at) {
            json_t *root = NULL;

            memset(path, 'x', len);
            path[at] = "\"\\\x1f\x7f"[at % 4];
            report.target = (sp_str_t){.ptr = path, .len = len};
            root = print_json(&report);
            cr_assert_eq(json_string_length(json_object_get(root, "target")), len);
            cr_assert_eq(memcmp(json_string_value(json_object_get(root, "target")), path, len), 0);
            json_decref(root);
        }
    }
}

static void expect_begin(const sp_access_stamp_t *stamp, const char *begin)
{
    sp_report_t report = example();
    sp_str_t line = {.ptr = text, .len = sp_access_line_write(&report, stamp, text, sizeof(text))};

    cr_expect(sp_str_starts_with(line, sp_str_from(begin)), "%.*s", (int)line.len, line.ptr);
}

Test(access_line, a_stamp_follows_the_clock_and_the_format)
{
    struct timespec now = moment;
    sp_access_stamp_t stamp = {0};

    sp_access_stamp_set(&stamp, SP_ACCESS_JSON, &now);
    expect_begin(&stamp, "{\"time\":\"2026-11-30T12:34:56.789Z\"");
    now.tv_nsec = 1000000;
    sp_access_stamp_set(&stamp, SP_ACCESS_JSON, &now);
    expect_begin(&stamp, "{\"time\":\"2026-11-30T12:34:56.001Z\"");
    now.tv_sec += 4;
    sp_access_stamp_set(&stamp, SP_ACCESS_JSON, &now);
    expect_begin(&stamp, "{\"time\":\"2026-11-30T12:35:00.001Z\"");
    now.tv_sec -= 1; /* clocks are set back, too */
    sp_access_stamp_set(&stamp, SP_ACCESS_JSON, &now);
    expect_begin(&stamp, "{\"time\":\"2026-11-30T12:34:59.001Z\"");
    sp_access_stamp_set(&stamp, SP_ACCESS_COMBINED, &now);
    expect_begin(&stamp, "127.0.0.1 - - [30/Nov/2026:12:34:59 +0000] ");
    sp_access_stamp_set(&stamp, SP_ACCESS_JSON, &now);
    expect_begin(&stamp, "{\"time\":\"2026-11-30T12:34:59.001Z\"");
}
