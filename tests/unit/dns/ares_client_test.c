/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_client.h"

#include "lookup_fixture.h"
#include "support/scripted_dns.h"
#include <criterion/criterion.h>
#include <string.h>

/* How the resolvers are asked, seen through the lookup service, without a cache. */

#define NAME "_redirect.example.com"
#define TXT 16
#define CNAME 5
#define SOA 6

static const sp_scripted_rr_t plain = {NAME, TXT, 300, "to=https://example.org"};

/* Asks for NAME at the server, and at `second` where its family is set. */
static void ask_server(const sp_scripted_dns_t *server, const struct sockaddr_storage *second,
                       fixture_t *fixture, asked_t *asked)
{
    fixture_init(fixture);
    fixture_add_resolver(fixture, sp_scripted_address(server));
    if (second != NULL) {
        fixture_add_resolver(fixture, *second);
    }
    fixture_open(fixture);
    ask_and_await(fixture, NAME, asked);
}

static void close_all(fixture_t *fixture, asked_t *asked, sp_scripted_dns_t *server)
{
    release(asked);
    fixture_close(fixture);
    sp_scripted_stop(server);
}

Test(ares_client, gets_a_text_over_udp)
{
    const sp_scripted_line_t script[] = {{.name = NAME, .answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_eq(asked.ttl_s, 300);
    cr_expect_eq(asked.calls, 1);
    cr_expect_eq(asked.source, SP_SOURCE_MISS);
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    cr_expect_eq(sp_scripted_tcp_count(server), 0);
    cr_expect_eq(count_ended(&fixture), 1);
    close_all(&fixture, &asked, server);
}

Test(ares_client, sends_again_after_try_ms)
{
    const sp_scripted_line_t script[] = {{.name = NAME, .action = SP_SCRIPTED_DROP},
                                         {.name = NAME, .answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    uint64_t began_ms = sp_now_ms();
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_geq(sp_now_ms() - began_ms, 60);
    cr_expect_eq(sp_scripted_udp_count(server), 2);
    close_all(&fixture, &asked, server);
}

Test(ares_client, fails_when_every_try_stays_silent)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_DROP}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked = {0};

    fixture_init(&fixture);
    fixture_add_resolver(&fixture, sp_scripted_address(server));
    fixture_open(&fixture);
    ask(&fixture, NAME, 100, &asked); /* three tries take 180 ms: the deadline comes first */
    await(&asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_TIMEOUT));
    while (fixture.stats.inflight != 0) {
        turn(&fixture);
    }
    cr_expect_eq(sp_scripted_udp_count(server), 3);
    cr_expect_eq(asked.calls, 1);
    close_all(&fixture, &asked, server);
}

Test(ares_client, listens_to_an_early_try_until_the_end)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_HOLD, .answers = {plain}},
                                         {.action = SP_SCRIPTED_DROP}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;
    asked_t asked = {0};

    fixture_init(&fixture);
    fixture_add_resolver(&fixture, sp_scripted_address(server));
    fixture_open(&fixture);
    ask(&fixture, NAME, 5000, &asked);
    while (sp_scripted_udp_count(server) != 3) {
        turn(&fixture);
    }
    sp_scripted_release(server);
    await(&asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    close_all(&fixture, &asked, server);
}

Test(ares_client, asks_again_over_tcp_when_truncated)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_TRUNCATE, .answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    cr_expect_eq(sp_scripted_tcp_count(server), 1);
    cr_expect_eq(fixture.stats.queries[1][SP_DNS_NOERROR], 1);
    close_all(&fixture, &asked, server);
}

Test(ares_client, never_uses_tcp_where_it_is_told_udp)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_TRUNCATE, .answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;

    fixture_init(&fixture);
    fixture.options.transport = SP_TRANSPORT_UDP;
    fixture_add_resolver(&fixture, sp_scripted_address(server));
    fixture_open(&fixture);
    ask_and_await(&fixture, NAME, &asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_MALFORMED));
    cr_expect_eq(sp_scripted_tcp_count(server), 0);
    close_all(&fixture, &asked, server);
}

