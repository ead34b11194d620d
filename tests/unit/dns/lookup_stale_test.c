/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/lookup.h"

#include "dns/cache.h"
#include "lookup_fixture.h"
#include "support/scripted_dns.h"
#include <criterion/criterion.h>

/* Answers whose TTL has run out, or soon will. */

#define NAME "a.example"
#define TXT 16
#define SOA 6

static const sp_scripted_line_t fresh = {.answers = {{NAME, TXT, 60, "to=/new"}}};
static const sp_scripted_line_t held = {.action = SP_SCRIPTED_HOLD,
                                        .answers = {{NAME, TXT, 60, "to=/new"}}};

typedef struct world {
    sp_scripted_dns_t *server;
    fixture_t fixture;
} world_t;

static void open_world(world_t *world, const sp_scripted_line_t *line, uint32_t stale_s)
{
    sp_cache_options_t options = {.enabled = true,
                                  .max_bytes = 1 << 20,
                                  .max_ttl_s = 86400,
                                  .negative_ttl_s = 60,
                                  .failure_ttl_s = 5,
                                  .stale_s = stale_s,
                                  .prefetch = true};

    world->server = sp_scripted_start(line, 1);
    fixture_init(&world->fixture);
    cr_assert_eq(sp_cache_create(&options, &world->fixture.cache), SP_OK);
    fixture_add_resolver(&world->fixture, sp_scripted_address(world->server));
    fixture_open(&world->fixture);
}

static void close_world(world_t *world)
{
    fixture_close(&world->fixture);
    sp_cache_destroy(world->fixture.cache);
    sp_scripted_stop(world->server);
}

/* Puts an answer into the cache as if it had come so long ago. */
static void store(world_t *world, uint32_t ttl_s, uint64_t age_ms)
{
    sp_str_t text = SP_STR("to=/old");
    sp_answer_parts_t parts = {
        .kind = SP_ANSWER_TXT, .ttl_s = ttl_s, .texts = &text, .text_count = 1};
    const sp_answer_t *answer;

    cr_assert_eq(sp_answer_create(&parts, &answer), SP_OK);
    sp_cache_store(world->fixture.cache, SP_STR(NAME), answer, sp_now_ms() - age_ms);
    sp_answer_release(answer);
}

static void expect_stale(asked_t *asked, bool at_once)
{
    cr_expect(is_text(asked->answer, "to=/old"));
    cr_expect_eq(asked->source, SP_SOURCE_STALE);
    cr_expect_eq(asked->ttl_s, 0);
    cr_expect_eq(asked->at_once, at_once);
    release(asked);
}

static void await_landing(world_t *world)
{
    uint64_t end_ms = sp_now_ms() + 10000;

    while (world->fixture.stats.inflight != 0) {
        cr_assert_lt(sp_now_ms(), end_ms);
        turn(&world->fixture);
    }
}

Test(lookup_stale, is_not_used_when_the_resolver_answers)
{
    world_t world;
    asked_t asked;

    open_world(&world, &fresh, 3600);
    store(&world, 60, 61000);
    ask_and_await(&world.fixture, NAME, &asked);
    cr_expect(is_text(asked.answer, "to=/new"));
    cr_expect_eq(asked.source, SP_SOURCE_MISS);
    cr_expect_eq(world.fixture.stats.lookups[SP_SOURCE_STALE], 0);
    release(&asked);
    close_world(&world);
}

Test(lookup_stale, gives_way_to_an_absence)
{
    const sp_scripted_line_t absent = {.rcode = 3, .authority = {{"example", SOA, 900, "30"}}};
    world_t world;
    asked_t asked;

    open_world(&world, &absent, 3600);
    store(&world, 60, 61000);
    ask_and_await(&world.fixture, NAME, &asked);
    cr_expect_eq(asked.answer->kind, SP_ANSWER_NXDOMAIN);
    release(&asked);
    close_world(&world);
}

