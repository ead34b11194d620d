/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/lookup.h"

#include "dns/cache.h"
#include "dns/zone_client.h"
#include "lookup_fixture.h"
#include "support/scripted_dns.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TXT 16

static const sp_scripted_line_t held_a[] = {
    {.name = "a.example", .action = SP_SCRIPTED_HOLD, .answers = {{"a.example", TXT, 60, "to=/a"}}},
    {.name = "b.example", .answers = {{"b.example", TXT, 60, "to=/b"}}},
    {.name = "zero.example", .answers = {{"zero.example", TXT, 0, "to=/zero"}}}};

static sp_cache_t *make_cache(void)
{
    sp_cache_options_t options = {.enabled = true,
                                  .max_bytes = 1 << 20,
                                  .max_ttl_s = 86400,
                                  .negative_ttl_s = 60,
                                  .failure_ttl_s = 5};
    sp_cache_t *cache = NULL;

    cr_assert_eq(sp_cache_create(&options, &cache), SP_OK);
    return cache;
}

static sp_zones_t *load_zone(const char *text)
{
    char path[] = "/tmp/signpost-zone-XXXXXX";
    const char *paths[] = {path};
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    sp_zones_t *zones = NULL;
    sp_error_t err;
    sp_status_t status;

    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
    status = sp_zones_load(paths, 1, NULL, NULL, &zones, &err);
    cr_expect_eq(unlink(path), 0);
    cr_assert_eq(status, SP_OK, "%s", err.message);
    return zones;
}

static void open_at(fixture_t *fixture, const sp_scripted_dns_t *server)
{
    fixture_add_resolver(fixture, sp_scripted_address(server));
    fixture_open(fixture);
}

Test(lookup, shares_one_query_among_equal_questions)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t asked[3] = {{0}};
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.options.try_ms = 5000;
    open_at(&fixture, server);
    for (int i = 0; i != 3; ++i) {
        ask(&fixture, "a.example", 5000, &asked[i]);
    }
    cr_expect_eq(fixture.stats.inflight, 1);
    while (sp_scripted_udp_count(server) == 0) {
        turn(&fixture);
    }
    sp_scripted_release(server);
    for (int i = 0; i != 3; ++i) {
        await(&asked[i]);
        cr_expect(is_text(asked[i].answer, "to=/a"));
        cr_expect_eq(asked[i].source, i == 0 ? SP_SOURCE_MISS : SP_SOURCE_COALESCED);
        cr_expect_eq(asked[i].calls, 1);
        release(&asked[i]);
    }
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    cr_expect_eq(fixture.stats.lookups[SP_SOURCE_COALESCED], 2);
    cr_expect_eq(fixture.stats.inflight, 0);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(lookup, answers_from_the_cache_at_once)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t asked;
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.cache = make_cache();
    open_at(&fixture, server);
    for (int i = 0; i != 2; ++i) {
        ask_and_await(&fixture, "b.example", &asked);
        cr_expect(is_text(asked.answer, "to=/b"));
        cr_expect_eq(asked.at_once, i == 1);
        cr_expect_eq(asked.source, i == 0 ? SP_SOURCE_MISS : SP_SOURCE_HIT);
        release(&asked);
    }
    cr_expect_eq(sp_scripted_udp_count(server), 1);
    fixture_close(&fixture);
    sp_cache_destroy(fixture.cache);
    sp_scripted_stop(server);
}

Test(lookup, asks_again_for_what_may_not_be_cached)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t asked;
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.cache = make_cache();
    open_at(&fixture, server);
    for (int i = 0; i != 2; ++i) {
        ask_and_await(&fixture, "zero.example", &asked);
        cr_expect(is_text(asked.answer, "to=/zero"));
        release(&asked);
    }
    cr_expect_eq(sp_scripted_udp_count(server), 2);
    fixture_close(&fixture);
    sp_cache_destroy(fixture.cache);
    sp_scripted_stop(server);
}

Test(lookup, gives_up_at_the_deadline_but_caches_the_late_answer)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t asked = {0};
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.options.try_ms = 5000;
    fixture.cache = make_cache();
    open_at(&fixture, server);
    ask(&fixture, "a.example", 30, &asked);
    await(&asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_TIMEOUT));
    release(&asked);
    cr_expect_eq(fixture.stats.inflight, 1);
    sp_scripted_release(server);
    while (fixture.stats.inflight != 0) {
        turn(&fixture);
    }
    ask_and_await(&fixture, "a.example", &asked);
    cr_expect(is_text(asked.answer, "to=/a"));
    cr_expect_eq(asked.source, SP_SOURCE_HIT);
    release(&asked);
    fixture_close(&fixture);
    sp_cache_destroy(fixture.cache);
    sp_scripted_stop(server);
}

Test(lookup, never_calls_back_after_cancel)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t cancelled = {0};
    asked_t other = {0};
    fixture_t fixture;

    fixture_init(&fixture);
    open_at(&fixture, server);
    ask(&fixture, "b.example", 5000, &cancelled);
    ask(&fixture, "b.example", 5000, &other);
    sp_lookup_cancel(cancelled.lookup);
    await(&other);
    cr_expect(is_text(other.answer, "to=/b"));
    cr_expect_eq(cancelled.calls, 0);
    release(&other);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

