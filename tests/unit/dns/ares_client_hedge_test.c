/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_client.h"

#include "lookup_fixture.h"
#include "support/scripted_dns.h"
#include <criterion/criterion.h>
#include <stdio.h>

/* What happens when an answer does not come at once, seen through the lookup service, without a
 * cache. A try is longer than any test may take. */

#define NAME "_redirect.example.com"
#define TXT 16
#define HEDGE_MS 20
#define TRY_MS 8000
#define SOON_MS 4000

static const sp_scripted_rr_t plain = {NAME, TXT, 300, "to=https://example.org"};

static void init(fixture_t *fixture, sp_scripted_dns_t *server)
{
    fixture_init(fixture);
    fixture->options.hedge_ms = HEDGE_MS;
    fixture->options.try_ms = TRY_MS;
    fixture_add_resolver(fixture, sp_scripted_address(server));
}

static void ask_soon(fixture_t *fixture, const char *name)
{
    uint64_t began_ms = sp_now_ms();
    asked_t asked;

    ask_and_await(fixture, name, &asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_lt(sp_now_ms() - began_ms, SOON_MS);
    release(&asked);
}

static void expect_hedges(const fixture_t *fixture, unsigned count)
{
    cr_expect_eq(fixture->stats.hedges, count);
}

Test(ares_client_hedge, repeats_an_unanswered_question_over_tcp)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_DROP}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;

    init(&fixture, server);
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    cr_expect_eq(sp_scripted_tcp_count(server), 1);
    expect_hedges(&fixture, 1);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

/* What was sent, and lost, is a time-out though its question was answered long since. */
Test(ares_client_hedge, counts_the_end_of_every_query)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_DROP}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    uint64_t end_ms = sp_now_ms() + 10000;
    fixture_t fixture;

    init(&fixture, server);
    fixture.options.try_ms = 500;
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    cr_expect_eq(count_ended(&fixture), 1);
    while (count_ended(&fixture) != 2) {
        cr_assert_lt(sp_now_ms(), end_ms, "the lost query was never counted");
        turn(&fixture);
    }
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    cr_expect_eq(sp_scripted_tcp_count(server), 1);
    cr_expect_eq(fixture.stats.queries[0][SP_DNS_TIMEOUT], 1);
    cr_expect_eq(fixture.stats.queries[1][SP_DNS_NOERROR], 1);
    fixture_close(&fixture);
    sp_scripted_stop(server);
    cr_expect_eq(count_ended(&fixture), 2);
}

