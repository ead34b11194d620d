/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_answer.h"

#include "dns/wire_name.h"
#include <string.h>

sp_failure_t sp_failure_of_rcode(unsigned rcode)
{
    switch (rcode) {
    case SP_RCODE_NOERROR:
    case SP_RCODE_NXDOMAIN:
        return SP_FAILURE_NONE;
    case SP_RCODE_SERVFAIL:
        return SP_FAILURE_SERVFAIL;
    default:
        return SP_FAILURE_REFUSED;
    }
}

static sp_status_t fail(sp_failure_t failure, sp_reply_t *ret)
{
    ret->kind = SP_REPLY_ANSWER;
    ret->parts = (sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = failure};
    return SP_OK;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static sp_str_t join_strings(sp_arena_t *arena, sp_str_t data)
{
    char *joined = sp_arena_alloc(arena, data.len);
    size_t len = 0;

    if (joined == NULL) {
        return (sp_str_t){0};
    }
    for (size_t at = 0; at < data.len;) {
        size_t count = (unsigned char)data.ptr[at];

        memcpy(joined + len, data.ptr + at + 1, count);
        len += count;
        at += 1 + count;
    }
    return (sp_str_t){joined, len};
}

/* The texts at the end of the chain; none is no failure. */
static sp_status_t collect_texts(const sp_wire_message_t *message, sp_arena_t *arena,
                                 sp_answer_parts_t *parts)
{
    size_t count = sp_wire_rr_count(message->answers, message->end, SP_TYPE_TXT);
    sp_str_t *texts = sp_arena_zalloc(arena, count, sizeof(*texts));

    if (texts == NULL) {
        return SP_NO_MEMORY;
    }
    count = 0;
    for (const sp_wire_rr_t *rr = sp_wire_rr_find(message->answers, message->end, SP_TYPE_TXT);
         rr != NULL; rr = sp_wire_rr_find(rr->next, message->end, SP_TYPE_TXT)) {
        texts[count] = join_strings(arena, rr->data);
        if (texts[count++].ptr == NULL) {
            return SP_NO_MEMORY;
        }
        parts->ttl_s = min_u32(parts->ttl_s, rr->ttl_s);
    }
    parts->texts = texts;
    parts->text_count = count;
    return SP_OK;
}

/* RFC 2308, 5: an absence without a SOA that fits the name is not cached. */
static uint32_t negative_ttl(const sp_wire_message_t *message)
{
    const sp_wire_rr_t *soa = message->soa;

    if (soa == NULL || !sp_name_is_within(message->end, soa->owner)) {
        return 0;
    }
    return min_u32(message->chain_ttl_s, min_u32(soa->ttl_s, soa->minimum_s));
}

static sp_status_t conclude(const sp_wire_message_t *message, sp_arena_t *arena, sp_reply_t *ret)
{
    sp_answer_parts_t parts = {.ttl_s = message->chain_ttl_s};

    if (collect_texts(message, arena, &parts) != SP_OK) {
        return SP_NO_MEMORY;
    }
    if (ret->chain != 0) {
        parts.canonical = message->end;
    }
    ret->kind = SP_REPLY_ANSWER;
    if (ret->rcode == SP_RCODE_NXDOMAIN || (parts.text_count == 0 && message->soa != NULL)) {
        parts.kind = ret->rcode == SP_RCODE_NXDOMAIN ? SP_ANSWER_NXDOMAIN : SP_ANSWER_NODATA;
        parts.ttl_s = negative_ttl(message);
        parts.text_count = 0;
    } else if (parts.text_count != 0) {
        parts.kind = SP_ANSWER_TXT;
    } else if (ret->chain != 0) {
        parts.kind = SP_ANSWER_NODATA;
        ret->kind = SP_REPLY_ALIAS;
    } else if (message->is_referral) {
        return fail(SP_FAILURE_SERVFAIL, ret); /* it points elsewhere instead of resolving */
    } else {
        parts.kind = SP_ANSWER_NODATA;
        parts.ttl_s = 0;
    }
    ret->parts = parts;
    return SP_OK;
}

sp_status_t sp_reply_read(sp_str_t message, sp_str_t name, sp_arena_t *arena, sp_reply_t *ret_reply)
{
    sp_wire_message_t read;

    *ret_reply = (sp_reply_t){0};
    if (sp_wire_message_read(message, name, SP_TYPE_TXT, arena, &read) != SP_OK) {
        return SP_NO_MEMORY;
    }
    ret_reply->rcode = read.rcode;
    ret_reply->chain = read.chain;
    switch (read.kind) {
    case SP_MESSAGE_READ:
        return conclude(&read, arena, ret_reply);
    case SP_MESSAGE_TRUNCATED:
        ret_reply->kind = SP_REPLY_TRUNCATED;
        return SP_OK;
    case SP_MESSAGE_RCODE:
        return fail(sp_failure_of_rcode(read.rcode), ret_reply);
    case SP_MESSAGE_LOOP:
        return fail(SP_FAILURE_SERVFAIL, ret_reply);
    case SP_MESSAGE_MALFORMED:
        break;
    }
    return fail(SP_FAILURE_MALFORMED, ret_reply);
}
