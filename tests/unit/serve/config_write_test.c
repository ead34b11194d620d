/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_write.h"

#include "config_recorder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *print(const sp_config_t *config, const sp_dns_options_t *dns)
{
    json_t *root = sp_config_json(config, dns);
    char *text = json_dumps(root, JSON_COMPACT);

    json_decref(root);
    cr_assert_not_null(text);
    return text;
}

static sp_config_t *read_good(const char *text)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = sp_config_recorder_read(&recorder, text);

    cr_assert_not_null(config, "%s", recorder.text);
    return config;
}

/* What is written reads as what it was written from. */
static void expect_round_trip(const char *text)
{
    sp_config_t *config = read_good(text);
    char *once = print(config, NULL);
    sp_config_t *again = read_good(once);
    char *twice = print(again, NULL);

    cr_expect_str_eq(once, twice);
    free(once);
    free(twice);
    sp_config_destroy(config);
    sp_config_destroy(again);
}

Test(config_write, writes_what_can_be_read_again)
{
    expect_round_trip(
        "{\"listen\": [{\"address\": \"[::]:80\"}, {\"address\": \"unix:/run/s\", \"tls\": true,"
        "\"proxy_protocol\": true, \"https_port\": 8443}],"
        "\"tls\": {\"default\": \"*.a.example\", \"acme\": {\"storage\": \"/s\","
        "\"directory\": \"https://ca.example/dir\", \"email\": \"a@b.example\", \"per_hour\": 0,"
        "\"challenge\": \"tls-alpn-01\", \"caa_identities\": [\"ca.example\"]}},"
        "\"admin\": {\"address\": \"127.0.0.1:9180\"}, \"threads\": 3,"
        "\"dns\": {\"resolvers\": [\"192.0.2.1\", \"[2001:db8::1]:5353\"], \"hedge_ms\": -1,"
        "\"transport\": \"tcp\", \"zones\": [\"a.zone\"]}, \"cache\": {\"enabled\": false,"
        "\"max_bytes\": 1099511627776}, \"types\": [\"path\"], \"fallback\": {\"www\": true,"
        "\"redirect\": \"https://example.com/\", \"code\": 301},"
        "\"trusted_proxies\": [\"10.0.0.0/8\", \"2001:db8::/32\", \"unix:\"],"
        "\"log\": {\"level\": \"debug\", \"access\": \"off\", \"format\": \"json\"},"
        "\"qr\": {\"enabled\": true, \"background\": \"01020304\"}}");
}

Test(config_write, never_shows_a_secret)
{
    sp_config_t *config =
        read_good("{\"tls\": {\"acme\": {\"storage\": \"/s\", \"ca_file\": \"/c\","
                  "\"eab\": {\"kid\": \"kid-1\", \"hmac_key\": \"c2VjcmV0\"}}}}");
    char *text = print(config, NULL);

    cr_expect_not_null(strstr(text, "kid-1"));
    cr_expect_null(strstr(text, "c2VjcmV0"));
    cr_expect_null(strstr(text, "hmac_key"));
    free(text);
    sp_config_destroy(config);
}

static const char *text_at(const json_t *root, const char *section, const char *key)
{
    return json_string_value(json_object_get(json_object_get(root, section), key));
}

Test(config_write, shows_defaults_and_values)
{
    sp_config_t *config = read_good("{\"admin\": {\"address\": \"127.0.0.1:9180\"},"
                                    "\"dns\": {\"hedge_ms\": -1}, \"fallback\": {\"code\": 308},"
                                    "\"trusted_proxies\": [\"10.0.0.0/8\"],"
                                    "\"qr\": {\"foreground\": \"0a0b0c\"}}");
    json_t *root = sp_config_json(config, NULL);
    json_t *dns = json_object_get(root, "dns");

    cr_expect_str_eq(text_at(root, "admin", "address"), "127.0.0.1:9180");
    cr_expect_str_eq(text_at(root, "log", "access"), "json");
    cr_expect_str_eq(text_at(root, "log", "format"), "text");
    cr_expect_str_eq(text_at(root, "qr", "foreground"), "0a0b0cff");
    cr_expect_eq(json_integer_value(json_object_get(dns, "hedge_ms")), -1);
    cr_expect_eq(json_integer_value(json_object_get(dns, "timeout_ms")), 2000);
    cr_expect_eq(json_array_size(json_object_get(root, "types")), 4);
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(root, "trusted_proxies"), 0)),
                     "10.0.0.0/8");
    json_decref(root);
    sp_config_destroy(config);
}

Test(config_write, shows_the_resolvers_that_are_asked)
{
    sp_config_t *config = read_good("{}");
    sp_config_t *other = read_good("{\"dns\": {\"resolvers\": [\"192.0.2.1\"]}}");
    json_t *root = sp_config_json(config, &other->dns.options);
    json_t *resolvers = json_object_get(json_object_get(root, "dns"), "resolvers");

    cr_assert_eq(json_array_size(resolvers), 1);
    cr_expect_str_eq(json_string_value(json_array_get(resolvers, 0)), "192.0.2.1:53");
    json_decref(root);
    sp_config_destroy(config);
    sp_config_destroy(other);
}
