/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup_fixture.h"

#include <criterion/criterion.h>

void fixture_init(fixture_t *fixture)
{
    *fixture =
        (fixture_t){.options = {.try_ms = 60, .tries = 3, .hedge_ms = -1, .max_inflight = 100}};
    fixture->options.stats = &fixture->stats;
}

void fixture_add_resolver(fixture_t *fixture, struct sockaddr_storage address)
{
    fixture->options.resolvers[fixture->options.resolver_count++] = address;
}

void fixture_open(fixture_t *fixture)
{
    sp_error_t err = {0};

    fixture->loop = h2o_evloop_create();
    cr_assert_eq(sp_lookups_create(fixture->loop, &fixture->options, fixture->zones, fixture->cache,
                                   &fixture->lookups, &err),
                 SP_OK, "%s", err.message);
}

void fixture_close(fixture_t *fixture)
{
    sp_lookups_destroy(fixture->lookups);
    (void)h2o_evloop_run(fixture->loop, 0); /* lets h2o free the socket that was closed */
    h2o_evloop_destroy(fixture->loop);
}

static void on_done(void *arg, const sp_lookup_result_t *result)
{
    asked_t *asked = arg;

    asked->calls += 1;
    asked->answer = sp_answer_retain(result->answer);
    asked->source = result->source;
    asked->ttl_s = result->ttl_s;
    asked->lookup = NULL;
    if (asked->then != NULL) {
        asked->then(asked);
    }
}

void ask(fixture_t *fixture, const char *name, unsigned timeout_ms, asked_t *ret_asked)
{
    sp_lookup_result_t result;

    ret_asked->fixture = fixture;
    if (sp_lookup_start(fixture->lookups, sp_str_from(name), sp_now_ms() + timeout_ms, on_done,
                        ret_asked, &result, &ret_asked->lookup)) {
        ret_asked->at_once = true;
        ret_asked->answer = result.answer;
        ret_asked->source = result.source;
        ret_asked->ttl_s = result.ttl_s;
    }
    cr_assert_eq(ret_asked->calls, 0, "the callback ran inside of start");
}

void turn(fixture_t *fixture)
{
    (void)h2o_evloop_run(fixture->loop, 20);
}

void await(const asked_t *asked)
{
    uint64_t end_ms = sp_now_ms() + 10000;

    while (asked->answer == NULL) {
        cr_assert_lt(sp_now_ms(), end_ms, "no answer within ten seconds");
        turn(asked->fixture);
    }
}

void ask_and_await(fixture_t *fixture, const char *name, asked_t *ret_asked)
{
    *ret_asked = (asked_t){0};
    ask(fixture, name, 5000, ret_asked);
    await(ret_asked);
}

uint64_t count_ended(const fixture_t *fixture)
{
    uint64_t sum = 0;

    for (size_t i = 0; i != SP_DNS_RESULTS; ++i) {
        sum += fixture->stats.queries[0][i] + fixture->stats.queries[1][i];
    }
    return sum;
}

void release(asked_t *asked)
{
    sp_answer_release(asked->answer);
    asked->answer = NULL;
}

bool is_text(const sp_answer_t *answer, const char *text)
{
    return answer->kind == SP_ANSWER_TXT && answer->text_count == 1 &&
           sp_str_eq(answer->texts[0], sp_str_from(text));
}

bool is_failure(const sp_answer_t *answer, sp_failure_t failure)
{
    return answer->kind == SP_ANSWER_FAILURE && answer->failure == failure;
}
