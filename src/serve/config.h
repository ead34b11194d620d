/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_H
#define SIGNPOST_SERVE_CONFIG_H

/* The configuration, read, checked and turned into values: an immutable snapshot that any number of
 * threads may read. Flags beat the environment, which beats the file, which beats the defaults.
 *
 * key                             default            allowed
 * listen[].address                [::]:8080          IPv4:port, [IPv6]:port, unix:/path; up to 64
 * listen[].tls                    false
 * listen[].proxy_protocol         false              true: trusted_proxies must name somebody
 * listen[].https_port             0 (443)            0 … 65535
 * admin.address                   none               as for listen
 * threads                         0 (one per CPU)    0 … 1024
 * dns.resolvers                   [] (resolv.conf)   IPv4[:port], IPv6, [IPv6][:port]; up to 8
 * dns.transport                   auto               auto, udp, tcp
 * dns.timeout_ms                  2000               1 … 60000
 * dns.try_ms                      400                1 … 60000
 * dns.tries                       3                  1 … 10
 * dns.hedge_ms                    0 (chosen)         -1 (never) … 60000
 * dns.zones                       []                 paths from the working directory; up to 1024
 * dns.max_inflight                10000              1 … 1000000
 * cache.enabled                   true
 * cache.max_bytes                 67108864           4096 … 2^40
 * cache.min_ttl_s                 0                  0 … 86400, and at most max_ttl_s
 * cache.max_ttl_s                 86400              0 … 2147483647 (RFC 2181, 8)
 * cache.negative_ttl_s            60                 0 … 86400
 * cache.failure_ttl_s             5                  0 (not kept) … 300 (RFC 9520, 3.2)
 * cache.stale_s                   86400              0 … 2592000
 * cache.prefetch                  true
 * types                           all four           some of host, path, gometa, dockerv2
 * dialects                        ["txtv0"]          txtv0
 * fallback.www                    false
 * fallback.redirect               "" (none)          http or https URL; up to 2048 octets
 * fallback.code                   302                301, 302, 303, 307, 308
 * tls.certificates                /etc/signpost/tls  a path
 * tls.default                     "" (none)          NAME or *.NAME
 * tls.acme.storage                none (off)         a path; required where tls.acme is given
 * tls.acme.directory              Let's Encrypt      https URL; up to 180 octets
 * tls.acme.email                  ""                 an address, or none
 * tls.acme.ca_file                none               a path
 * tls.acme.challenge              http-01            http-01, tls-alpn-01
 * tls.acme.eab.kid, .hmac_key     ""                 printable; base64url. Both or none
 * tls.acme.per_domain_per_week    20                 0 … 100000
 * tls.acme.per_hour               60                 0 … 100000
 * tls.acme.caa_identities         [] (by directory)  host names; up to 8
 * trusted_proxies                 []                 IPv4/length, IPv6/length, unix:; up to 1024
 * limits.lookups_per_request      16                 1 … 1000
 * limits.connections              0 (no limit)       0 … 10000000, of one client at a time
 * limits.misses_per_client_per_s  0 (no limit)       0 … 1000000
 * drain.delay_s                   0                  0 … 3600, and less than timeout_s
 * drain.timeout_s                 30                 1 … 3600
 * log.level                       info               debug, info, warning (or warn), error
 * log.access                      json               json, combined, off
 * log.format                      text               text, json
 * qr.enabled                      false
 * qr.size                         256                32 … 2048 pixels
 * qr.background                   ffffffff           rrggbb or rrggbbaa, with or without #
 * qr.foreground                   000000ff           the same
 * qr.recovery_level               1                  0 … 3: L, M, Q, H
 */

#include <signpost/base/arena.h>
#include <signpost/base/buf.h>
#include <signpost/decide/decision.h>

#include "acme/settings.h"
#include "dns/lookup.h"
#include "serve/address.h"
#include "serve/network.h"

#define SP_CONFIG_FILE_MAX 1048576 /* octets */
#define SP_CONFIG_FAULTS_MAX 100   /* more are not reported */
#define SP_CONFIG_LISTEN_MAX 64
#define SP_CONFIG_ZONES_MAX 1024
#define SP_CONFIG_NETWORKS_MAX 1024
#define SP_CONFIG_THREADS_MAX 1024

typedef enum sp_log_level {
    SP_LOG_ERROR,
    SP_LOG_WARNING,
    SP_LOG_INFO,
    SP_LOG_DEBUG
} sp_log_level_t;

typedef enum sp_access_format {
    SP_ACCESS_OFF,
    SP_ACCESS_JSON,
    SP_ACCESS_COMBINED
} sp_access_format_t;

typedef enum sp_log_format { SP_LOG_TEXT, SP_LOG_JSON } sp_log_format_t;

typedef enum sp_dialect_bit { SP_DIALECT_TXTV0 = 1 } sp_dialect_bit_t;

typedef struct sp_config_listen {
    sp_address_t address;
    bool tls;
    bool proxy_protocol;
    uint16_t https_port; /* 0: the usual one */
} sp_config_listen_t;

typedef struct sp_config_dns {
    sp_dns_options_t options; /* resolver_count 0: take those of /etc/resolv.conf */
    unsigned timeout_ms;      /* for all lookups of a request together */
    const char *const *zones; /* paths */
    size_t zone_count;
} sp_config_dns_t;