Test(ares_client, uses_tcp_alone_where_it_is_told_tcp_and_outlives_an_idle_close)
{
    const sp_scripted_line_t script[] = {{.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;

    fixture_init(&fixture);
    fixture.options.transport = SP_TRANSPORT_TCP;
    fixture_add_resolver(&fixture, sp_scripted_address(server));
    fixture_open(&fixture);
    for (int i = 0; i != 3; ++i) {
        ask_and_await(&fixture, NAME, &asked);
        cr_expect(is_text(asked.answer, "to=https://example.org"));
        release(&asked);
        sp_scripted_close_tcp(server);
    }
    cr_expect_eq(sp_scripted_udp_count(server), 0);
    cr_expect_eq(sp_scripted_tcp_count(server), 3);
    close_all(&fixture, &asked, server);
}

Test(ares_client, ignores_a_reply_to_something_else)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_WRONG_ID, .answers = {plain}},
                                         {.action = SP_SCRIPTED_WRONG_NAME, .answers = {plain}},
                                         {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 3);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_eq(sp_scripted_udp_count(server), 3);
    close_all(&fixture, &asked, server);
}

static void expect_failure(const sp_scripted_line_t *line, sp_failure_t failure)
{
    sp_scripted_dns_t *server = sp_scripted_start(line, 1);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_failure(asked.answer, failure), "%s", sp_failure_name(asked.answer->failure));
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    close_all(&fixture, &asked, server);
}

Test(ares_client, reports_what_a_lone_resolver_says)
{
    expect_failure(&(sp_scripted_line_t){.rcode = 2}, SP_FAILURE_SERVFAIL);
    expect_failure(&(sp_scripted_line_t){.rcode = 5}, SP_FAILURE_REFUSED);
    expect_failure(&(sp_scripted_line_t){.rcode = 4}, SP_FAILURE_REFUSED);
    expect_failure(&(sp_scripted_line_t){.action = SP_SCRIPTED_GARBAGE}, SP_FAILURE_MALFORMED);
}

static void expect_second_answers(const sp_scripted_line_t *line)
{
    const sp_scripted_line_t good[] = {{.answers = {plain}}};
    sp_scripted_dns_t *first = sp_scripted_start(line, 1);
    sp_scripted_dns_t *second = sp_scripted_start(good, 1);
    struct sockaddr_storage address = sp_scripted_address(second);
    fixture_t fixture;
    asked_t asked;

    ask_server(first, &address, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_eq(sp_scripted_udp_count(first), 1);
    cr_expect_eq(sp_scripted_udp_count(second), 1);
    sp_scripted_stop(second);
    close_all(&fixture, &asked, first);
}

Test(ares_client, tries_the_next_resolver_when_one_fails_or_is_silent)
{
    expect_second_answers(&(sp_scripted_line_t){.rcode = 2});
    expect_second_answers(&(sp_scripted_line_t){.rcode = 5});
    expect_second_answers(&(sp_scripted_line_t){.action = SP_SCRIPTED_GARBAGE});
    expect_second_answers(&(sp_scripted_line_t){.action = SP_SCRIPTED_DROP});
}

Test(ares_client, tells_a_closed_port_quickly)
{
    fixture_t fixture;
    asked_t asked;
    uint64_t began_ms;

    fixture_init(&fixture);
    fixture.options.try_ms = 3000;
    fixture_add_resolver(&fixture, sp_scripted_closed_address());
    fixture_open(&fixture);
    began_ms = sp_now_ms();
    ask_and_await(&fixture, NAME, &asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_CONNECTION));
    cr_expect_lt(sp_now_ms() - began_ms, 2000);
    release(&asked);
    fixture_close(&fixture);
}

