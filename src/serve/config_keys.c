/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_keys.h"

#include "serve/config_values.h"

#define FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define RANGE(least, greatest) .min = (least), .max = (greatest)
#define WORDS(table) .words = (table), .word_count = SP_COUNT(table)

/* A list behind a pointer: its field, the field that counts, the fewest and the most items. */
#define LIST(list, counter, fewest, most)                                                          \
    .offset = offsetof(sp_config_t, list), .size = sizeof(((sp_config_t *)0)->list[0]),            \
    .count_offset = offsetof(sp_config_t, counter), .min = (fewest), .max = (most)

#define SECONDS_PER_DAY 86400
#define CACHE_OCTETS_MAX (SIZE_MAX > UINT32_MAX ? INT64_C(1) << 40U : INT64_C(1) << 30U)

static const sp_config_word_t transport_words[] = {
    {"auto", SP_TRANSPORT_AUTO}, {"udp", SP_TRANSPORT_UDP}, {"tcp", SP_TRANSPORT_TCP}};

static const sp_config_word_t type_words[] = {{"host", 1U << SP_TYPE_HOST},
                                              {"path", 1U << SP_TYPE_PATH},
                                              {"gometa", 1U << SP_TYPE_GOMETA},
                                              {"dockerv2", 1U << SP_TYPE_DOCKERV2}};

static const sp_config_word_t dialect_words[] = {{"txtv0", SP_DIALECT_TXTV0}};

static const sp_config_word_t code_words[] = {
    {"301", 301}, {"302", 302}, {"303", 303}, {"307", 307}, {"308", 308}};

static const sp_config_word_t level_words[] = {{"error", SP_LOG_ERROR},
                                               {"warning", SP_LOG_WARNING},
                                               {"warn", SP_LOG_WARNING},
                                               {"info", SP_LOG_INFO},
                                               {"debug", SP_LOG_DEBUG}};

static const sp_config_word_t format_words[] = {{"text", SP_LOG_TEXT}, {"json", SP_LOG_JSON}};

static const sp_config_word_t access_words[] = {
    {"json", SP_ACCESS_JSON}, {"combined", SP_ACCESS_COMBINED}, {"off", SP_ACCESS_OFF}};

static const sp_config_word_t challenge_words[] = {{"http-01", SP_ACME_HTTP_01},
                                                   {"tls-alpn-01", SP_ACME_TLS_ALPN_01}};

static const sp_config_listen_t listen_default = {.tls = false};

static const sp_config_key_t listen_rows[] = {
    {.name = "address",
     .kind = SP_KEY_TEXT,
     .required = true,
     FIELD(sp_config_listen_t, address),
     .parse = sp_config_parse_address},
    {.name = "tls", .kind = SP_KEY_BOOL, FIELD(sp_config_listen_t, tls)},
    {.name = "proxy_protocol", .kind = SP_KEY_BOOL, FIELD(sp_config_listen_t, proxy_protocol)},
    {.name = "https_port",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_listen_t, https_port),
     RANGE(0, UINT16_MAX)},
};

static const sp_config_key_t admin_rows[] = {
    {.name = "address",
     .kind = SP_KEY_TEXT,
     .required = true,
     FIELD(sp_config_t, admin),
     .parse = sp_config_parse_address},
};

static const sp_config_key_t dns_rows[] = {
    {.name = "resolvers",
     .kind = SP_KEY_LIST,
     .fixed = true,
     LIST(dns.options.resolvers, dns.options.resolver_count, 0, SP_RESOLVERS_MAX),
     .parse = sp_config_parse_resolver},
    {.name = "transport",
     .kind = SP_KEY_WORD,
     FIELD(sp_config_t, dns.options.transport),
     WORDS(transport_words)},
    {.name = "timeout_ms",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, dns.timeout_ms),
     RANGE(1, 60000)},
    {.name = "try_ms",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, dns.options.try_ms),
     RANGE(1, 60000)},
    {.name = "tries", .kind = SP_KEY_INTEGER, FIELD(sp_config_t, dns.options.tries), RANGE(1, 10)},
    {.name = "hedge_ms",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, dns.options.hedge_ms),
     RANGE(-1, 60000)},
    {.name = "zones",
     .kind = SP_KEY_LIST,
     LIST(dns.zones, dns.zone_count, 0, SP_CONFIG_ZONES_MAX),
     .parse = sp_config_parse_path},
    {.name = "max_inflight",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, dns.options.max_inflight),
     RANGE(1, 1000000)},
};

