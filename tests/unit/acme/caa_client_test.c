/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_client.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dns/stats.h"
#include "dns/zone_client.h"
#include "support/scripted_dns.h"

#define TYPE_CAA 257
#define TYPE_CNAME 5
#define RCODE_SERVFAIL 2
#define RCODE_NXDOMAIN 3
#define ISSUE "\x01\x05issueca.example.net" /* an undefined flag, since 0 ends a text */

typedef struct asked {
    unsigned calls;
    char failure[64];
    char owner[64];
    size_t count;
} asked_t;

static h2o_loop_t *loop;
static sp_caa_client_t *client;
static sp_scripted_dns_t *server;
static sp_dns_options_t options;
static sp_dns_stats_t stats;

static void on_found(void *arg, const sp_caa_found_t *found)
{
    asked_t *asked = arg;

    ++asked->calls;
    (void)snprintf(asked->failure, sizeof(asked->failure), "%s",
                   found->failure == NULL ? "" : found->failure);
    (void)snprintf(asked->owner, sizeof(asked->owner), "%.*s", (int)found->owner.len,
                   found->owner.ptr);
    asked->count = found->count;
}

static void open_client(const sp_scripted_line_t *lines, size_t count, const sp_zones_t *zones)
{
    options = (sp_dns_options_t){.try_ms = 100, .tries = 2, .max_inflight = 100, .stats = &stats};
    stats = (sp_dns_stats_t){.hedges = 0};
    loop = h2o_evloop_create();
    if (lines != NULL) {
        server = sp_scripted_start(lines, count);
        options.resolvers[options.resolver_count++] = sp_scripted_address(server);
    }
    cr_assert_eq(sp_caa_client_create(loop, &options, zones, &client, NULL), SP_OK);
}

static void close_client(void)
{
    sp_caa_client_destroy(client);
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    sp_scripted_stop(server);
}

static asked_t ask_within(const char *name, unsigned ms)
{
    asked_t asked = {.calls = 0};
    sp_caa_lookup_t *lookup = NULL;
    uint64_t end_ms = sp_now_ms() + 10000;

    cr_assert_eq(
        sp_caa_lookup_start(client, sp_str_from(name), sp_now_ms() + ms, on_found, &asked, &lookup),
        SP_OK);
    cr_expect_eq(asked.calls, 0, "never from inside of the start");
    while (asked.calls == 0 && sp_now_ms() < end_ms) {
        (void)h2o_evloop_run(loop, 20);
    }
    cr_assert_eq(asked.calls, 1);
    return asked;
}

static asked_t ask(const char *name)
{
    return ask_within(name, 5000);
}

Test(caa_client, climbs_to_the_first_records)
{
    static const sp_scripted_line_t lines[] = {
        {.name = "a.b.example.com", .rcode = RCODE_NXDOMAIN},
        {.name = "b.example.com"},
        {.name = "example.com", .answers = {{"example.com", TYPE_CAA, 60, ISSUE}}},
    };
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask("a.b.example.com");
    cr_expect_str_eq(asked.failure, "");
    cr_expect_str_eq(asked.owner, "example.com");
    cr_expect_eq(asked.count, 1);
    close_client();
}

Test(caa_client, finds_none_up_to_the_root)
{
    static const sp_scripted_line_t lines[] = {{.rcode = RCODE_NXDOMAIN}};
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask("a.example.com");
    cr_expect_str_eq(asked.failure, "");
    cr_expect_eq(asked.count, 0);
    cr_expect_eq(sp_scripted_udp_count(server), 3); /* the root itself is not asked */
    close_client();
}

Test(caa_client, climbs_from_the_name_and_not_from_its_alias)
{
    static const sp_scripted_line_t lines[] = {
        {.name = "a.example.com", .answers = {{"a.example.com", TYPE_CNAME, 60, "b.example.net"}}},
        {.name = "b.example.net", .rcode = RCODE_NXDOMAIN},
        {.name = "example.net", .answers = {{"example.net", TYPE_CAA, 60, ISSUE}}},
        {.rcode = RCODE_NXDOMAIN},
    };
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask("a.example.com");
    cr_expect_str_eq(asked.failure, "");
    cr_expect_eq(asked.count, 0);
    close_client();
}

Test(caa_client, tells_what_the_resolver_says)
{
    static const sp_scripted_line_t lines[] = {
        {.name = "a.example.com", .rcode = RCODE_NXDOMAIN},
        {.name = "example.com", .rcode = RCODE_SERVFAIL},
    };
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask("a.example.com");
    cr_expect_str_eq(asked.failure, "SERVFAIL");
    cr_expect_str_eq(asked.owner, "example.com");
    cr_expect_eq(sp_scripted_udp_count(server), 3); /* one, and two tries */
    close_client();
}