Test(ares_client, goes_from_a_closed_port_to_the_next_resolver_at_once)
{
    const sp_scripted_line_t script[] = {{.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;
    uint64_t began_ms;

    fixture_init(&fixture);
    fixture.options.try_ms = 3000;
    fixture_add_resolver(&fixture, sp_scripted_closed_address());
    fixture_add_resolver(&fixture, sp_scripted_address(server));
    fixture_open(&fixture);
    began_ms = sp_now_ms();
    ask_and_await(&fixture, NAME, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_lt(sp_now_ms() - began_ms, 2000);
    close_all(&fixture, &asked, server);
}

Test(ares_client, follows_a_cname_within_the_reply)
{
    const sp_scripted_line_t script[] = {{.answers = {{"b.example", TXT, 200, "to=/b"},
                                                      {NAME, CNAME, 100, "b.example"},
                                                      {"c.example", TXT, 10, "to=/c"}}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=/b"));
    cr_expect_eq(asked.ttl_s, 100);
    cr_expect(sp_str_eq(asked.answer->canonical, SP_STR("b.example")));
    close_all(&fixture, &asked, server);
}

Test(ares_client, asks_on_for_the_target_of_a_cname)
{
    const sp_scripted_line_t script[] = {
        {.name = NAME, .answers = {{NAME, CNAME, 100, "b.example"}}},
        {.name = "b.example", .answers = {{"b.example", CNAME, 50, "c.example"}}},
        {.name = "c.example", .answers = {{"c.example", TXT, 70, "to=/c"}}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 3);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=/c"));
    cr_expect_eq(asked.ttl_s, 50);
    cr_expect(sp_str_eq(asked.answer->canonical, SP_STR("c.example")));
    cr_expect_eq(sp_scripted_udp_count(server), 3);
    close_all(&fixture, &asked, server);
}

Test(ares_client, ends_a_cname_loop_across_replies)
{
    const sp_scripted_line_t script[] = {
        {.name = NAME, .answers = {{NAME, CNAME, 100, "b.example"}}},
        {.name = "b.example", .answers = {{"b.example", CNAME, 50, NAME}}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_SERVFAIL));
    cr_expect_eq(sp_scripted_udp_count(server), 17);
    close_all(&fixture, &asked, server);
}

Test(ares_client, tells_absences_apart_with_the_ttl_of_the_soa)
{
    const sp_scripted_line_t script[] = {
        {.name = NAME, .rcode = 3, .authority = {{"example.com", SOA, 900, "30"}}},
        {.name = "nodata.example.com", .authority = {{"example.com", SOA, 20, "30"}}},
        {.name = "bare.example.com"}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 3);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NXDOMAIN);
    cr_expect_eq(asked.ttl_s, 30);
    release(&asked);
    ask_and_await(&fixture, "nodata.example.com", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NODATA);
    cr_expect_eq(asked.ttl_s, 20);
    release(&asked);
    ask_and_await(&fixture, "bare.example.com", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NODATA);
    cr_expect_eq(asked.ttl_s, 0);
    close_all(&fixture, &asked, server);
}

Test(ares_client, takes_a_name_that_cannot_be_asked_for_as_absent)
{
    const sp_scripted_line_t script[] = {{.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 1);
    fixture_t fixture;
    asked_t asked;

    fixture_init(&fixture);
    fixture_add_resolver(&fixture, sp_scripted_address(server));
    fixture_open(&fixture);
    ask_and_await(&fixture, "a..example.com", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NXDOMAIN);
    cr_expect_not(asked.at_once);
    release(&asked);
    ask_and_await(&fixture, "_redirect.example.onion", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NXDOMAIN);
    cr_expect_eq(sp_scripted_udp_count(server), 0);
    close_all(&fixture, &asked, server);
}

Test(ares_client, asks_without_edns_where_that_is_not_understood)
{
    const sp_scripted_line_t script[] = {{.rcode = 1}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;
    asked_t asked;

    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_eq(sp_scripted_udp_count(server), 2);
    close_all(&fixture, &asked, server);
}

Test(ares_client, gets_a_text_that_fits_no_udp_packet)
{
    static char text[4001];
    sp_scripted_line_t script[] = {
        {.action = SP_SCRIPTED_TRUNCATE, .answers = {{NAME, TXT, 300, text}}}};
    sp_scripted_dns_t *server;
    fixture_t fixture;
    asked_t asked;

    memset(text, 'x', sizeof(text) - 1);
    server = sp_scripted_start(script, 1);
    ask_server(server, NULL, &fixture, &asked);
    cr_expect(is_text(asked.answer, text));
    close_all(&fixture, &asked, server);
}