static const sp_config_key_t cache_rows[] = {
    {.name = "enabled", .kind = SP_KEY_BOOL, FIELD(sp_config_t, cache.enabled)},
    {.name = "max_bytes",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, cache.max_bytes),
     RANGE(4096, CACHE_OCTETS_MAX)},
    {.name = "min_ttl_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, cache.min_ttl_s),
     RANGE(0, SECONDS_PER_DAY)},
    {.name = "max_ttl_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, cache.max_ttl_s),
     RANGE(0, INT32_MAX)},
    {.name = "negative_ttl_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, cache.negative_ttl_s),
     RANGE(0, SECONDS_PER_DAY)},
    {.name = "failure_ttl_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, cache.failure_ttl_s),
     RANGE(0, 300)},
    {.name = "stale_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, cache.stale_s),
     RANGE(0, INT64_C(30) * SECONDS_PER_DAY)},
    {.name = "prefetch", .kind = SP_KEY_BOOL, FIELD(sp_config_t, cache.prefetch)},
};

static const sp_config_key_t fallback_rows[] = {
    {.name = "www", .kind = SP_KEY_BOOL, FIELD(sp_config_t, policy.fallback_www)},
    {.name = "redirect",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, policy.fallback_redirect),
     .parse = sp_config_parse_url},
    {.name = "code",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, policy.fallback_code),
     WORDS(code_words)},
};

static const sp_config_key_t eab_rows[] = {
    {.name = "kid",
     .kind = SP_KEY_TEXT,
     .required = true,
     FIELD(sp_config_t, acme.eab_kid),
     .parse = sp_config_parse_token},
    {.name = "hmac_key",
     .kind = SP_KEY_TEXT,
     .required = true,
     .secret = true,
     FIELD(sp_config_t, acme.eab_hmac_key),
     .parse = sp_config_parse_base64url},
};

static const sp_config_keys_t eab_keys = {eab_rows, SP_COUNT(eab_rows), NULL};

static const sp_config_key_t acme_rows[] = {
    {.name = "storage",
     .kind = SP_KEY_TEXT,
     .required = true,
     FIELD(sp_config_t, acme.storage),
     .parse = sp_config_parse_path},
    {.name = "directory",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, acme.directory),
     .parse = sp_config_parse_https_url},
    {.name = "email",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, acme.email),
     .parse = sp_config_parse_email},
    {.name = "ca_file",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, acme.ca_file),
     .parse = sp_config_parse_path},
    {.name = "challenge",
     .kind = SP_KEY_WORD,
     FIELD(sp_config_t, acme.challenge),
     WORDS(challenge_words)},
    {.name = "eab", .kind = SP_KEY_SECTION, .optional = true, .keys = &eab_keys},
    {.name = "per_domain_per_week",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, acme.per_domain_per_week),
     RANGE(0, 100000)},
    {.name = "per_hour",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, acme.per_hour),
     RANGE(0, 100000)},
    {.name = "caa_identities",
     .kind = SP_KEY_LIST,
     LIST(acme.caa_identities, acme.caa_identity_count, 0, SP_ACME_CAA_IDENTITIES_MAX),
     .parse = sp_config_parse_host},
};

static const sp_config_keys_t acme_keys = {acme_rows, SP_COUNT(acme_rows), NULL};

static const sp_config_key_t tls_rows[] = {
    {.name = "acme", .kind = SP_KEY_SECTION, .optional = true, .keys = &acme_keys},
    {.name = "certificates",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, tls_certificates),
     .parse = sp_config_parse_path},
    {.name = "default",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, tls_default),
     .parse = sp_config_parse_certificate},
};

static const sp_config_key_t limits_rows[] = {
    {.name = "lookups_per_request",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, policy.max_lookups),
     RANGE(1, 1000)},
    {.name = "connections",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, limits.connections),
     RANGE(0, 10000000)},
    {.name = "misses_per_client_per_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, limits.misses_per_client_per_s),
     RANGE(0, 1000000)},
};

static const sp_config_key_t drain_rows[] = {
    {.name = "delay_s", .kind = SP_KEY_INTEGER, FIELD(sp_config_t, drain.delay_s), RANGE(0, 3600)},
    {.name = "timeout_s",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, drain.timeout_s),
     RANGE(1, 3600)},
};

