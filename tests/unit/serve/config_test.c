/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "config_recorder.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a good text. */
static sp_config_t *read_good(const char *text)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = sp_config_recorder_read(&recorder, text);

    cr_assert_not_null(config, "%s: %s", text, recorder.text);
    return config;
}

static void expect_defaults(const sp_config_t *config)
{
    cr_assert_eq(config->listen_count, 1);
    cr_expect_str_eq(config->listen[0].address.text, "[::]:8080");
    cr_expect_eq(config->listen[0].address.kind, SP_ADDRESS_IPV6);
    cr_expect_not(config->listen[0].tls);
    cr_expect_not(config->listen[0].proxy_protocol);
    cr_expect_eq(config->admin.kind, SP_ADDRESS_NONE);
    cr_expect_eq(config->threads, 0);
    cr_expect_eq(config->dialects, SP_DIALECT_TXTV0);
    cr_expect_str_eq(config->tls_certificates, "/etc/signpost/tls");
    cr_expect_str_eq(config->tls_default, "");
    cr_expect_eq(config->trusted_proxy_count, 0);
    cr_expect_eq(config->limits.connections, 0);
    cr_expect_eq(config->limits.misses_per_client_per_s, 0);
    cr_expect_eq(config->drain.delay_s, 0);
    cr_expect_eq(config->drain.timeout_s, 30);
    cr_expect_eq(config->log.level, SP_LOG_INFO);
    cr_expect_eq(config->log.access, SP_ACCESS_JSON);
    cr_expect_eq(config->log.format, SP_LOG_TEXT);
}

static void expect_dns_and_cache_defaults(const sp_config_t *config)
{
    cr_expect_eq(config->dns.options.resolver_count, 0);
    cr_expect_eq(config->dns.options.transport, SP_TRANSPORT_AUTO);
    cr_expect_eq(config->dns.options.try_ms, 400);
    cr_expect_eq(config->dns.options.tries, 3);
    cr_expect_eq(config->dns.options.max_inflight, 10000);
    cr_expect_eq(config->dns.timeout_ms, 2000);
    cr_expect_eq(config->dns.options.hedge_ms, 0);
    cr_expect_eq(config->dns.zone_count, 0);
    cr_expect(config->cache.enabled);
    cr_expect_eq(config->cache.max_bytes, 67108864);
    cr_expect_eq(config->cache.min_ttl_s, 0);
    cr_expect_eq(config->cache.max_ttl_s, 86400);
    cr_expect_eq(config->cache.negative_ttl_s, 60);
    cr_expect_eq(config->cache.failure_ttl_s, 5);
    cr_expect_eq(config->cache.stale_s, 86400);
    cr_expect(config->cache.prefetch);
}

static void expect_policy_defaults(const sp_policy_t *policy)
{
    cr_expect_eq(policy->types, 15);
    cr_expect_not(policy->fallback_www);
    cr_expect_eq(policy->fallback_redirect.len, 0);
    cr_expect_eq(policy->fallback_code, 302);
    cr_expect_eq(policy->max_lookups, 16);
    cr_expect_not(policy->qr.enabled);
    cr_expect_eq(policy->qr.size, 256);
    cr_expect_eq(policy->qr.background, 0xffffffff);
    cr_expect_eq(policy->qr.foreground, 0x000000ff);
    cr_expect_eq(policy->qr.recovery_level, 1);
}

Test(config, has_the_documented_defaults)
{
    sp_config_t *config = NULL;

    cr_assert_eq(sp_config_create_default(&config), SP_OK);
    expect_defaults(config);
    expect_dns_and_cache_defaults(config);
    expect_policy_defaults(&config->policy);
    sp_config_destroy(config);
}

Test(config, needs_no_key)
{
    sp_config_t *config = read_good(" {}\n");

    expect_defaults(config);
    expect_dns_and_cache_defaults(config);
    expect_policy_defaults(&config->policy);
    sp_config_destroy(config);
    sp_config_destroy(NULL);
}

