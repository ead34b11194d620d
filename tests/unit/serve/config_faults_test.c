/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "config_recorder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(config_faults, names_each_unknown_key_and_the_one_that_was_meant)
{
    sp_config_recorder_expect(
        "{\n  \"threds\": 1,\n  \"dns\": {\"try-ms\": 5, \"x\": {}}\n}",
        "test.json:2:3: unknown key \"threds\" in the configuration; did you mean \"threads\"?\n"
        "test.json:3:11: unknown key \"try-ms\" in dns; did you mean \"try_ms\"?\n"
        "test.json:3:24: unknown key \"x\" in dns; expected resolvers, transport, timeout_ms, "
        "try_ms, tries, hedge_ms, zones, max_inflight\n");
}

Test(config_faults, reports_all_faults_of_a_file_in_its_order)
{
    sp_config_recorder_expect(
        "{\n"
        "  \"qr\": {\"size\": 31, \"background\": \"red\"},\n"
        "  \"listen\": [\n"
        "    {\"address\": \"localhost:80\"},\n"
        "    {\"tls\": 1},\n"
        "    \"[::]:80\"\n"
        "  ],\n"
        "  \"threads\": \"4\"\n"
        "}\n",
        "test.json:2:18: qr.size must be an integer from 32 to 2048, not 31\n"
        "test.json:2:36: qr.background: 'red' is no colour; expected rrggbb or rrggbbaa, "
        "hexadecimal\n"
        "test.json:4:17: listen[0].address: 'localhost' is no IPv4 or IPv6 address; host names "
        "are not looked up here\n"
        "test.json:5:5: listen[1] needs the key \"address\"\n"
        "test.json:5:13: listen[1].tls must be true or false, not an integer\n"
        "test.json:6:5: listen[2] must be an object, not a string\n"
        "test.json:8:14: threads must be an integer from 0 to 1024, not a string\n");
}

Test(config_faults, points_at_items_of_lists)
{
    sp_config_recorder_expect(
        "{\"dns\": {\"resolvers\": [\"127.0.0.1\", \"dns.example.com\", 5], \"zones\": [\"\"]},\n"
        " \"trusted_proxies\": [\"10.0.0.0/8\", \"10.0.0.0/33\"], \"types\": [\"host\", "
        "\"page\"],\n"
        " \"dialects\": [], \"listen\": []}",
        "test.json:1:37: dns.resolvers[1]: 'dns.example.com' is no resolver address: it is neither "
        "IPv4 nor IPv6; expected ADDRESS, IPv4:PORT or [IPv6]:PORT\n"
        "test.json:1:56: dns.resolvers[2] must be a string, not an integer\n"
        "test.json:1:70: dns.zones[0]: expected a path of 1 to 4095 octets\n"
        "test.json:2:36: trusted_proxies[1]: prefix length '33' is no number from 0 to 32\n"
        "test.json:2:70: types[1] must be host, path, gometa or dockerv2, not \"page\"\n"
        "test.json:3:14: dialects must have at least 1 item, not 0\n"
        "test.json:3:28: listen must have at least 1 item, not 0\n");
}

Test(config_faults, says_which_words_a_key_takes)
{
    sp_config_recorder_expect(
        "{\"log\": {\"level\": \"loud\", \"access\": null, \"format\": \"xml\"},\n"
        "\"dns\": {\"transport\": \"UDP\"},\n"
        "\"fallback\": {\"code\": 999, \"www\": \"yes\"},\n"
        "\"dialects\": [\"txtv1\"]}",
        "test.json:1:19: log.level must be error, warning, warn, info or debug, not \"loud\"\n"
        "test.json:1:37: log.access must be json, combined or off, not null\n"
        "test.json:1:53: log.format must be text or json, not \"xml\"\n"
        "test.json:2:22: dns.transport must be auto, udp or tcp, not \"UDP\"\n"
        "test.json:3:22: fallback.code must be 301, 302, 303, 307 or 308, not 999\n"
        "test.json:3:34: fallback.www must be true or false, not a string\n"
        "test.json:4:14: dialects[0] must be txtv0, not \"txtv1\"\n");
}

