/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/wire_message.h"

#include "dns/wire_name.h"

#define HEADER_SIZE 12
#define TYPE_NS 2
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define CLASS_IN 1
#define FLAG_QR 0x8000U
#define FLAG_AA 0x0400U
#define FLAG_TC 0x0200U
#define SOA_NUMBERS 20 /* octets of the five numbers at the end of an SOA */

/* The reply being read. */
typedef struct parser {
    sp_str_t octets;
    size_t at;
    sp_arena_t *arena;
    uint16_t type; /* asked for */
} parser_t;

static unsigned peek16(sp_str_t message, size_t at)
{
    const unsigned char *octets = (const unsigned char *)message.ptr + at;

    return (unsigned)octets[0] << 8 | octets[1];
}

static uint32_t peek32(sp_str_t message, size_t at)
{
    return (uint32_t)peek16(message, at) << 16 | peek16(message, at + 2);
}

/* RFC 2181, 8: a TTL with the top bit set counts as 0. */
static uint32_t sane_ttl(uint32_t ttl_s)
{
    return (ttl_s & 0x80000000U) != 0 ? 0 : ttl_s;
}

static bool read_question(parser_t *parser, sp_str_t name)
{
    sp_wire_name_t asked;

    if (peek16(parser->octets, 4) != 1 || !sp_wire_name_read(parser->octets, &parser->at, &asked) ||
        parser->octets.len - parser->at < 4) {
        return false;
    }
    parser->at += 4;
    return sp_str_eq(sp_wire_name_str(&asked), name) &&
           peek16(parser->octets, parser->at - 4) == parser->type &&
           peek16(parser->octets, parser->at - 2) == CLASS_IN;
}

/* The length octets of the character-strings fit the data exactly. */
static bool strings_fit(sp_str_t data)
{
    size_t at = 0;

    while (at < data.len) {
        at += 1 + (size_t)(unsigned char)data.ptr[at];
    }
    return at == data.len && at != 0;
}

/* A name inside record data, which ends `behind` octets before the data does. */
static bool read_inner_name(const parser_t *parser, size_t at, size_t end, size_t behind,
                            sp_wire_name_t *ret_name)
{
    return sp_wire_name_read(parser->octets, &at, ret_name) && at + behind == end;
}

static bool read_soa(const parser_t *parser, size_t at, size_t end, sp_wire_rr_t *rr)
{
    sp_wire_name_t name;

    if (!sp_wire_name_read(parser->octets, &at, &name) ||
        !read_inner_name(parser, at, end, SOA_NUMBERS, &name)) {
        return false;
    }
    rr->minimum_s = sane_ttl(peek32(parser->octets, end - 4));
    return true;
}

/* `target` of a CNAME stays in the caller's memory. */
static bool read_data(const parser_t *parser, size_t end, sp_wire_rr_t *rr, sp_wire_name_t *target)
{
    rr->data = sp_str_slice(parser->octets, parser->at, end);
    switch (rr->type) {
    case SP_TYPE_TXT:
        return strings_fit(rr->data);
    case TYPE_CNAME:
        return read_inner_name(parser, parser->at, end, 0, target);
    case TYPE_SOA:
        return read_soa(parser, parser->at, end, rr);
    default:
        return true;
    }
}

typedef enum { RR_KEPT, RR_PASSED_OVER, RR_MALFORMED, RR_NO_MEMORY } rr_result_t;

static sp_wire_rr_t *keep(const parser_t *parser, const sp_wire_rr_t *rr,
                          const sp_wire_name_t *owner, const sp_wire_name_t *target)
{
    sp_wire_rr_t *kept = sp_arena_alloc(parser->arena, sizeof(*kept));

    if (kept == NULL) {
        return NULL;
    }
    *kept = *rr;
    kept->owner = sp_arena_copy(parser->arena, sp_wire_name_str(owner));
    kept->target = sp_arena_copy(parser->arena, sp_wire_name_str(target));
    return kept->owner.ptr != NULL && kept->target.ptr != NULL ? kept : NULL;
}

static bool matters(const parser_t *parser, uint16_t type)
{
    return type == parser->type || type == TYPE_CNAME || type == TYPE_SOA || type == TYPE_NS;
}

static rr_result_t read_rr(parser_t *parser, sp_wire_rr_t **ret_rr)
{
    sp_str_t octets = parser->octets;
    sp_wire_name_t owner;
    sp_wire_name_t target = {.len = 0};
    sp_wire_rr_t rr = {.type = 0};
    unsigned rr_class;
    size_t end;

    if (!sp_wire_name_read(octets, &parser->at, &owner) || octets.len - parser->at < 10) {
        return RR_MALFORMED;
    }
    rr.type = (uint16_t)peek16(octets, parser->at);
    rr_class = peek16(octets, parser->at + 2);
    rr.ttl_s = sane_ttl(peek32(octets, parser->at + 4));
    end = parser->at + 10 + peek16(octets, parser->at + 8);
    parser->at += 10;
    if (end > octets.len || (rr_class == CLASS_IN && !read_data(parser, end, &rr, &target))) {
        return RR_MALFORMED;
    }
    parser->at = end;
    if (rr_class != CLASS_IN || !matters(parser, rr.type)) {
        return RR_PASSED_OVER;
    }
    *ret_rr = keep(parser, &rr, &owner, &target);
    return *ret_rr != NULL ? RR_KEPT : RR_NO_MEMORY;
}