Test(config, reads_every_kind_of_listener)
{
    sp_config_t *config = read_good(
        "{\"listen\": [{\"address\": \"127.0.0.1:80\"}, {\"tls\": true, \"address\": "
        "\"[::1]:443\"}, {\"address\": \"unix:/run/s\", \"proxy_protocol\": true}],"
        " \"trusted_proxies\": [\"unix:\"], \"admin\": {\"address\": \"127.0.0.1:9180\"}}");

    cr_assert_eq(config->listen_count, 3);
    cr_expect_eq(config->listen[0].address.kind, SP_ADDRESS_IPV4);
    cr_expect_not(config->listen[0].tls);
    cr_expect_eq(config->listen[1].address.kind, SP_ADDRESS_IPV6);
    cr_expect(config->listen[1].tls);
    cr_expect_not(config->listen[1].proxy_protocol);
    cr_expect_str_eq(config->listen[2].address.path, "/run/s");
    cr_expect(config->listen[2].proxy_protocol);
    cr_expect_str_eq(config->admin.text, "127.0.0.1:9180");
    cr_expect_eq(sp_config_tls_listener(config), &config->listen[1]);
    sp_config_destroy(config);
}

Test(config, reads_the_dns_section)
{
    sp_config_t *config =
        read_good("{\"dns\": {\"resolvers\": [\"192.0.2.1\", \"[2001:db8::1]:5353\"],"
                  "\"transport\": \"tcp\", \"timeout_ms\": 5000, \"try_ms\": 100, \"tries\": 2,"
                  "\"hedge_ms\": -1, \"zones\": [\"a.zone\", \"/b.zone\"], \"max_inflight\": 7}}");
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    cr_assert_eq(config->dns.options.resolver_count, 2);
    memcpy(&in, &config->dns.options.resolvers[0], sizeof(in));
    memcpy(&in6, &config->dns.options.resolvers[1], sizeof(in6));
    cr_expect_eq(in.sin_family, AF_INET);
    cr_expect_eq(ntohs(in.sin_port), 53);
    cr_expect_eq(in6.sin6_family, AF_INET6);
    cr_expect_eq(ntohs(in6.sin6_port), 5353);
    cr_expect_eq(config->dns.options.transport, SP_TRANSPORT_TCP);
    cr_expect_eq(config->dns.timeout_ms, 5000);
    cr_expect_eq(config->dns.options.try_ms, 100);
    cr_expect_eq(config->dns.options.tries, 2);
    cr_expect_eq(config->dns.options.hedge_ms, -1);
    cr_assert_eq(config->dns.zone_count, 2);
    cr_expect_str_eq(config->dns.zones[0], "a.zone");
    cr_expect_str_eq(config->dns.zones[1], "/b.zone");
    cr_expect_eq(config->dns.options.max_inflight, 7);
    sp_config_destroy(config);
}

Test(config, reads_the_cache_and_limits_sections)
{
    sp_config_t *config =
        read_good("{\"cache\": {\"enabled\": false, \"max_bytes\": 1099511627776, \"min_ttl_s\": 1,"
                  "\"max_ttl_s\": 2, \"negative_ttl_s\": 3, \"failure_ttl_s\": 4, \"stale_s\": 6,"
                  "\"prefetch\": false}, \"limits\": {\"lookups_per_request\": 8,"
                  "\"connections\": 9, \"misses_per_client_per_s\": 10}}");

    cr_expect_not(config->cache.enabled);
    cr_expect_eq(config->cache.max_bytes, UINT64_C(1) << 40U);
    cr_expect_eq(config->cache.min_ttl_s, 1);
    cr_expect_eq(config->cache.max_ttl_s, 2);
    cr_expect_eq(config->cache.negative_ttl_s, 3);
    cr_expect_eq(config->cache.failure_ttl_s, 4);
    cr_expect_eq(config->cache.stale_s, 6);
    cr_expect_not(config->cache.prefetch);
    cr_expect_eq(config->policy.max_lookups, 8);
    cr_expect_eq(config->limits.connections, 9);
    cr_expect_eq(config->limits.misses_per_client_per_s, 10);
    sp_config_destroy(config);
}

