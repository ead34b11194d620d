/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "http/refusal.h"
#include "http/write_response.h"

static bool has_header(const sp_outcome_t *outcome, sp_str_t name)
{
    for (size_t i = 0; i != outcome->header_count; ++i) {
        if (sp_str_eq(outcome->headers[i].name, name)) {
            return true;
        }
    }
    return false;
}

Test(refusal, is_a_plain_page_with_one_sentence)
{
    sp_arena_t arena;
    const sp_outcome_t *outcome = NULL;

    sp_arena_init(&arena, NULL, 0, 1024);
    outcome = sp_refusal_create(431, SP_OUTCOME_BAD_REQUEST, SP_STR("Too many fields."), &arena);
    cr_assert_not_null(outcome);
    cr_expect_eq(outcome->status, 431);
    cr_expect_eq(outcome->kind, SP_OUTCOME_BAD_REQUEST);
    cr_expect(sp_str_eq(outcome->body,
                        SP_STR("431 Request Header Fields Too Large\n\nToo many fields.\n")));
    cr_expect(has_header(outcome, SP_STR("Content-Type")));
    cr_expect_not(has_header(outcome, SP_STR("Retry-After")));
    sp_arena_clear(&arena);
}

Test(refusal, says_when_to_come_back_with_503_only)
{
    sp_arena_t arena;
    const sp_outcome_t *outcome = NULL;

    sp_arena_init(&arena, NULL, 0, 1024);
    outcome = sp_refusal_create(503, SP_OUTCOME_LIMITED, SP_STR("Stopping."), &arena);
    cr_assert_not_null(outcome);
    cr_expect(has_header(outcome, SP_STR("Retry-After")));
    cr_expect(has_header(outcome, SP_STR("Cache-Control")));
    sp_arena_clear(&arena);
}

Test(refusal, of_last_resort_is_complete)
{
    const sp_outcome_t *outcome = sp_refusal_no_memory();

    cr_expect_eq(outcome->status, 503);
    cr_expect(sp_str_ends_with(outcome->body, SP_STR("out of memory.\n")));
    cr_expect(has_header(outcome, SP_STR("Content-Type")));
    for (size_t i = 0; i != outcome->header_count; ++i) {
        cr_expect_eq(outcome->headers[i].name.len, strlen(outcome->headers[i].name.ptr));
        cr_expect_eq(outcome->headers[i].value.len, strlen(outcome->headers[i].value.ptr));
    }
    cr_expect_eq(outcome->body.len, strlen(outcome->body.ptr));
}

Test(write_response, knows_the_words_of_every_status_that_is_sent)
{
    static const unsigned statuses[] = {200, 204, 301, 302, 303, 307, 308, 400, 403,
                                        404, 405, 413, 417, 431, 500, 503, 508};

    for (size_t i = 0; i != SP_COUNT(statuses); ++i) {
        cr_expect_str_neq(sp_reason_phrase(statuses[i]), "Unknown", "%u", statuses[i]);
    }
    cr_expect_str_eq(sp_reason_phrase(403), "Forbidden");
    cr_expect_str_eq(sp_reason_phrase(299), "Unknown");
}