Test(config_faults, wants_the_right_type_for_every_section)
{
    sp_config_recorder_expect("[]", "test.json:1:1: the configuration must be an object, not a "
                                    "list\n");
    sp_config_recorder_expect(
        "{\"dns\": 5, \"admin\": {}, \"listen\": {}, \"types\": \"host\", \"threads\": 1.5}",
        "test.json:1:9: dns must be an object, not an integer\n"
        "test.json:1:21: admin needs the key \"address\"\n"
        "test.json:1:35: listen must be a list, not an object\n"
        "test.json:1:48: types must be a list, not a string\n"
        "test.json:1:67: threads must be an integer from 0 to 1024, not a number with a fraction "
        "or exponent\n");
}

Test(config_faults, refuses_a_key_that_is_given_twice)
{
    sp_config_recorder_expect(
        "{\n\"threads\": 1,\n\"dns\": {\"tries\": 1, \"tries\": 99},\n\"thr\\u0065ads\": 2\n}",
        "test.json:3:21: key \"tries\" is given twice, first on line 3; expected once\n"
        "test.json:3:30: dns.tries must be an integer from 1 to 10, not 99\n"
        "test.json:4:1: key \"threads\" is given twice, first on line 2; expected once\n");
}

Test(config_faults, finds_values_that_do_not_go_together)
{
    sp_config_recorder_expect(
        "{\"listen\": [{\"address\": \"[::1]:80\"}, {\"address\": \"[0::1]:80\"}],\n"
        " \"admin\": {\"address\": \"[::1]:80\"},\n"
        " \"cache\": {\"max_ttl_s\": 10, \"min_ttl_s\": 11},\n"
        " \"drain\": {\"delay_s\": 30}}",
        "test.json:1:50: [0::1]:80 is listened at already; expected each place once\n"
        "test.json:2:23: the admin endpoints must have an address of their own, not that of a "
        "public listener\n"
        "test.json:3:42: cache.min_ttl_s must be at most cache.max_ttl_s, which is 10, not 11\n"
        "test.json:4:23: drain.delay_s must be less than drain.timeout_s, which is 30, not 30\n");
}

Test(config_faults, wants_to_know_which_proxies_to_believe)
{
    sp_config_recorder_expect(
        "{\"listen\": [{\"address\": \"[::1]:80\"},\n"
        "            {\"address\": \"[::1]:81\", \"proxy_protocol\": true,\n"
        "             \"https_port\": 65536}]}",
        "test.json:2:55: proxy_protocol is taken from trusted proxies only; expected their "
        "addresses in trusted_proxies\n"
        "test.json:3:28: listen[1].https_port must be an integer from 0 to 65535, not 65536\n");
    sp_config_recorder_expect(
        "{\"listen\": [{\"address\": \"[::1]:80\"},\n"
        "            {\"address\": \"[::1]:81\", \"proxy_protocol\": true}]}",
        "test.json:2:55: proxy_protocol is taken from trusted proxies only; expected their "
        "addresses in trusted_proxies\n");
}

Test(config_faults, takes_names_of_certificates)
{
    static const char *const bad[] = {"*",   "*.",   "a b",       "../a",  "*.*.a",
                                      "a.*", "a..b", "192.0.2.1", "[::1]", "a/b"};
    char text[200];
    char lines[300];

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        (void)snprintf(text, sizeof(text), "{\"tls\": {\"default\": \"%s\"}}", bad[i]);
        (void)snprintf(lines, sizeof(lines),
                       "test.json:1:21: tls.default: '%s' is no host name; expected that of a "
                       "certificate, such as www.example.com or *.example.com, or \"\" for none\n",
                       bad[i]);
        sp_config_recorder_expect(text, lines);
    }
}

