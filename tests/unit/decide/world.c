/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/decide/world.h"

#include <string.h>

void world_init(world_t *world)
{
    *world = (world_t){.raw = {.method = SP_STR("GET"), .scheme = SP_STR("http")}};
    sp_arena_init(&world->arena, NULL, 0, 4096);
    sp_policy_init(&world->policy);
}

void world_clear(world_t *world)
{
    sp_decision_destroy(world->decision);
    world->decision = NULL;
    sp_arena_clear(&world->arena);
}

static void add_row(world_t *world, world_row_t row)
{
    cr_assert_lt(world->row_count, WORLD_ROWS_MAX);
    world->rows[world->row_count++] = row;
}

void world_add(world_t *world, const char *name, const char *text)
{
    add_row(world, (world_row_t){.name = name, .text = text});
}

void world_add_empty(world_t *world, const char *name)
{
    add_row(world, (world_row_t){.name = name, .failure = SP_FAILURE_NONE});
}

void world_break(world_t *world, const char *name, sp_failure_t failure)
{
    add_row(world, (world_row_t){.name = name, .failure = failure});
}

static const sp_answer_t *answer(const world_t *world, sp_str_t name)
{
    sp_str_t texts[8];
    sp_answer_parts_t parts = {.kind = SP_ANSWER_NXDOMAIN, .ttl_s = 60, .texts = texts};
    const sp_answer_t *made = NULL;

    for (size_t i = 0; i != world->row_count; ++i) {
        const world_row_t *row = &world->rows[i];

        if (!sp_str_eq(sp_str_from(row->name), name)) {
            continue;
        }
        if (row->text == NULL) {
            parts.kind = row->failure == SP_FAILURE_NONE ? SP_ANSWER_NODATA : SP_ANSWER_FAILURE;
            parts.failure = row->failure;
        } else if (parts.text_count != SP_COUNT(texts)) {
            parts.kind = SP_ANSWER_TXT;
            texts[parts.text_count++] = sp_str_from(row->text);
        }
    }
    cr_assert_eq(sp_answer_create(&parts, &made), SP_OK);
    return made;
}

static void note_asked(world_t *world, sp_str_t name)
{
    char *copy = sp_arena_zalloc(&world->arena, 1, name.len + 1);

    cr_assert(copy != NULL && world->asked_count != WORLD_ASKED_MAX);
    memcpy(copy, name.ptr, name.len);
    world->asked[world->asked_count++] = copy;
}

typedef struct at_hand {
    const world_t *world;
    unsigned every; /* so many questions; each of them: 1 */
    unsigned asked;
} at_hand_t;

static const sp_answer_t *find_at_hand(void *arg, sp_str_t name)
{
    at_hand_t *at_hand = arg;

    return at_hand->asked++ % at_hand->every == 0 ? answer(at_hand->world, name) : NULL;
}

static void expect_same(const world_t *world, const sp_decision_t *decision)
{
    const sp_outcome_t *outcome = sp_decision_outcome(decision);
    const sp_trace_t *trace = sp_decision_trace(decision);

    cr_expect_eq(outcome->kind, world->outcome->kind);
    cr_expect_eq(outcome->status, world->outcome->status);
    cr_expect(sp_str_eq(outcome->location, world->outcome->location));
    cr_expect(sp_str_eq(outcome->body, world->outcome->body));
    cr_expect(sp_str_eq(outcome->record, world->outcome->record));
    cr_expect_eq(outcome->header_count, world->outcome->header_count);
    cr_expect_eq(trace->count, sp_decision_trace(world->decision)->count);
    cr_expect_eq(trace->lookups, sp_decision_trace(world->decision)->lookups);
}

/* It makes no difference which answers are at hand. */
static void decide_with_answers_at_hand(world_t *world)
{
    for (unsigned every = 1; every != 4; ++every) {
        at_hand_t at_hand = {.world = world, .every = every};
        sp_decision_t *decision =
            sp_decision_create(&world->request, &world->policy, &world->arena);

        cr_assert_not_null(decision);
        sp_decision_use(decision, find_at_hand, &at_hand);
        while (sp_decision_step(decision) == SP_STEP_LOOKUP) {
            const sp_answer_t *made = answer(world, sp_decision_name(decision));

            cr_assert_neq(every, 1, "all of them are at hand");
            sp_decision_answer(decision, made);
            sp_answer_release(made);
        }
        cr_expect_eq(at_hand.asked, world->asked_count);
        expect_same(world, decision);
        sp_decision_destroy(decision);
    }
}

void world_ask(world_t *world, const char *host, const char *target)
{
    sp_str_t hosts[1] = {sp_str_from(host)};
    sp_error_t err = {.message = ""};

    sp_decision_destroy(world->decision);
    world->decision = NULL;
    world->asked_count = 0;
    world->raw.target = sp_str_from(target);
    world->raw.hosts = hosts;
    world->raw.host_count = host != NULL;
    if (sp_request_read(&world->raw, &world->arena, &world->request, &err) != SP_OK) {
        world->outcome = sp_outcome_bad_request(&err, &world->arena);
        return;
    }
    world->request.raw_host = sp_arena_copy(&world->arena, world->request.raw_host);
    world->decision = sp_decision_create(&world->request, &world->policy, &world->arena);
    cr_assert_not_null(world->decision);
    while (sp_decision_step(world->decision) == SP_STEP_LOOKUP) {
        sp_str_t name = sp_decision_name(world->decision);
        const sp_answer_t *made = answer(world, name);

        note_asked(world, name);
        sp_decision_answer(world->decision, made);
        sp_answer_release(made);
    }
    world->outcome = sp_decision_outcome(world->decision);
    decide_with_answers_at_hand(world);
}

sp_str_t world_header(const world_t *world, const char *name)
{
    for (size_t i = 0; i != world->outcome->header_count; ++i) {
        if (sp_str_eq_nocase(world->outcome->headers[i].name, sp_str_from(name))) {
            return world->outcome->headers[i].value;
        }
    }
    return (sp_str_t){.ptr = NULL, .len = 0};
}

bool world_body_contains(const world_t *world, const char *text)
{
    sp_str_t body = world->outcome->body;

    return sp_str_search(body, sp_str_from(text)) != body.len;
}

bool world_trace_contains(const world_t *world, const char *text)
{
    const sp_trace_t *trace = sp_decision_trace(world->decision);

    for (size_t i = 0; i != trace->count; ++i) {
        sp_str_t sentence = trace->entries[i].text;

        if (sp_str_search(sentence, sp_str_from(text)) != sentence.len) {
            return true;
        }
    }
    return false;
}

const char *world_asked(world_t *world)
{
    size_t room = 1;
    char *text = NULL;

    for (size_t i = 0; i != world->asked_count; ++i) {
        room += strlen(world->asked[i]) + 1;
    }
    text = sp_arena_zalloc(&world->arena, 1, room);
    cr_assert_not_null(text);
    for (size_t i = 0; i != world->asked_count; ++i) {
        strcat(text, world->asked[i]);
        strcat(text, i + 1 == world->asked_count ? "" : " ");
    }
    return text;
}
