/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "unit/decide/world.h"

static world_t world;

static void start(void)
{
    world_init(&world);
}

static void finish(void)
{
    world_clear(&world);
}

TestSuite(decision, .init = start, .fini = finish);

Test(decision, policy_has_the_documented_defaults)
{
    sp_policy_t policy;

    sp_policy_init(&policy);
    cr_expect_eq(policy.types, (1U << SP_TYPE_COUNT) - 1);
    cr_expect_not(policy.fallback_www);
    cr_expect_eq(policy.fallback_redirect.len, 0);
    cr_expect_eq(policy.fallback_code, 302);
    cr_expect_eq(policy.max_lookups, 16);
    cr_expect_not(policy.qr.enabled);
}

Test(decision, asks_one_name_at_a_time_in_order)
{
    world_ask(&world, "a.b.example", "/");
    cr_expect_str_eq(world_asked(&world),
                     "_redirect.a.b.example _redirect._.a.b.example _redirect._.b.example");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
}

Test(decision, ends_with_the_first_record)
{
    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    world_add(&world, "_redirect._.example", "to=https://y.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    EXPECT_STR(world.outcome->record, "_redirect._.a.example");
    cr_expect_eq(world.asked_count, 2);
    cr_expect_eq(world.outcome->kind, SP_OUTCOME_REDIRECT);
    cr_expect_eq(sp_decision_step(world.decision), SP_STEP_DONE, "it stays done");
}

Test(decision, stops_at_a_faulty_record)
{
    world_add(&world, "_redirect.a.example", "v=txtv0;code=999");
    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    EXPECT_STR(world.outcome->record, "_redirect.a.example");
}

Test(decision, passes_foreign_records_over)
{
    world_add(&world, "_redirect.a.example", "v=spf1 -all");
    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(decision, takes_a_failure_for_no_absence)
{
    world_break(&world, "_redirect.a.example", SP_FAILURE_SERVFAIL);
    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    world.policy.fallback_redirect = SP_STR("https://fallback.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 503, SP_OUTCOME_DNS_FAILURE);
    EXPECT_STR(world_header(&world, "Retry-After"), "5");
    EXPECT_STR(world_header(&world, "Cache-Control"), "no-store");
    cr_expect(world_body_contains(&world, "SERVFAIL"));
}

Test(decision, counts_overload_as_a_limit)
{
    world_break(&world, "_redirect.a.example", SP_FAILURE_OVERLOAD);
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 503, SP_OUTCOME_LIMITED);
}

Test(decision, without_an_answer_ends_for_want_of_memory)
{
    const sp_str_t host = SP_STR("a.example");
    const sp_raw_request_t raw = {.method = SP_STR("GET"),
                                  .target = SP_STR("/"),
                                  .scheme = SP_STR("http"),
                                  .hosts = &host,
                                  .host_count = 1};

    cr_assert_eq(sp_request_read(&raw, &world.arena, &world.request, NULL), SP_OK);
    world.decision = sp_decision_create(&world.request, &world.policy, &world.arena);
    cr_assert_eq(sp_decision_step(world.decision), SP_STEP_LOOKUP);
    sp_decision_answer(world.decision, NULL);
    cr_expect_eq(sp_decision_step(world.decision), SP_STEP_DONE);
    world.outcome = sp_decision_outcome(world.decision);
    EXPECT_STATUS(&world, 503, SP_OUTCOME_LIMITED);
}

Test(decision, may_be_given_up_at_any_time)
{
    const sp_str_t host = SP_STR("a.example");
    const sp_raw_request_t raw = {.method = SP_STR("GET"),
                                  .target = SP_STR("/"),
                                  .scheme = SP_STR("http"),
                                  .hosts = &host,
                                  .host_count = 1};
    const sp_answer_parts_t parts = {.kind = SP_ANSWER_NXDOMAIN};
    const sp_answer_t *answer = NULL;

    cr_assert_eq(sp_answer_create(&parts, &answer), SP_OK);
    cr_assert_eq(sp_request_read(&raw, &world.arena, &world.request, NULL), SP_OK);
    for (int steps = 0; steps != 3; ++steps) {
        sp_decision_t *decision = sp_decision_create(&world.request, &world.policy, &world.arena);

        for (int i = 0; i != steps; ++i) {
            cr_assert_eq(sp_decision_step(decision), SP_STEP_LOOKUP);
            sp_decision_answer(decision, answer);
        }
        sp_decision_destroy(decision);
    }
    sp_decision_destroy(NULL);
    sp_answer_release(answer);
}

Test(decision, looks_nothing_up_for_an_address)
{
    world_ask(&world, "192.0.2.1:8080", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
    cr_expect_eq(world.asked_count, 0);
    world_ask(&world, "[::1]", "/");
    cr_expect_eq(world.asked_count, 0);
    world_ask(&world, "a.1", "/");
    cr_expect_eq(world.asked_count, 0);
}

Test(decision, looks_nothing_up_for_favicon_and_acme_paths)
{
    static const char *const targets[] = {"/favicon.ico", "/favicon.ico?v=2",
                                          "/.well-known/acme-challenge/x"};

    world_add(&world, "_redirect.a.example", "to=https://x.example/");
    world.policy.fallback_redirect = SP_STR("https://fallback.example/");
    for (size_t i = 0; i != SP_COUNT(targets); ++i) {
        world_ask(&world, "a.example", targets[i]);
        EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
        cr_expect_eq(world.asked_count, 0);
    }
    world_ask(&world, "a.example", "/favicon.icon");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    world_ask(&world, "a.example", "/.well-known/acme-challengex");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(decision, skips_names_that_are_too_long)
{
    char host[260];
    size_t len = 0;

    /* 10 octets of prefix: "_redirect." + 243 is a name, "_redirect._." + 243 is none. */
    while (len != 243) {
        host[len] = len % 2 == 1 || len == 242 ? 'a' : 'b';
        ++len;
    }
    for (size_t i = 60; i < 240; i += 60) {
        host[i] = '.';
    }
    host[len] = '\0';
    world_ask(&world, host, "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
    cr_expect_eq(world.asked_count, 2, "%zu", world.asked_count);
    cr_expect_eq(sp_str_from(world.asked[0]).len, 253);
}

Test(decision, counts_lookups_up_to_the_limit)
{
    world_add(&world, "_redirect._.example", "to=https://x.example/");
    world.policy.max_lookups = 3;
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(sp_decision_trace(world.decision)->lookups, 3);
    world.policy.max_lookups = 2;
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 508, SP_OUTCOME_LIMITED);
    cr_expect_eq(world.asked_count, 2);
}

Test(decision, trace_tells_every_lookup)
{
    const sp_trace_t *trace = NULL;

    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    trace = sp_decision_trace(world.decision);
    cr_assert_geq(trace->count, 2);
    cr_expect_eq(trace->entries[0].kind, SP_TRACE_LOOKUP);
    EXPECT_STR(trace->entries[0].name, "_redirect.a.example");
    cr_expect_eq(trace->entries[0].answer->kind, SP_ANSWER_NXDOMAIN);
    cr_expect_eq(trace->entries[1].answer->finding, SP_FINDING_RECORD);
    cr_expect_eq(trace->lookups, 2);
}

Test(decision, refuses_a_request_that_can_not_be_read)
{
    world_ask(&world, "a..example", "/");
    EXPECT_STATUS(&world, 400, SP_OUTCOME_BAD_REQUEST);
    cr_expect(world_body_contains(&world, "400 Bad Request"));
    cr_expect(world_body_contains(&world, "empty label"));
    EXPECT_STR(world_header(&world, "Content-Type"), "text/plain; charset=utf-8");
}

Test(decision, method_never_changes_which_record_decides)
{
    static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "x"};

    world_add(&world, "_redirect.a.example", "to=https://x.example/");
    for (size_t i = 0; i != SP_COUNT(methods); ++i) {
        world.raw.method = sp_str_from(methods[i]);
        world_ask(&world, "a.example", "/");
        EXPECT_REDIRECT(&world, 302, "https://x.example/");
        cr_expect_eq(world.outcome->body.len != 0, i < 2, "a link for GET, and for HEAD's headers");
    }
}

Test(decision, leaves_out_types_that_are_not_enabled)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world.policy.types = 1U << SP_TYPE_HOST;
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
}