typedef struct sp_config_cache {
    bool enabled;
    bool prefetch;
    size_t max_bytes;
    uint32_t min_ttl_s;
    uint32_t max_ttl_s;
    uint32_t negative_ttl_s;
    uint32_t failure_ttl_s;
    uint32_t stale_s;
} sp_config_cache_t;

typedef struct sp_config_limits {
    unsigned connections;             /* 0: no limit */
    unsigned misses_per_client_per_s; /* 0: no limit */
} sp_config_limits_t;

/* From the signal that asks the process to end. */
typedef struct sp_config_drain {
    unsigned delay_s;   /* not ready any more, but still accepting */
    unsigned timeout_s; /* all over, whoever is still there */
} sp_config_drain_t;

typedef struct sp_config_log {
    sp_log_level_t level;
    sp_access_format_t access;
    sp_log_format_t format;
} sp_config_log_t;

/* config_origin.h reads it. */
typedef struct sp_config_origin {
    const char *file;     /* NULL: there is none */
    sp_str_t text;        /* what it holds */
    const size_t *bad_at; /* where values stand that were not taken */
    size_t bad_count;
    bool is_zone_flag; /* the zones are those of --zone */
} sp_config_origin_t;

typedef struct sp_config {
    const sp_config_listen_t *listen; /* at least one */
    size_t listen_count;
    sp_address_t admin; /* SP_ADDRESS_NONE: no admin endpoints */
    unsigned threads;   /* 0: one per CPU that the process may use */
    sp_config_dns_t dns;
    sp_config_cache_t cache;
    unsigned dialects;  /* sp_dialect_bit_t, or-ed */
    sp_policy_t policy; /* types, fallback, limits.lookups_per_request and qr */
    const char *tls_certificates;
    sp_acme_settings_t acme; /* tls.acme; its storage NULL: not given */
    const char *tls_default; /* name of a certificate; empty: none */
    const sp_network_t *trusted_proxies;
    size_t trusted_proxy_count;
    sp_config_limits_t limits;
    sp_config_drain_t drain;
    sp_config_log_t log;
    sp_config_origin_t origin;
    const char *held_storage; /* tls.acme.storage since the start; NULL before the first reload */
    sp_arena_t arena;         /* everything that the above points to */
} sp_config_t;

/* One fault. All of it is valid during the callback only. */
typedef struct sp_config_fault {
    const char *source;  /* the file, the flag ("--listen") or the variable ("SIGNPOST_LISTEN") */
    size_t line;         /* from 1; 0 where the source has no lines */
    size_t column;       /* from 1, in characters */
    const char *message; /* what is wrong, what was expected; printable, one line */
} sp_config_fault_t;

typedef void sp_config_fault_fn(void *arg, const sp_config_fault_t *fault);

/* What the program was told besides the file. Everything is borrowed. A list of flags replaces the
 * list that the environment or the file gives; it is never added to it. */
typedef struct sp_config_flags {
    const char *file;          /* --config; NULL: not given */
    const char *const *listen; /* --listen, in order: address texts */
    size_t listen_count;
    const char *const *resolvers; /* --resolver */
    size_t resolver_count;
    const char *const *zones; /* --zone */
    size_t zone_count;
    const char *threads; /* --threads, its text; NULL: not given */
    bool no_cache;
    /* getenv, or NULL to ask no environment. An empty variable counts as not set. */
    char *(*environment)(const char *name);
} sp_config_flags_t;

/* Everything at once: defaults, file, environment, flags; again at each reload. Each fault found
 * is reported (`on_fault` may be NULL), those of a file in the order of the file. SP_OK,
 * SP_NO_MEMORY, SP_IO when the file can't be read (reported too), or SP_BAD_VALUE. */
sp_status_t sp_config_load(const sp_config_flags_t *flags, sp_config_fault_fn *on_fault, void *arg,
                           sp_config_t **ret_config);

/* The same for whoever goes on looking for faults: a bad configuration is given as well, with what
 * was right in it and defaults for the rest (see sp_config_knows); items of lists may be all zero.
 * It is not fit to serve with. NULL with SP_NO_MEMORY only. */
sp_status_t sp_config_examine(const sp_config_flags_t *flags, sp_config_fault_fn *on_fault,
                              void *arg, sp_config_t **ret_config);
sp_status_t sp_config_examine_file(const char *path, sp_config_fault_fn *on_fault, void *arg,
                                   sp_config_t **ret_config);

/* The parts of sp_config_load. `name` is what faults call the text. */
sp_status_t sp_config_create_default(sp_config_t **ret_config);
sp_status_t sp_config_read_file(const char *path, sp_config_fault_fn *on_fault, void *arg,
                                sp_config_t **ret_config);
sp_status_t sp_config_read_text(sp_str_t text, const char *name, sp_config_fault_fn *on_fault,
                                void *arg, sp_config_t **ret_config);
void sp_config_destroy(sp_config_t *config); /* accepts NULL */

/* Is the peer one whose forwarding headers count? */
bool sp_config_trusts(const sp_config_t *config, const struct sockaddr *peer);

/* A listener that asks for TLS; NULL when none does. */
const sp_config_listen_t *sp_config_tls_listener(const sp_config_t *config);

#endif
