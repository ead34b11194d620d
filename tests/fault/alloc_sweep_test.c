/* SPDX-License-Identifier: Apache-2.0 */

/* Memory runs out once, at every allocation that a request causes in turn: it gets its right answer
 * nevertheless, or 503. Nothing leaks, which the sanitizer build watches. Arenas rarely allocate;
 * to reach every place that asks them for memory, a second sweep makes the arena's own functions
 * fail in the same way. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/case_file.h"
#include "support/failing_alloc.h"

/* ---- failing arenas ---- */

/* The linker's --wrap sends the calls of these functions here, but for those inside arena.c. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
void *__real_sp_arena_alloc(sp_arena_t *arena, size_t size);
void *__real_sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size);
sp_str_t __real_sp_arena_copy(sp_arena_t *arena, sp_str_t text);
sp_str_t __real_sp_arena_copy_lower(sp_arena_t *arena, sp_str_t text);
void *__wrap_sp_arena_alloc(sp_arena_t *arena, size_t size);
void *__wrap_sp_arena_zalloc(sp_arena_t *arena, size_t count, size_t size);
sp_str_t __wrap_sp_arena_copy(sp_arena_t *arena, sp_str_t text);
sp_str_t __wrap_sp_arena_copy_lower(sp_arena_t *arena, sp_str_t text);

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

sp_str_t __wrap_sp_arena_copy_lower(sp_arena_t *arena, sp_str_t text)
{
    return must_fail() ? (sp_str_t){.ptr = NULL, .len = 0}
                       : __real_sp_arena_copy_lower(arena, text);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

/* Which kind of allocation fails. */
typedef struct failing {
    void (*fail_at)(size_t n);
    bool (*stop)(void);
} failing_t;

static const failing_t failing_heap = {.fail_at = sp_alloc_fail_at, .stop = sp_alloc_stop};
static const failing_t failing_arenas = {.fail_at = fail_arena_at, .stop = stop_failing_arenas};

/* ---- cases ---- */

/* Case files, and of how many cases in them one is played: enough to reach every allocation, few
 * enough for a sanitizer. */
static const struct {
    const char *name;
    size_t stride;
} files[] = {{"cases/redirects.json", 2},
             {"cases/edges.json", 4},
             {"cases/rules.json", 40},
             {"fault/cases.json", 1}};

TestSuite(alloc_sweep, .timeout = 100);

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

/* The number of cases that gave up at one allocation at least. */
static size_t sweep_file(const failing_t *failing, const char *name, size_t stride)
{
    char path[4096];
    json_error_t error;
    json_t *cases = NULL;
    size_t gave_up_once = 0;

    (void)snprintf(path, sizeof(path), "%s/%s", TESTS_FOLDER, name);
    cases = json_load_file(path, 0, &error);
    cr_assert_gt(json_array_size(cases), 0, "%s: %s", path, error.text);
    for (size_t i = 0; i < json_array_size(cases); i += stride) {
        gave_up_once += sweep(failing, json_array_get(cases, i)) != 0;
    }
    json_decref(cases);
    return gave_up_once;
}

static void sweep_files(const failing_t *failing)
{
    for (size_t i = 0; i != SP_COUNT(files); ++i) {
        cr_expect_gt(sweep_file(failing, files[i].name, files[i].stride), 0,
                     "memory does run out in %s", files[i].name);
    }
}

Test(alloc_sweep, of_the_heap)
{
    sweep_files(&failing_heap);
}

Test(alloc_sweep, of_arenas)
{
    sweep_files(&failing_arenas);
}

Test(alloc_sweep, cases_of_its_own_are_right)
{
    json_error_t error;
    json_t *cases = json_load_file(TESTS_FOLDER "/fault/cases.json", 0, &error);

    for (size_t i = 0; i != json_array_size(cases); ++i) {
        const json_t *test_case = json_array_get(cases, i);
        char why[512] = "";
        case_result_t result;

        case_play(test_case, &result);
        cr_expect(case_agrees(test_case, result.outcome, why, sizeof(why)), "%s: %s",
                  json_string_value(json_object_get(test_case, "id")), why);
        case_clear(&result);
    }
    json_decref(cases);
}
