/* SPDX-License-Identifier: Apache-2.0 */

/* Memory runs out once, at every allocation that a request causes in turn: it gets its right answer
 * nevertheless, or 503. Nothing leaks, which the sanitizer build watches. Arenas rarely allocate;
 * to reach every place that asks them for memory, a second sweep makes the arena's own functions
 * fail in the same way. */

#include <criterion/criterion.h>
#include <string.h>

#include "support/case_file.h"
#include "support/failing_alloc.h"

/* ---- failing arenas ---- */

/* The linker's --wrap sends the calls of these functions here, but for those inside arena.c. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
void *__real_sp_arena_alloc(sp_arena_t *arena, size_t size);
void *__real_sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size);
sp_str_t __real_sp_arena_copy(sp_arena_t *arena, sp_str_t text);
void *__wrap_sp_arena_alloc(sp_arena_t *arena, size_t size);
void *__wrap_sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size);
sp_str_t __wrap_sp_arena_copy(sp_arena_t *arena, sp_str_t text);

static struct {
    bool armed;
    bool failed;
    size_t count;
    size_t fail_at;
} arenas;

static void fail_arena_at(size_t n)
{
    arenas.armed = true;
    arenas.failed = false;
    arenas.count = 0;
    arenas.fail_at = n;
}

static bool stop_failing_arenas(void)
{
    arenas.armed = false;
    return arenas.failed;
}

static bool must_fail(void)
{
    if (!arenas.armed || ++arenas.count != arenas.fail_at) {
        return false;
    }
    arenas.failed = true;
    return true;
}

void *__wrap_sp_arena_alloc(sp_arena_t *arena, size_t size)
{
    return must_fail() ? NULL : __real_sp_arena_alloc(arena, size);
}

void *__wrap_sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size)
{
    return must_fail() ? NULL : __real_sp_arena_zalloc(arena, count, size);
}

sp_str_t __wrap_sp_arena_copy(sp_arena_t *arena, sp_str_t text)
{
    return must_fail() ? (sp_str_t){.ptr = NULL, .len = 0} : __real_sp_arena_copy(arena, text);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

/* Which kind of allocation fails. */
typedef struct failing {
    void (*fail_at)(size_t n);
    bool (*stop)(void);
    size_t least; /* failures that the cases of one test must at least have answered with 503 */
} failing_t;

static const failing_t failing_heap = {
    .fail_at = sp_alloc_fail_at, .stop = sp_alloc_stop, .least = 300};
static const failing_t failing_arenas = {
    .fail_at = fail_arena_at, .stop = stop_failing_arenas, .least = 1000};

/* ---- cases ---- */

/* Each test plays every third case, so that they share the work. */
#define STRIDE 3

static json_t *cases;

static void start(void)
{
    json_error_t error;

    cases = json_load_file(CASES_FILE, 0, &error);
    cr_assert_gt(json_array_size(cases), 300, "%s", error.text);
}

static void finish(void)
{
    json_decref(cases);
}

TestSuite(alloc_sweep, .init = start, .fini = finish, .timeout = 100);

/* What matters of an outcome, kept beyond the case. */
typedef struct answer {
    uint16_t status;
    sp_outcome_kind_t kind;
    char location[4096];
    size_t header_count;
} answer_t;

static void note(const sp_outcome_t *outcome, answer_t *answer)
{
    size_t len = outcome->location.len;

    cr_assert_lt(len, sizeof(answer->location));
    answer->status = outcome->status;
    answer->kind = outcome->kind;
    answer->header_count = outcome->header_count;
    if (len != 0) {
        memcpy(answer->location, outcome->location.ptr, len);
    }
    answer->location[len] = '\0';
}

static bool gave_up(const sp_outcome_t *outcome)
{
    return outcome == NULL || (outcome->status == 503 && outcome->kind == SP_OUTCOME_LIMITED);
}

static void expect_same(const answer_t *right, const sp_outcome_t *outcome, const char *id,
                        size_t n)
{
    answer_t answer;

    note(outcome, &answer);
    cr_expect_eq(answer.status, right->status, "%s, allocation %zu: status %u", id, n,
                 (unsigned)answer.status);
    cr_expect_str_eq(answer.location, right->location, "%s, allocation %zu: '%s'", id, n,
                     answer.location);
    cr_expect_eq(answer.kind, right->kind, "%s, allocation %zu", id, n);
    /* A 404 that could not be told as HTML is still one, with as many headers. */
    cr_expect_eq(answer.header_count, right->header_count, "%s, allocation %zu: headers", id, n);
}

/* Plays a case with the n-th allocation failing; false when it needs fewer. */
static bool play_without(const failing_t *failing, const json_t *test_case, size_t n,
                         const answer_t *right, size_t *ret_given_up)
{
    const char *id = json_string_value(json_object_get(test_case, "id"));
    case_result_t result;
    bool failed = false;

    failing->fail_at(n);
    case_play(test_case, &result);
    failed = failing->stop();
    cr_assert(failed || result.outcome != NULL);
    if (failed && gave_up(result.outcome)) {
        ++*ret_given_up;
    } else {
        expect_same(right, result.outcome, id, n);
    }
    case_clear(&result);
    return failed;
}

/* How many allocations, failing, led to 503. */
static size_t sweep(const failing_t *failing, const json_t *test_case)
{
    case_result_t result;
    answer_t right;
    size_t given_up = 0;

    case_play(test_case, &result);
    cr_assert_not_null(result.outcome);
    note(result.outcome, &right);
    case_clear(&result);
    for (size_t n = 1; play_without(failing, test_case, n, &right, &given_up); ++n) {
        cr_assert_lt(n, 10000, "it must end");
    }
    return given_up;
}

static void sweep_from(const failing_t *failing, size_t first)
{
    size_t given_up = 0;

    for (size_t i = first; i < json_array_size(cases); i += STRIDE) {
        given_up += sweep(failing, json_array_get(cases, i));
    }
    cr_expect_gt(given_up, failing->least, "memory does fail in there: %zu", given_up);
}

Test(alloc_sweep, heap_first_third)
{
    sweep_from(&failing_heap, 0);
}

Test(alloc_sweep, heap_second_third)
{
    sweep_from(&failing_heap, 1);
}

Test(alloc_sweep, heap_last_third)
{
    sweep_from(&failing_heap, 2);
}

Test(alloc_sweep, arenas_first_third)
{
    sweep_from(&failing_arenas, 0);
}

Test(alloc_sweep, arenas_second_third)
{
    sweep_from(&failing_arenas, 1);
}

Test(alloc_sweep, arenas_last_third)
{
    sweep_from(&failing_arenas, 2);
}