static rr_result_t read_answers(parser_t *parser, sp_wire_message_t *message)
{
    sp_wire_rr_t *last = NULL;

    for (unsigned left = peek16(parser->octets, 6); left != 0; --left) {
        sp_wire_rr_t *rr = NULL;
        rr_result_t result = read_rr(parser, &rr);

        if (result == RR_MALFORMED || result == RR_NO_MEMORY) {
            return result;
        }
        if (result == RR_KEPT && last == NULL) {
            message->answers = rr;
        } else if (result == RR_KEPT) {
            last->next = rr;
        }
        last = rr != NULL ? rr : last;
    }
    return RR_KEPT;
}

static rr_result_t read_authority(parser_t *parser, sp_wire_message_t *message)
{
    for (unsigned left = peek16(parser->octets, 8); left != 0; --left) {
        sp_wire_rr_t *rr = NULL;
        rr_result_t result = read_rr(parser, &rr);

        if (result == RR_MALFORMED || result == RR_NO_MEMORY) {
            return result;
        }
        if (result == RR_KEPT && rr->type == TYPE_SOA && message->soa == NULL) {
            message->soa = rr;
        }
        if (result == RR_KEPT && rr->type == TYPE_NS) {
            message->is_referral = (peek16(parser->octets, 2) & FLAG_AA) == 0;
        }
    }
    return RR_KEPT;
}

const sp_wire_rr_t *sp_wire_rr_find(const sp_wire_rr_t *rr, sp_str_t owner, uint16_t type)
{
    while (rr != NULL && (rr->type != type || !sp_str_eq(rr->owner, owner))) {
        rr = rr->next;
    }
    return rr;
}

size_t sp_wire_rr_count(const sp_wire_rr_t *rr, sp_str_t owner, uint16_t type)
{
    size_t count = 0;

    for (rr = sp_wire_rr_find(rr, owner, type); rr != NULL;
         rr = sp_wire_rr_find(rr->next, owner, type)) {
        ++count;
    }
    return count;
}

static void follow_chain(sp_wire_message_t *message)
{
    const sp_wire_rr_t *rr;

    message->kind = SP_MESSAGE_READ;
    while ((rr = sp_wire_rr_find(message->answers, message->end, TYPE_CNAME)) != NULL) {
        if (++message->chain > SP_CHAIN_MAX) {
            message->kind = SP_MESSAGE_LOOP;
            return;
        }
        message->end = rr->target;
        message->chain_ttl_s = rr->ttl_s < message->chain_ttl_s ? rr->ttl_s : message->chain_ttl_s;
    }
}

/* What header and question alone decide; false: the records are to be read. */
static bool read_head(parser_t *parser, sp_str_t name, sp_wire_message_t *message)
{
    unsigned flags = 0;

    if (parser->octets.len < HEADER_SIZE) {
        return true;
    }
    flags = peek16(parser->octets, 2);
    message->rcode = flags & 0xf;
    if ((flags & FLAG_QR) == 0) {
        return true;
    }
    if (message->rcode != SP_RCODE_NOERROR && message->rcode != SP_RCODE_NXDOMAIN) {
        message->kind = SP_MESSAGE_RCODE;
        return true;
    }
    if (!read_question(parser, name)) {
        return true;
    }
    message->kind = (flags & FLAG_TC) != 0 ? SP_MESSAGE_TRUNCATED : SP_MESSAGE_MALFORMED;
    return message->kind == SP_MESSAGE_TRUNCATED;
}

sp_status_t sp_wire_message_read(sp_str_t octets, sp_str_t name, uint16_t type, sp_arena_t *arena,
                                 sp_wire_message_t *ret_message)
{
    parser_t parser = {.octets = octets, .at = HEADER_SIZE, .arena = arena, .type = type};
    rr_result_t result;

    *ret_message =
        (sp_wire_message_t){.kind = SP_MESSAGE_MALFORMED, .end = name, .chain_ttl_s = UINT32_MAX};
    if (read_head(&parser, name, ret_message)) {
        return SP_OK;
    }
    result = read_answers(&parser, ret_message);
    if (result == RR_KEPT) {
        result = read_authority(&parser, ret_message);
    }
    if (result == RR_NO_MEMORY) {
        return SP_NO_MEMORY;
    }
    if (result != RR_MALFORMED) {
        follow_chain(ret_message);
    }
    return SP_OK;
}
