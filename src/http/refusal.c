/* SPDX-License-Identifier: Apache-2.0 */
#include "http/refusal.h"

#include <signpost/base/buf.h>

#include "http/write_response.h"

#define PAGE_MAX ((size_t)1024)

static const sp_header_t plain_text[] = {
    {{.ptr = "Content-Type", .len = 12}, {.ptr = "text/plain; charset=utf-8", .len = 25}},
    {{.ptr = "Cache-Control", .len = 13}, {.ptr = "no-store", .len = 8}},
    {{.ptr = "Retry-After", .len = 11}, {.ptr = "5", .len = 1}},
};

static size_t header_count(unsigned status)
{
    return status == 503 ? SP_COUNT(plain_text) : SP_COUNT(plain_text) - 1;
}

const sp_outcome_t *sp_refusal_create(unsigned status, sp_outcome_kind_t kind, sp_str_t sentence,
                                      sp_arena_t *arena)
{
    sp_outcome_t *outcome = sp_arena_zalloc(arena, 1, sizeof(*outcome));
    sp_buf_t page = {0};

    sp_buf_init(&page, arena, PAGE_MAX);
    sp_buf_append_uint(&page, status);
    sp_buf_append_char(&page, ' ');
    sp_buf_append(&page, sp_str_from(sp_reason_phrase(status)));
    sp_buf_append(&page, SP_STR("\n\n"));
    sp_buf_append(&page, sentence);
    sp_buf_append_char(&page, '\n');
    if (outcome == NULL || page.status != SP_OK) {
        return NULL;
    }
    outcome->kind = kind;
    outcome->status = (uint16_t)status;
    outcome->headers = plain_text;
    outcome->header_count = header_count(status);
    outcome->body = sp_buf_str(&page);
    outcome->reason = sp_arena_copy(arena, sentence);
    return outcome;
}

const sp_outcome_t *sp_plain_answer_create(sp_str_t text, sp_arena_t *arena)
{
    sp_outcome_t *outcome = sp_arena_zalloc(arena, 1, sizeof(*outcome));

    if (outcome == NULL) {
        return NULL;
    }
    outcome->kind = SP_OUTCOME_PAGE;
    outcome->status = 200;
    outcome->headers = plain_text;
    outcome->header_count = header_count(200);
    outcome->body = text;
    outcome->reason = SP_STR("the answer to a certificate authority");
    return outcome;
}

const sp_outcome_t *sp_refusal_no_memory(void)
{
    static const sp_outcome_t outcome = {
        .kind = SP_OUTCOME_LIMITED,
        .status = 503,
        .headers = plain_text,
        .header_count = SP_COUNT(plain_text),
        .body = {.ptr = "503 Service Unavailable\n\nThe server is out of memory.\n", .len = 54},
        .reason = {.ptr = "out of memory", .len = 13},
    };

    return &outcome;
}