static const sp_config_key_t log_rows[] = {
    {.name = "level", .kind = SP_KEY_WORD, FIELD(sp_config_t, log.level), WORDS(level_words)},
    {.name = "access", .kind = SP_KEY_WORD, FIELD(sp_config_t, log.access), WORDS(access_words)},
    {.name = "format", .kind = SP_KEY_WORD, FIELD(sp_config_t, log.format), WORDS(format_words)},
};

static const sp_config_key_t qr_rows[] = {
    {.name = "enabled", .kind = SP_KEY_BOOL, FIELD(sp_config_t, policy.qr.enabled)},
    {.name = "size", .kind = SP_KEY_INTEGER, FIELD(sp_config_t, policy.qr.size), RANGE(32, 2048)},
    {.name = "background",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, policy.qr.background),
     .parse = sp_config_parse_colour},
    {.name = "foreground",
     .kind = SP_KEY_TEXT,
     FIELD(sp_config_t, policy.qr.foreground),
     .parse = sp_config_parse_colour},
    {.name = "recovery_level",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, policy.qr.recovery_level),
     RANGE(0, 3)},
};

static const sp_config_keys_t listen_keys = {listen_rows, SP_COUNT(listen_rows), &listen_default};
static const sp_config_keys_t admin_keys = {admin_rows, SP_COUNT(admin_rows), NULL};
static const sp_config_keys_t dns_keys = {dns_rows, SP_COUNT(dns_rows), NULL};
static const sp_config_keys_t cache_keys = {cache_rows, SP_COUNT(cache_rows), NULL};
static const sp_config_keys_t fallback_keys = {fallback_rows, SP_COUNT(fallback_rows), NULL};
static const sp_config_keys_t tls_keys = {tls_rows, SP_COUNT(tls_rows), NULL};
static const sp_config_keys_t limits_keys = {limits_rows, SP_COUNT(limits_rows), NULL};
static const sp_config_keys_t drain_keys = {drain_rows, SP_COUNT(drain_rows), NULL};
static const sp_config_keys_t log_keys = {log_rows, SP_COUNT(log_rows), NULL};
static const sp_config_keys_t qr_keys = {qr_rows, SP_COUNT(qr_rows), NULL};

static const sp_config_key_t root_rows[] = {
    {.name = "listen",
     .kind = SP_KEY_SECTIONS,
     LIST(listen, listen_count, 1, SP_CONFIG_LISTEN_MAX),
     .keys = &listen_keys},
    {.name = "admin", .kind = SP_KEY_SECTION, .keys = &admin_keys},
    {.name = "threads",
     .kind = SP_KEY_INTEGER,
     FIELD(sp_config_t, threads),
     RANGE(0, SP_CONFIG_THREADS_MAX)},
    {.name = "dns", .kind = SP_KEY_SECTION, .keys = &dns_keys},
    {.name = "cache", .kind = SP_KEY_SECTION, .keys = &cache_keys},
    {.name = "types",
     .kind = SP_KEY_WORDS,
     FIELD(sp_config_t, policy.types),
     RANGE(0, SP_TYPE_COUNT),
     WORDS(type_words)},
    {.name = "dialects",
     .kind = SP_KEY_WORDS,
     FIELD(sp_config_t, dialects),
     .min = 1,
     WORDS(dialect_words)},
    {.name = "fallback", .kind = SP_KEY_SECTION, .keys = &fallback_keys},
    {.name = "tls", .kind = SP_KEY_SECTION, .keys = &tls_keys},
    {.name = "trusted_proxies",
     .kind = SP_KEY_LIST,
     LIST(trusted_proxies, trusted_proxy_count, 0, SP_CONFIG_NETWORKS_MAX),
     .parse = sp_config_parse_network},
    {.name = "limits", .kind = SP_KEY_SECTION, .keys = &limits_keys},
    {.name = "drain", .kind = SP_KEY_SECTION, .keys = &drain_keys},
    {.name = "log", .kind = SP_KEY_SECTION, .keys = &log_keys},
    {.name = "qr", .kind = SP_KEY_SECTION, .keys = &qr_keys},
};

const sp_config_keys_t sp_config_root = {root_rows, SP_COUNT(root_rows), NULL};