/* As on a reload: the channel goes, and with it the wait for an answer. */
Test(ares_client_hedge, counts_queries_that_the_end_overtakes)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_DROP}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;

    init(&fixture, server);
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    fixture_close(&fixture);
    cr_expect_eq(count_ended(&fixture),
                 sp_scripted_udp_count(server) + sp_scripted_tcp_count(server));
    cr_expect_eq(fixture.stats.queries[0][SP_DNS_CANCELLED], 1);
    cr_expect_eq(fixture.stats.queries[0][SP_DNS_TIMEOUT], 0);
    cr_expect_eq(fixture.stats.queries[1][SP_DNS_NOERROR], 1);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, chooses_the_delay_itself)
{
    const sp_scripted_line_t script[] = {
        {.answers = {plain}}, {.action = SP_SCRIPTED_DROP}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 3);
    fixture_t fixture;

    init(&fixture, server);
    fixture.options.hedge_ms = 0;
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    ask_soon(&fixture, NAME);
    cr_expect_geq(fixture.stats.hedges, 1);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, sends_once_more_when_the_hedge_is_lost)
{
    const sp_scripted_line_t script[] = {
        {.action = SP_SCRIPTED_DROP}, {.action = SP_SCRIPTED_DROP}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 3);
    fixture_t fixture;

    init(&fixture, server);
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    cr_expect_eq(sp_scripted_udp_count(server), 2);
    cr_expect_eq(sp_scripted_tcp_count(server), 1);
    expect_hedges(&fixture, 2);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, takes_the_answer_that_comes_first)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_HOLD, .answers = {plain}},
                                         {.action = SP_SCRIPTED_DROP}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;
    asked_t asked = {0};

    init(&fixture, server);
    fixture_open(&fixture);
    ask(&fixture, NAME, TRY_MS, &asked);
    while (sp_scripted_tcp_count(server) == 0) {
        turn(&fixture);
    }
    sp_scripted_release(server);
    await(&asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    release(&asked);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, repeats_over_udp_where_nobody_listens_on_tcp)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_DROP}, {.answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;

    sp_scripted_refuse_tcp(server);
    init(&fixture, server);
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    cr_expect_eq(sp_scripted_udp_count(server), 2);
    cr_expect_eq(sp_scripted_tcp_count(server), 0);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, outlives_a_connection_that_is_closed_under_it)
{
    const sp_scripted_line_t script[] = {{.name = "a.example", .action = SP_SCRIPTED_DROP},
                                         {.name = "a.example", .answers = {plain}},
                                         {.name = NAME, .action = SP_SCRIPTED_DROP},
                                         {.name = NAME, .answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 4);
    fixture_t fixture;
    asked_t asked;

    init(&fixture, server);
    fixture_open(&fixture);
    ask_and_await(&fixture, "a.example", &asked); /* opens the connection */
    release(&asked);
    sp_scripted_close_tcp(server);
    ask_soon(&fixture, NAME);
    cr_expect_eq(sp_scripted_tcp_count(server), 2);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, does_not_hedge_what_was_truncated_over_udp)
{
    const sp_scripted_line_t script[] = {{.action = SP_SCRIPTED_TRUNCATE},
                                         {.action = SP_SCRIPTED_HOLD, .answers = {plain}}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    fixture_t fixture;
    asked_t asked = {0};
    uint64_t until_ms;

    init(&fixture, server);
    fixture_open(&fixture);
    ask(&fixture, NAME, TRY_MS, &asked);
    until_ms = sp_now_ms() + 6 * HEDGE_MS;
    while (sp_now_ms() < until_ms || sp_scripted_tcp_count(server) == 0) {
        turn(&fixture);
    }
    sp_scripted_release(server);
    await(&asked);
    cr_expect(is_text(asked.answer, "to=https://example.org"));
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    cr_expect_eq(sp_scripted_tcp_count(server), 1);
    release(&asked);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(ares_client_hedge, asks_another_resolver_at_once_when_the_first_is_silent)
{
    const sp_scripted_line_t silent[] = {{.action = SP_SCRIPTED_DROP}};
    const sp_scripted_line_t good[] = {{.answers = {plain}}};
    sp_scripted_dns_t *first = sp_scripted_start(silent, 1);
    sp_scripted_dns_t *second = sp_scripted_start(good, 1);
    fixture_t fixture;

    init(&fixture, first);
    fixture.options.transport = SP_TRANSPORT_UDP;
    fixture_add_resolver(&fixture, sp_scripted_address(second));
    fixture_open(&fixture);
    ask_soon(&fixture, NAME);
    cr_expect_eq(sp_scripted_udp_count(second), 1);
    expect_hedges(&fixture, 1);
    fixture_close(&fixture);
    sp_scripted_stop(first);
    sp_scripted_stop(second);
}

Test(ares_client_hedge, passes_over_a_resolver_that_stays_silent)
{
    const sp_scripted_line_t silent[] = {{.action = SP_SCRIPTED_DROP}};
    const sp_scripted_line_t good[] = {{.answers = {plain}}};
    sp_scripted_dns_t *first = sp_scripted_start(silent, 1);
    sp_scripted_dns_t *second = sp_scripted_start(good, 1);
    unsigned asked_first = 0;
    unsigned passed_over = 0;
    fixture_t fixture;

    init(&fixture, first);
    fixture_add_resolver(&fixture, sp_scripted_address(second));
    fixture_open(&fixture);
    for (int i = 0; i != 60 && passed_over != 10; ++i) {
        unsigned before = sp_scripted_udp_count(first);

        ask_soon(&fixture, NAME);
        asked_first += sp_scripted_udp_count(first) != before ? 1 : 0;
        passed_over += sp_scripted_udp_count(first) == before ? 1 : 0;
    }
    cr_expect_eq(passed_over, 10);
    cr_expect_leq(asked_first, 20);
    fixture_close(&fixture);
    sp_scripted_stop(first);
    sp_scripted_stop(second);
}

Test(ares_client_hedge, passes_over_a_closed_port)
{
    const sp_scripted_line_t good[] = {{.answers = {plain}}};
    sp_scripted_dns_t *second = sp_scripted_start(good, 1);
    uint64_t began_ms = sp_now_ms();
    fixture_t fixture;
    uint64_t probes;

    fixture_init(&fixture);
    fixture.options.try_ms = TRY_MS;
    fixture_add_resolver(&fixture, sp_scripted_closed_address());
    fixture_add_resolver(&fixture, sp_scripted_address(second));
    fixture_open(&fixture);
    for (int i = 0; i != 20; ++i) {
        ask_soon(&fixture, NAME);
    }
    probes = (sp_now_ms() - began_ms) / 500;
    cr_expect_leq(count_ended(&fixture), 21 + probes);
    fixture_close(&fixture);
    sp_scripted_stop(second);
}

/* The failed probe is no try of the question beside which it was sent. */
Test(ares_client_hedge, hedges_also_beside_a_probe_that_fails)
{
    const sp_scripted_line_t script[] = {{.name = "a.example", .answers = {plain}},
                                         {.name = NAME, .action = SP_SCRIPTED_DROP},
                                         {.name = NAME, .answers = {plain}}};
    sp_scripted_dns_t *second = sp_scripted_start(script, 3);
    fixture_t fixture;
    asked_t asked;
    uint64_t probe_ms;

    fixture_init(&fixture);
    fixture.options.hedge_ms = HEDGE_MS;
    fixture.options.try_ms = TRY_MS;
    fixture_add_resolver(&fixture, sp_scripted_closed_address());
    fixture_add_resolver(&fixture, sp_scripted_address(second));
    fixture_open(&fixture);
    ask_and_await(&fixture, "a.example", &asked);
    release(&asked);
    probe_ms = sp_now_ms() + 510;
    while (sp_now_ms() < probe_ms) {
        turn(&fixture);
    }
    ask_soon(&fixture, NAME);
    cr_expect_eq(sp_scripted_tcp_count(second), 1);
    fixture_close(&fixture);
    sp_scripted_stop(second);
}

Test(ares_client_hedge, bounds_what_is_in_flight_for_one_domain)
{
    const sp_scripted_line_t script[] = {{.name = NAME, .answers = {plain}},
                                         {.action = SP_SCRIPTED_DROP}};
    sp_scripted_dns_t *server = sp_scripted_start(script, 2);
    asked_t flood[41] = {{0}};
    unsigned refused = 0;
    fixture_t fixture;

    init(&fixture, server);
    fixture.options.hedge_ms = -1;
    fixture_open(&fixture);
    for (int i = 0; i != 41; ++i) {
        char name[64];

        (void)snprintf(name, sizeof(name), "_redirect.r%d.flooded.example", i);
        ask(&fixture, name, TRY_MS, &flood[i]);
        refused += flood[i].at_once && is_failure(flood[i].answer, SP_FAILURE_OVERLOAD) ? 1 : 0;
        release(&flood[i]);
    }
    cr_expect_eq(refused, 41 - 32);
    ask_soon(&fixture, NAME);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}