Test(config, reads_what_the_policy_needs)
{
    sp_config_t *config =
        read_good("{\"types\": [\"path\", \"dockerv2\"], \"dialects\": [\"txtv0\"], \"fallback\": "
                  "{\"www\": true, \"redirect\": \"https://www.example.com/?a=%20b\","
                  "\"code\": 308}, \"qr\": {\"enabled\": true, \"size\": 32, \"background\": "
                  "\"#ABCDEF\", \"foreground\": \"01020304\", \"recovery_level\": 3}}");

    cr_expect_eq(config->policy.types, (1U << SP_TYPE_PATH) | (1U << SP_TYPE_DOCKERV2));
    cr_expect(config->policy.fallback_www);
    cr_expect(
        sp_str_eq(config->policy.fallback_redirect, SP_STR("https://www.example.com/?a=%20b")));
    cr_expect_eq(config->policy.fallback_code, 308);
    cr_expect(config->policy.qr.enabled);
    cr_expect_eq(config->policy.qr.size, 32);
    cr_expect_eq(config->policy.qr.background, 0xabcdefff);
    cr_expect_eq(config->policy.qr.foreground, 0x01020304);
    cr_expect_eq(config->policy.qr.recovery_level, 3);
    sp_config_destroy(config);
}

Test(config, reads_log_and_tls)
{
    sp_config_t *config = read_good("{\"log\": {\"level\": \"warn\", \"access\": \"combined\","
                                    "\"format\": \"json\"},"
                                    "\"tls\": {\"certificates\": \"certs\", "
                                    "\"default\": \"*.Example.com\"}}");

    cr_expect_eq(config->log.level, SP_LOG_WARNING);
    cr_expect_eq(config->log.access, SP_ACCESS_COMBINED);
    cr_expect_eq(config->log.format, SP_LOG_JSON);
    cr_expect_str_eq(config->tls_certificates, "certs");
    cr_expect_str_eq(config->tls_default, "*.example.com");
    sp_config_destroy(config);
}

Test(config, may_switch_all_types_off)
{
    sp_config_t *config = read_good("{\"types\": []}");

    cr_expect_eq(config->policy.types, 0);
    sp_config_destroy(config);
}

Test(config, reads_keys_that_are_written_with_escapes)
{
    sp_config_t *config = read_good("{\"thr\\u0065ads\": 5}");

    cr_expect_eq(config->threads, 5);
    sp_config_destroy(config);
}

Test(config, trusts_the_peers_that_it_names)
{
    sp_config_t *config = read_good("{\"trusted_proxies\": [\"10.0.0.0/8\", \"192.0.2.1\"]}");
    struct sockaddr_in peer = {.sin_family = AF_INET};

    peer.sin_addr.s_addr = htonl(0xc0000201);
    cr_expect(sp_config_trusts(config, (const struct sockaddr *)&peer));
    peer.sin_addr.s_addr = htonl(0xc0000202);
    cr_expect_not(sp_config_trusts(config, (const struct sockaddr *)&peer));
    sp_config_destroy(config);
}

/* One integer key: good at both limits, refused one beyond. */
typedef struct integer_key {
    const char *section; /* NULL: at the top */
    const char *name;
    int64_t least;
    int64_t greatest;
} integer_key_t;

static const integer_key_t integer_keys[] = {
    {NULL, "threads", 0, 1024},
    {"dns", "timeout_ms", 1, 60000},
    {"dns", "try_ms", 1, 60000},
    {"dns", "tries", 1, 10},
    {"dns", "hedge_ms", -1, 60000},
    {"dns", "max_inflight", 1, 1000000},
    {"cache", "max_bytes", 4096, INT64_C(1) << 40U},
    {"cache", "min_ttl_s", 0, 86400},
    {"cache", "max_ttl_s", 0, INT32_MAX},
    {"cache", "negative_ttl_s", 0, 86400},
    {"cache", "failure_ttl_s", 0, 300},
    {"cache", "stale_s", 0, 2592000},
    {"limits", "lookups_per_request", 1, 1000},
    {"limits", "connections", 0, 10000000},
    {"limits", "misses_per_client_per_s", 0, 1000000},
    {"qr", "size", 32, 2048},
    {"qr", "recovery_level", 0, 3},
};

