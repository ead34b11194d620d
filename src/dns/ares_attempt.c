/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_attempt.h"

#include "dns/ares_answer.h"
#include <stdlib.h>
#include <string.h>

#define SCRATCH_SIZE 8192 /* holds what a UDP reply gives without asking malloc */
#define SCRATCH_CHUNK 65536
#define IMPOSSIBLE_TTL_S 3600 /* of a name that can't exist, whoever is asked */

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static sp_attempt_outcome_t failed(sp_failure_t failure)
{
    return (sp_attempt_outcome_t){.result = SP_ATTEMPT_FAILED, .failure = failure};
}

static sp_attempt_outcome_t compile(const sp_answer_parts_t *parts)
{
    sp_attempt_outcome_t outcome = {.result = SP_ATTEMPT_ANSWERED};

    if (sp_answer_create(parts, &outcome.answer) != SP_OK) {
        return failed(SP_FAILURE_OVERLOAD);
    }
    return outcome;
}

static sp_attempt_outcome_t ask_on(const sp_asked_t *asked, const sp_reply_t *reply)
{
    sp_attempt_outcome_t outcome = {.result = SP_ATTEMPT_ALIAS};
    sp_asked_t *next;

    if (asked->chain + reply->chain > SP_CHAIN_MAX) {
        return compile(
            &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_SERVFAIL});
    }
    next = malloc(sizeof(*next));
    if (next == NULL) {
        return failed(SP_FAILURE_OVERLOAD);
    }
    next->ttl_s = min_u32(asked->ttl_s, reply->parts.ttl_s);
    next->chain = asked->chain + reply->chain;
    next->name.len = reply->parts.canonical.len;
    if (next->name.len != 0) {
        memcpy(next->name.text, reply->parts.canonical.ptr, next->name.len);
    }
    outcome.next = next;
    return outcome;
}

static sp_attempt_outcome_t judge_reply(const sp_asked_t *asked, sp_reply_t *reply)
{
    switch (reply->kind) {
    case SP_REPLY_TRUNCATED:
        return (sp_attempt_outcome_t){.result = SP_ATTEMPT_TRUNCATED};
    case SP_REPLY_ALIAS:
        return ask_on(asked, reply);
    case SP_REPLY_ANSWER:
        break;
    }
    if (reply->parts.kind == SP_ANSWER_FAILURE) {
        return failed(reply->parts.failure);
    }
    reply->parts.ttl_s = min_u32(reply->parts.ttl_s, asked->ttl_s);
    if (asked->chain != 0 && reply->parts.canonical.len == 0) {
        reply->parts.canonical = sp_wire_name_str(&asked->name);
    }
    return compile(&reply->parts);
}

static sp_attempt_outcome_t read_reply(const sp_asked_t *asked, sp_str_t message)
{
    _Alignas(8) char scratch[SCRATCH_SIZE];
    sp_attempt_outcome_t outcome;
    sp_arena_t arena;
    sp_reply_t reply;

    sp_arena_init(&arena, scratch, sizeof(scratch), SCRATCH_CHUNK);
    if (sp_reply_read(message, sp_wire_name_str(&asked->name), &arena, &reply) == SP_OK) {
        outcome = judge_reply(asked, &reply);
    } else {
        outcome = failed(SP_FAILURE_OVERLOAD);
    }
    sp_arena_clear(&arena);
    return outcome;
}

sp_attempt_outcome_t sp_attempt_judge(const sp_asked_t *asked, sp_wire_result_t wire,
                                      sp_str_t message)
{
    switch (wire) {
    case SP_WIRE_REPLY:
        return read_reply(asked, message);
    case SP_WIRE_TIMEOUT:
        return (sp_attempt_outcome_t){.result = SP_ATTEMPT_SILENT};
    case SP_WIRE_CONNECTION:
        return failed(SP_FAILURE_CONNECTION);
    case SP_WIRE_NO_NAME:
        return compile(&(sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN, .ttl_s = IMPOSSIBLE_TTL_S});
    case SP_WIRE_NO_MEMORY:
        return failed(SP_FAILURE_OVERLOAD);
    case SP_WIRE_CANCELLED:
        break;
    }
    return (sp_attempt_outcome_t){.result = SP_ATTEMPT_CANCELLED};
}

void sp_attempt_outcome_clear(sp_attempt_outcome_t *outcome)
{
    sp_answer_release(outcome->answer);
    free(outcome->next);
    *outcome = (sp_attempt_outcome_t){.result = SP_ATTEMPT_CANCELLED};
}