Test(lookup_stale, is_used_when_the_resolver_fails_and_asked_again_only_later)
{
    const sp_scripted_line_t failing = {.rcode = 2};
    world_t world;
    asked_t asked;

    open_world(&world, &failing, 3600);
    store(&world, 60, 61000);
    ask_and_await(&world.fixture, NAME, &asked);
    expect_stale(&asked, false);
    ask_and_await(&world.fixture, NAME, &asked);
    expect_stale(&asked, true);
    cr_expect_eq(sp_scripted_udp_count(world.server), 1);
    cr_expect_eq(world.fixture.stats.lookups[SP_SOURCE_STALE], 2);
    close_world(&world);
}

Test(lookup_stale, is_not_used_beyond_its_time)
{
    const sp_scripted_line_t failing = {.rcode = 2};
    world_t world;
    asked_t asked;

    open_world(&world, &failing, 10);
    store(&world, 60, 70001);
    ask_and_await(&world.fixture, NAME, &asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_SERVFAIL));
    release(&asked);
    close_world(&world);
}

Test(lookup_stale, is_used_when_the_answer_is_late_which_is_cached_all_the_same)
{
    uint64_t began_ms = sp_now_ms();
    world_t world;
    asked_t asked;

    open_world(&world, &held, 3600);
    store(&world, 60, 61000);
    ask_and_await(&world.fixture, NAME, &asked);
    expect_stale(&asked, false);
    cr_expect_lt(sp_now_ms() - began_ms, 4000); /* the deadline is later */
    ask_and_await(&world.fixture, NAME, &asked);
    expect_stale(&asked, true); /* the question has been out for long enough */
    sp_scripted_release(world.server);
    await_landing(&world);
    ask_and_await(&world.fixture, NAME, &asked);
    cr_expect(is_text(asked.answer, "to=/new"));
    cr_expect_eq(asked.source, SP_SOURCE_HIT);
    release(&asked);
    close_world(&world);
}

Test(lookup_stale, is_used_at_the_deadline)
{
    world_t world;
    asked_t asked = {0};

    open_world(&world, &held, 3600);
    store(&world, 60, 61000);
    ask(&world.fixture, NAME, 10, &asked);
    await(&asked);
    expect_stale(&asked, false);
    close_world(&world);
}

Test(lookup_stale, is_used_when_there_is_no_room_to_ask)
{
    world_t world;
    asked_t other = {0};
    asked_t asked;

    open_world(&world, &held, 3600);
    fixture_close(&world.fixture);
    world.fixture.options.max_inflight = 1;
    fixture_open(&world.fixture);
    store(&world, 60, 61000);
    ask(&world.fixture, "b.example", 5000, &other);
    ask_and_await(&world.fixture, NAME, &asked);
    expect_stale(&asked, true);
    cr_expect_eq(world.fixture.stats.overloads, 1);
    close_world(&world);
}

Test(lookup_stale, is_used_at_once_while_every_resolver_is_down)
{
    world_t world;
    asked_t asked;

    open_world(&world, &fresh, 3600);
    fixture_close(&world.fixture);
    world.fixture.options.resolvers[0] = sp_scripted_closed_address();
    fixture_open(&world.fixture);
    ask_and_await(&world.fixture, "b.example", &asked);
    cr_expect(is_failure(asked.answer, SP_FAILURE_CONNECTION));
    release(&asked);
    store(&world, 60, 61000);
    ask_and_await(&world.fixture, NAME, &asked);
    expect_stale(&asked, true);
    cr_expect_eq(world.fixture.stats.inflight, 1); /* in the background */
    close_world(&world);
}

Test(lookup_stale, is_avoided_by_asking_ahead_for_what_is_popular)
{
    world_t world;
    asked_t asked;

    open_world(&world, &fresh, 3600);
    store(&world, 60, 55000);
    for (int i = 0; i != 4; ++i) {
        ask_and_await(&world.fixture, NAME, &asked);
        cr_expect(is_text(asked.answer, "to=/old"));
        cr_expect_eq(asked.source, SP_SOURCE_HIT);
        release(&asked);
    }
    cr_expect_eq(world.fixture.stats.inflight, 1); /* in the background */
    await_landing(&world);
    ask_and_await(&world.fixture, NAME, &asked);
    cr_expect(is_text(asked.answer, "to=/new"));
    cr_expect_eq(asked.source, SP_SOURCE_HIT);
    cr_expect_eq(sp_scripted_udp_count(world.server), 1);
    release(&asked);
    close_world(&world);
}