static sp_config_t *read_integer(const integer_key_t *key, int64_t value,
                                 sp_config_recorder_t *recorder)
{
    char text[200];

    if (key->section == NULL) {
        (void)snprintf(text, sizeof(text), "{\"%s\": %lld}", key->name, (long long)value);
    } else {
        (void)snprintf(text, sizeof(text), "{\"%s\": {\"%s\": %lld}}", key->section, key->name,
                       (long long)value);
    }
    return sp_config_recorder_read(recorder, text);
}

static void expect_integer(const integer_key_t *key, int64_t value, bool good)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = read_integer(key, value, &recorder);
    char range[100];

    (void)snprintf(range, sizeof(range), "%s must be an integer from %lld to %lld, not %lld\n",
                   key->name, (long long)key->least, (long long)key->greatest, (long long)value);
    cr_expect_eq(config != NULL, good, "%s: %lld: %s", key->name, (long long)value, recorder.text);
    cr_expect(good || strstr(recorder.text, range) != NULL, "%s", recorder.text);
    sp_config_destroy(config);
}

Test(config, holds_every_integer_to_its_limits)
{
    for (size_t i = 0; i != SP_COUNT(integer_keys); ++i) {
        expect_integer(&integer_keys[i], integer_keys[i].least, true);
        expect_integer(&integer_keys[i], integer_keys[i].greatest, true);
        expect_integer(&integer_keys[i], integer_keys[i].least - 1, false);
        expect_integer(&integer_keys[i], integer_keys[i].greatest + 1, false);
    }
}

static void expect_code(unsigned code, bool good)
{
    sp_config_recorder_t recorder;
    sp_config_t *config;
    char text[60];

    (void)snprintf(text, sizeof(text), "{\"fallback\": {\"code\": %u}}", code);
    config = sp_config_recorder_read(&recorder, text);
    cr_expect_eq(config != NULL, good, "%u", code);
    cr_expect(config == NULL || config->policy.fallback_code == code);
    sp_config_destroy(config);
}

Test(config, takes_redirect_codes_only)
{
    for (unsigned code = 0; code != 700; ++code) {
        expect_code(code, (code >= 301 && code <= 303) || code == 307 || code == 308);
    }
}

/* A list with `count` items: `item`, each followed by its own number and `item_end`. */
typedef struct list_key {
    const char *before;
    const char *item;
    const char *item_end;
    const char *after;
    size_t max;
} list_key_t;

static const list_key_t list_keys[] = {
    {"{\"listen\":[", "{\"address\":\"[::]:", "\"}", "]}", 64},
    {"{\"dns\":{\"resolvers\":[", "\"127.0.0.1:", "\"", "]}}", 8},
    {"{\"dns\":{\"zones\":[", "\"zone", "\"", "]}}", 1024},
    {"{\"trusted_proxies\":[", "\"2001:db8::", "\"", "]}", 1024},
};

static sp_config_t *read_list(const list_key_t *key, size_t count, sp_config_recorder_t *recorder)
{
    size_t size = count * 48 + 100;
    char *text = malloc(size);
    size_t used;
    sp_config_t *config;

    cr_assert_not_null(text);
    used = (size_t)snprintf(text, size, "%s", key->before);
    for (size_t i = 0; i != count; ++i) {
        used += (size_t)snprintf(text + used, size - used, "%s%s%zu%s", i == 0 ? "" : ",",
                                 key->item, i + 1, key->item_end);
    }
    cr_assert_lt((size_t)snprintf(text + used, size - used, "%s", key->after), size - used);
    config = sp_config_recorder_read(recorder, text);
    free(text);
    return config;
}