Test(config_faults, takes_absolute_web_addresses_as_fallback)
{
    static const char *const bad[] = {
        "/relative",          "www.example.com",     "//example.com/",    "ftp://example.com/",
        "https://",           "https:///path",       "https://user@/",    "https://:80/",
        "http://host:65536/", "http://host:http/",   "http://[::1/",      "http://[::1]x/",
        "http://a b/",        "http://a/\\u0007",    "http://a/\xc3\xa4", "http://a/%zz",
        "http://a/{path}",    "javascript:alert(1)", "https//a/"};
    static const char *const good[] = {"", "http://a", "HTTPS://Example.com:/",
                                       "http://u@[::1]:65535/?q=%C3%A4#f",
                                       "https://example.com/a@b:c/"};
    char text[200];

    for (size_t i = 0; i != SP_COUNT(bad) + SP_COUNT(good); ++i) {
        bool is_good = i >= SP_COUNT(bad);
        const char *url = is_good ? good[i - SP_COUNT(bad)] : bad[i];
        sp_config_recorder_t recorder;
        sp_config_t *config;

        (void)snprintf(text, sizeof(text), "{\"fallback\": {\"redirect\": \"%s\"}}", url);
        config = sp_config_recorder_read(&recorder, text);
        cr_expect_eq(config != NULL, is_good, "%s", url);
        cr_expect(is_good || strncmp(recorder.text, "test.json:1:27: fallback.redirect: ", 35) == 0,
                  "%s", recorder.text);
        sp_config_destroy(config);
    }
}

Test(config_faults, says_that_the_fallback_has_no_placeholders)
{
    sp_config_recorder_expect("{\"fallback\": {\"redirect\": \"https://example.com{uri}\"}}",
                              "test.json:1:27: fallback.redirect: placeholders are not expanded "
                              "here: expected a whole URL, without { and }\n");
}

Test(config_faults, limits_the_length_of_the_fallback)
{
    char text[2200] = "{\"fallback\": {\"redirect\": \"http://a/";
    sp_config_recorder_t recorder;
    size_t before = strlen("{\"fallback\": {\"redirect\": \"");
    sp_config_t *config;

    memset(text + strlen(text), 'x', sizeof(text) - strlen(text));
    (void)snprintf(text + before + 2048, sizeof(text) - before - 2048, "\"}}");
    config = sp_config_recorder_read(&recorder, text);
    cr_expect_not_null(config, "%s", recorder.text);
    sp_config_destroy(config);
    (void)snprintf(text + before + 2048, sizeof(text) - before - 2048, "x\"}}");
    sp_config_recorder_expect(
        text, "test.json:1:27: fallback.redirect: a URL has at most 2048 octets here\n");
}

Test(config_faults, takes_colours_of_three_or_four_octets)
{
    static const char *const bad[] = {"", "#", "fff", "fffffff", "fffffffff", "ggffff", "##ffffff"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        char text[100];
        char lines[200];

        (void)snprintf(text, sizeof(text), "{\"qr\":{\"foreground\":\"%s\"}}", bad[i]);
        (void)snprintf(lines, sizeof(lines),
                       "test.json:1:21: qr.foreground: '%s' is no colour; expected rrggbb or "
                       "rrggbbaa, hexadecimal\n",
                       bad[i]);
        sp_config_recorder_expect(text, lines);
    }
}

Test(config_faults, points_at_the_token_that_is_no_json)
{
    sp_config_recorder_expect("", "test.json:1:1: the file is empty; expected a JSON object, at "
                                  "least {}\n");
    sp_config_recorder_expect(" \n\t", "test.json:1:1: the file is empty; expected a JSON object, "
                                       "at least {}\n");
    sp_config_recorder_expect("{\n  \"threads\": tru\n}",
                              "test.json:2:14: this is not JSON: invalid token near 'tru'\n");
    sp_config_recorder_expect(
        "{\"threads\": 1,}", "test.json:1:15: this is not JSON: string or '}' expected near '}'\n");
    sp_config_recorder_expect("{\"threads\" 1}",
                              "test.json:1:12: this is not JSON: ':' expected near '1'\n");
    sp_config_recorder_expect("{} x",
                              "test.json:1:4: this is not JSON: end of file expected near 'x'\n");
    sp_config_recorder_expect("{\"a\":\n 1",
                              "test.json:2:3: this is not JSON: '}' expected near end of file\n");
    sp_config_recorder_expect("{\"threads\": 99999999999999999999}",
                              "test.json:1:13: this is not JSON: too big integer near "
                              "'99999999999999999999'\n");
}

/* One fault on the given line; the wording is jansson's. */
static void expect_refused(sp_str_t text, const char *start)
{
    sp_config_recorder_t recorder = {.count = 0};
    sp_config_t *config = NULL;

    cr_expect_eq(
        sp_config_read_text(text, "test.json", sp_config_recorder_add_fault, &recorder, &config),
        SP_BAD_VALUE);
    cr_expect_null(config);
    cr_expect_eq(recorder.count, 1, "%s", recorder.text);
    cr_expect_eq(strncmp(recorder.text, start, strlen(start)), 0, "'%s' does not begin with '%s'",
                 recorder.text, start);
}