static void cancel_sibling_and_ask_anew(asked_t *asked)
{
    asked_t *others = asked->arg;

    sp_lookup_cancel(others[0].lookup);
    ask(asked->fixture, "b.example", 5000, &others[1]);
}

Test(lookup, lets_a_callback_cancel_siblings_and_ask_anew)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t others[2] = {{0}};
    asked_t first = {.then = cancel_sibling_and_ask_anew, .arg = others};
    fixture_t fixture;

    fixture_init(&fixture);
    open_at(&fixture, server);
    ask(&fixture, "b.example", 5000, &first);
    ask(&fixture, "b.example", 5000, &others[0]);
    await(&first);
    await(&others[1]);
    cr_expect_eq(others[0].calls, 0);
    cr_expect_eq(others[1].source, SP_SOURCE_MISS);
    release(&first);
    release(&others[1]);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

static void end_the_service(asked_t *asked)
{
    sp_lookups_destroy(asked->fixture->lookups);
    asked->fixture->lookups = NULL;
}

Test(lookup, lets_a_callback_end_the_service)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t first = {.then = end_the_service};
    asked_t second = {0};
    asked_t third = {0};
    fixture_t fixture;

    fixture_init(&fixture);
    open_at(&fixture, server);
    ask(&fixture, "b.example", 5000, &first);
    ask(&fixture, "b.example", 5000, &second);
    ask(&fixture, "a.example", 5000, &third);
    await(&first);
    cr_expect_eq(second.calls, 0);
    cr_expect_eq(third.calls, 0);
    release(&first);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(lookup, forgets_what_waits_when_it_is_destroyed)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t asked[2] = {{0}};
    fixture_t fixture;

    fixture_init(&fixture);
    open_at(&fixture, server);
    ask(&fixture, "a.example", 5000, &asked[0]);
    ask(&fixture, "b.example", 5000, &asked[1]);
    fixture_close(&fixture);
    cr_expect_eq(asked[0].calls + asked[1].calls, 0);
    sp_scripted_stop(server);
}

Test(lookup, bounds_what_is_in_flight)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    asked_t asked[3] = {{0}};
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.options.max_inflight = 2;
    open_at(&fixture, server);
    ask(&fixture, "a.example", 5000, &asked[0]);
    ask(&fixture, "a2.example", 5000, &asked[1]);
    ask(&fixture, "a3.example", 5000, &asked[2]);
    cr_expect_not(asked[1].at_once);
    cr_expect(asked[2].at_once);
    cr_expect(is_failure(asked[2].answer, SP_FAILURE_OVERLOAD));
    cr_expect_eq(fixture.stats.overloads, 1);
    release(&asked[2]);
    fixture_close(&fixture);
    sp_scripted_stop(server);
}

Test(lookup, says_that_there_is_no_resolver)
{
    asked_t asked;
    fixture_t fixture;

    fixture_init(&fixture);
    fixture_open(&fixture);
    ask_and_await(&fixture, "a.example", &asked);
    cr_expect(asked.at_once);
    cr_expect(is_failure(asked.answer, SP_FAILURE_NO_RESOLVER));
    release(&asked);
    fixture_close(&fixture);
}

Test(lookup, answers_from_zones_alone)
{
    sp_zones_t *zones = load_zone("_redirect.example.com. 77 TXT \"to=/zone\"\n"
                                  "_redirect.out.example.com. CNAME b.example.\n");
    asked_t asked;
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.zones = zones;
    fixture_open(&fixture);
    ask_and_await(&fixture, "_redirect.example.com", &asked);
    cr_expect(is_text(asked.answer, "to=/zone"));
    cr_expect_eq(asked.source, SP_SOURCE_ZONE);
    cr_expect_eq(asked.ttl_s, 77);
    release(&asked);
    ask_and_await(&fixture, "_redirect.example.net", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NXDOMAIN);
    release(&asked);
    ask_and_await(&fixture, "_redirect.out.example.com", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NODATA);
    cr_expect(sp_str_eq(asked.answer->canonical, SP_STR("b.example")));
    release(&asked);
    fixture_close(&fixture);
    sp_zones_destroy(zones);
}

Test(lookup, asks_the_resolver_for_what_the_zones_do_not_hold)
{
    sp_scripted_dns_t *server = sp_scripted_start(held_a, 3);
    sp_zones_t *zones = load_zone("_redirect.example.com. 77 TXT \"to=/zone\"\n"
                                  "_redirect.out.example.com. 7 CNAME b.example.\n");
    asked_t asked;
    fixture_t fixture;

    fixture_init(&fixture);
    fixture.zones = zones;
    open_at(&fixture, server);
    ask_and_await(&fixture, "b.example", &asked);
    cr_expect(is_text(asked.answer, "to=/b"));
    release(&asked);
    ask_and_await(&fixture, "_redirect.out.example.com", &asked);
    cr_expect(is_text(asked.answer, "to=/b"));
    cr_expect_eq(asked.ttl_s, 7);
    release(&asked);
    ask_and_await(&fixture, "_redirect.absent.example.com", &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NXDOMAIN);
    cr_expect_eq(asked.source, SP_SOURCE_ZONE);
    release(&asked);
    cr_expect_eq(sp_scripted_udp_count(server), 2);
    fixture_close(&fixture);
    sp_zones_destroy(zones);
    sp_scripted_stop(server);
}