static void expect_list(const list_key_t *key)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = read_list(key, key->max, &recorder);
    char limit[100];

    cr_expect_not_null(config, "%s", recorder.text);
    sp_config_destroy(config);
    config = read_list(key, key->max + 1, &recorder);
    cr_expect_null(config);
    (void)snprintf(limit, sizeof(limit), "must have at most %zu items, not %zu\n", key->max,
                   key->max + 1);
    cr_expect_not_null(strstr(recorder.text, limit), "%s", recorder.text);
    sp_config_destroy(config);
}

Test(config, holds_every_list_to_its_length)
{
    for (size_t i = 0; i != SP_COUNT(list_keys); ++i) {
        expect_list(&list_keys[i]);
    }
}

/* Reads one of the examples. */
static sp_config_t *read_example(const char *name)
{
    sp_config_recorder_t recorder = {.count = 0};
    sp_config_t *config = NULL;
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/%s", SP_EXAMPLES, name);
    cr_assert_eq(sp_config_read_file(path, sp_config_recorder_add_fault, &recorder, &config), SP_OK,
                 "%s", recorder.text);
    return config;
}

Test(config, reads_the_minimal_example)
{
    sp_config_t *config = read_example("minimal.json");

    cr_expect_eq(config->listen_count, 1);
    cr_expect_eq(config->dns.options.resolver_count, 1);
    sp_config_destroy(config);
}

Test(config, finds_the_listener_that_wants_tls)
{
    sp_config_t *config = read_good("{\"listen\": [{\"address\": \"[::]:80\"}, {\"address\": "
                                    "\"[::]:443\", \"tls\": true, \"https_port\": 65535}]}");

    cr_expect_eq(sp_config_tls_listener(config), &config->listen[1]);
    cr_expect_eq(config->listen[0].https_port, 0);
    cr_expect_eq(config->listen[1].https_port, 65535);
    sp_config_destroy(config);
    cr_assert_eq(sp_config_create_default(&config), SP_OK);
    cr_expect_null(sp_config_tls_listener(config));
    sp_config_destroy(config);
}

Test(config, reads_the_examples_of_tls_and_proxies)
{
    sp_config_t *config = read_example("tls.json");

    cr_expect_eq(sp_config_tls_listener(config), &config->listen[1]);
    cr_expect_str_eq(config->tls_default, "www.example.com");
    sp_config_destroy(config);
    config = read_example("proxy.json");
    cr_expect(config->listen[0].proxy_protocol && config->listen[1].proxy_protocol);
    cr_expect_eq(config->listen[0].https_port, 443);
    sp_config_destroy(config);
}

/* What Debian's package and the container image begin with: the port of signpost.socket, and one
 * that needs no privilege; operators alone reach the admin endpoints. */
Test(config, reads_what_is_shipped)
{
    sp_config_t *debian = read_example("debian.json");
    sp_config_t *container = read_example("container.json");

    cr_expect_eq(debian->listen_count, 1);
    cr_expect_str_eq(debian->listen[0].address.text, "[::]:80");
    cr_expect_str_eq(debian->admin.text, "127.0.0.1:9180");
    cr_expect_eq(container->listen_count, 1);
    cr_expect_str_eq(container->listen[0].address.text, "[::]:8080");
    cr_expect_str_eq(container->admin.text, "127.0.0.1:9180");
    sp_config_destroy(debian);
    sp_config_destroy(container);
}

/* The complete example shows the defaults; what has none is shown with a value. */
Test(config, reads_the_complete_example)
{
    sp_config_t *config = read_example("complete.json");

    cr_expect_eq(config->listen_count, 3);
    cr_expect_str_eq(config->admin.text, "127.0.0.1:9180");
    cr_expect_eq(config->dns.options.resolver_count, 1);
    cr_expect_eq(config->listen[1].https_port, 8443);
    cr_expect_eq(config->trusted_proxy_count, 1);
    expect_policy_defaults(&config->policy);
    sp_config_destroy(config);
}