Test(config_faults, refuses_octets_that_are_no_text)
{
    expect_refused(SP_STR("{\n\"a\": \"\xff\"}"), "test.json:2:");
    expect_refused(SP_STR("{\"a\": \"\xed\xa0\x80\"}"), "test.json:1:");
    expect_refused(SP_STR("{\"a\": \"x\\u0000\"}"), "test.json:1:");
    expect_refused(SP_STR("{\"a\\u0000\": 1}"), "test.json:1:");
    expect_refused(SP_STR("{}\0"), "test.json:1:");
    expect_refused(SP_STR("{\"a\0\": 1}"), "test.json:1:");
}

Test(config_faults, refuses_what_is_nested_without_end)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH);

    cr_assert_not_null(text);
    memset(text, '[', DEPTH);
    expect_refused((sp_str_t){.ptr = text, .len = DEPTH},
                   "test.json:1:2049: this is not JSON: maximum parsing depth reached");
    free(text);
}

Test(config_faults, reads_files_up_to_their_limit)
{
    char *text = malloc(SP_CONFIG_FILE_MAX + 1);
    sp_config_t *config = NULL;

    cr_assert_not_null(text);
    memset(text, ' ', SP_CONFIG_FILE_MAX + 1);
    text[0] = '{';
    text[1] = '}';
    cr_expect_eq(sp_config_read_text((sp_str_t){.ptr = text, .len = SP_CONFIG_FILE_MAX}, "x", NULL,
                                     NULL, &config),
                 SP_OK);
    sp_config_destroy(config);
    expect_refused((sp_str_t){.ptr = text, .len = SP_CONFIG_FILE_MAX + 1},
                   "test.json: a configuration has at most 1048576 octets");
    free(text);
}

Test(config_faults, tells_a_limited_number_of_faults)
{
    enum { SIZE = 4096 };
    char text[SIZE] = "{\"x0\": 0";
    sp_config_recorder_t recorder;
    size_t used = strlen(text);

    for (int i = 1; i <= SP_CONFIG_FAULTS_MAX; ++i) {
        used += (size_t)snprintf(text + used, SIZE - used, ",\n\"x%d\": 0", i);
    }
    (void)snprintf(text + used, SIZE - used, "}");
    cr_expect_null(sp_config_recorder_read(&recorder, text));
    cr_expect_eq(recorder.count, SP_CONFIG_FAULTS_MAX + 1);
    cr_expect_not_null(strstr(recorder.text, "test.json:100:1: unknown key \"x99\""));
    cr_expect_null(strstr(recorder.text, "x100"));
    cr_expect_not_null(strstr(recorder.text, "test.json: more faults"));
}

/* A file as large as may be, all of it repetitions: reading must not take time by the square. */
Test(config_faults, is_done_soon_with_a_file_full_of_faults, .timeout = 10)
{
    static const char repeated[] = "\"threads\":1,";
    size_t step = strlen(repeated);
    char *text = malloc(SP_CONFIG_FILE_MAX);
    sp_config_t *config = NULL;
    size_t used = 1;

    cr_assert_not_null(text);
    text[0] = '{';
    for (; used + step <= SP_CONFIG_FILE_MAX; used += step) {
        memcpy(text + used, repeated, step);
    }
    text[used - 1] = '}';
    cr_expect_eq(
        sp_config_read_text((sp_str_t){.ptr = text, .len = used}, "x", NULL, NULL, &config),
        SP_BAD_VALUE);
    free(text);
}

Test(config_faults, shows_no_control_characters)
{
    sp_config_recorder_expect("{\"\\u001b[31m\": 1, \"log\": {\"level\": \"a\\nb\"}}",
                              "test.json:1:2: unknown key \"?[31m\" in the configuration; "
                              "expected listen, admin, threads, dns, cache, types, dialects, "
                              "fallback, tls, trusted_proxies, limits, drain, log, qr\n"
                              "test.json:1:36: log.level must be error, warning, warn, info or "
                              "debug, not \"a?b\"\n");
}