Test(caa_client, tries_again_when_a_reply_is_lost)
{
    static const sp_scripted_line_t lines[] = {
        {.name = "example.com", .action = SP_SCRIPTED_DROP},
        {.name = "example.com", .answers = {{"example.com", TYPE_CAA, 60, ISSUE}}},
    };

    open_client(lines, SP_COUNT(lines), NULL);
    cr_expect_eq(ask("example.com").count, 1);
    cr_expect_eq(stats.queries[0][SP_DNS_TIMEOUT], 1);
    cr_expect_eq(stats.queries[0][SP_DNS_NOERROR], 1);
    close_client();
}

Test(caa_client, gives_up_at_the_deadline)
{
    static const sp_scripted_line_t lines[] = {{.action = SP_SCRIPTED_DROP}};
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask_within("example.com", 50);
    cr_expect_str_eq(asked.failure, "no answer in time");
    close_client();
    cr_expect_eq(stats.queries[0][SP_DNS_CANCELLED], 1);
}

Test(caa_client, asks_over_tcp_what_was_truncated)
{
    static const sp_scripted_line_t lines[] = {
        {.name = "example.com",
         .action = SP_SCRIPTED_TRUNCATE,
         .answers = {{"example.com", TYPE_CAA, 60, ISSUE}}},
        {.name = "example.com",
         .action = SP_SCRIPTED_TRUNCATE,
         .answers = {{"example.com", TYPE_CAA, 60, ISSUE}}},
    };

    open_client(lines, SP_COUNT(lines), NULL);
    cr_expect_eq(ask("example.com").count, 1);
    cr_expect_eq(sp_scripted_tcp_count(server), 1);
    cr_expect_eq(stats.queries[0][SP_DNS_NOERROR], 1);
    cr_expect_eq(stats.queries[1][SP_DNS_NOERROR], 1);
    close_client();
}

Test(caa_client, gives_up_when_replies_are_truncated_over_tcp_as_well)
{
    static const sp_scripted_line_t lines[] = {{.action = SP_SCRIPTED_TRUNCATE_ALWAYS}};
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask("example.com");
    cr_expect_str_eq(asked.failure, "a truncated reply over TCP");
    cr_expect_eq(sp_scripted_udp_count(server), 2); /* each try begins anew */
    cr_expect_eq(sp_scripted_tcp_count(server), 2);
    close_client();
}

Test(caa_client, believes_no_nonsense)
{
    static const sp_scripted_line_t lines[] = {{.action = SP_SCRIPTED_GARBAGE}};
    asked_t asked;

    open_client(lines, SP_COUNT(lines), NULL);
    asked = ask("example.com");
    cr_expect_str_eq(asked.failure, "a malformed reply");
    close_client();
}

static sp_zones_t *load_zone(void)
{
    char path[] = "/tmp/signpost-caa-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    const char *paths[] = {path};
    sp_zones_t *zones = NULL;

    cr_assert_not_null(file);
    cr_assert_geq(fputs("_redirect.a.example.com. 60 IN TXT \"v=txtv0;to=/x\"\n", file), 0);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(sp_zones_load(paths, 1, NULL, NULL, &zones, NULL), SP_OK);
    cr_expect_eq(unlink(path), 0);
    return zones;
}

Test(caa_client, finds_none_in_zone_files)
{
    sp_zones_t *zones = load_zone();

    open_client(NULL, 0, zones);
    cr_expect_str_eq(ask("a.example.com").failure, "");
    cr_expect_eq(ask("a.example.com").count, 0);
    close_client();
    sp_zones_destroy(zones);
}

/* An authority would find them, too. */
Test(caa_client, asks_resolvers_for_what_is_above_a_zone_file)
{
    static const sp_scripted_line_t lines[] = {
        {.name = "example.com", .answers = {{"example.com", TYPE_CAA, 60, ISSUE}}},
    };
    sp_zones_t *zones = load_zone();
    asked_t asked;

    open_client(lines, SP_COUNT(lines), zones);
    asked = ask("b.a.example.com");
    cr_expect_str_eq(asked.failure, "");
    cr_expect_str_eq(asked.owner, "example.com");
    cr_expect_eq(asked.count, 1);
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    close_client();
    sp_zones_destroy(zones);
}

Test(caa_client, forgets_what_is_cancelled_or_left_over)
{
    static const sp_scripted_line_t lines[] = {{.action = SP_SCRIPTED_DROP}};
    asked_t asked = {.calls = 0};
    sp_caa_lookup_t *lookup = NULL;

    open_client(lines, SP_COUNT(lines), NULL);
    for (int i = 0; i != 3; ++i) {
        cr_assert_eq(sp_caa_lookup_start(client, SP_STR("example.com"), sp_now_ms() + 5000,
                                         on_found, &asked, &lookup),
                     SP_OK);
    }
    sp_caa_lookup_cancel(lookup);
    (void)h2o_evloop_run(loop, 0);
    close_client();
    cr_expect_eq(asked.calls, 0);
}
