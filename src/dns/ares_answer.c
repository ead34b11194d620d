/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_answer.h"

#include "dns/wire_name.h"
#include <string.h>

#define HEADER_SIZE 12
#define TYPE_NS 2
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define TYPE_TXT 16
#define CLASS_IN 1
#define RCODE_NOERROR 0
#define RCODE_SERVFAIL 2
#define RCODE_NXDOMAIN 3
#define FLAG_QR 0x8000U
#define FLAG_AA 0x0400U
#define FLAG_TC 0x0200U
#define SOA_NUMBERS 20 /* octets of the five numbers at the end of an SOA */

/* A record that matters here. */
typedef struct rr {
    sp_str_t owner;
    uint16_t type;
    uint32_t ttl_s;
    sp_str_t data;   /* TXT */
    sp_str_t target; /* CNAME */
    uint32_t minimum_s;
    struct rr *next;
} rr_t;

/* The reply being read. */
typedef struct parser {
    sp_str_t message;
    size_t at;
    sp_arena_t *arena;
    unsigned flags;
    rr_t *answers; /* in the reply's order */
    rr_t *soa;     /* the first of the authority section */
    bool referral; /* the authority section has an NS record */
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

sp_failure_t sp_failure_of_rcode(unsigned rcode)
{
    switch (rcode) {
    case RCODE_NOERROR:
    case RCODE_NXDOMAIN:
        return SP_FAILURE_NONE;
    case RCODE_SERVFAIL:
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

/* RFC 2181, 8: a TTL with the top bit set counts as 0. */
static uint32_t sane_ttl(uint32_t ttl_s)
{
    return (ttl_s & 0x80000000U) != 0 ? 0 : ttl_s;
}

static bool read_question(parser_t *parser, sp_str_t name)
{
    sp_wire_name_t asked;

    if (peek16(parser->message, 4) != 1 ||
        !sp_wire_name_read(parser->message, &parser->at, &asked) ||
        parser->message.len - parser->at < 4) {
        return false;
    }
    parser->at += 4;
    return sp_str_eq(sp_wire_name_str(&asked), name) &&
           peek16(parser->message, parser->at - 4) == TYPE_TXT &&
           peek16(parser->message, parser->at - 2) == CLASS_IN;
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
    return sp_wire_name_read(parser->message, &at, ret_name) && at + behind == end;
}

static bool read_soa(const parser_t *parser, size_t at, size_t end, rr_t *rr)
{
    sp_wire_name_t name;

    if (!sp_wire_name_read(parser->message, &at, &name) ||
        !read_inner_name(parser, at, end, SOA_NUMBERS, &name)) {
        return false;
    }
    rr->minimum_s = sane_ttl(peek32(parser->message, end - 4));
    return true;
}

/* `target` of a CNAME stays in the caller's memory. */
static bool read_data(const parser_t *parser, size_t end, rr_t *rr, sp_wire_name_t *target)
{
    rr->data = sp_str_slice(parser->message, parser->at, end);
    switch (rr->type) {
    case TYPE_TXT:
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

static rr_t *keep(const parser_t *parser, const rr_t *rr, const sp_wire_name_t *owner,
                  const sp_wire_name_t *target)
{
    rr_t *kept = sp_arena_alloc(parser->arena, sizeof(*kept));

    if (kept == NULL) {
        return NULL;
    }
    *kept = *rr;
    kept->owner = sp_arena_copy(parser->arena, sp_wire_name_str(owner));
    kept->target = sp_arena_copy(parser->arena, sp_wire_name_str(target));
    return kept->owner.ptr != NULL && kept->target.ptr != NULL ? kept : NULL;
}

static rr_result_t read_rr(parser_t *parser, rr_t **ret_rr)
{
    sp_str_t message = parser->message;
    sp_wire_name_t owner;
    sp_wire_name_t target = {.len = 0};
    rr_t rr = {0};
    unsigned rr_class;
    size_t end;

    if (!sp_wire_name_read(message, &parser->at, &owner) || message.len - parser->at < 10) {
        return RR_MALFORMED;
    }
    rr.type = (uint16_t)peek16(message, parser->at);
    rr_class = peek16(message, parser->at + 2);
    rr.ttl_s = sane_ttl(peek32(message, parser->at + 4));
    end = parser->at + 10 + peek16(message, parser->at + 8);
    parser->at += 10;
    if (end > message.len || (rr_class == CLASS_IN && !read_data(parser, end, &rr, &target))) {
        return RR_MALFORMED;
    }
    parser->at = end;
    if (rr_class != CLASS_IN || (rr.type != TYPE_TXT && rr.type != TYPE_CNAME &&
                                 rr.type != TYPE_SOA && rr.type != TYPE_NS)) {
        return RR_PASSED_OVER;
    }
    *ret_rr = keep(parser, &rr, &owner, &target);
    return *ret_rr != NULL ? RR_KEPT : RR_NO_MEMORY;
}

static rr_result_t read_answers(parser_t *parser)
{
    rr_t **link = &parser->answers;

    for (unsigned left = peek16(parser->message, 6); left != 0; --left) {
        rr_t *rr = NULL;
        rr_result_t result = read_rr(parser, &rr);

        if (result == RR_KEPT) {
            *link = rr;
            link = &rr->next;
        } else if (result != RR_PASSED_OVER) {
            return result;
        }
    }
    return RR_KEPT;
}

static rr_result_t read_authority(parser_t *parser)
{
    for (unsigned left = peek16(parser->message, 8); left != 0; --left) {
        rr_t *rr = NULL;
        rr_result_t result = read_rr(parser, &rr);

        if (result == RR_MALFORMED || result == RR_NO_MEMORY) {
            return result;
        }
        if (result == RR_KEPT && rr->type == TYPE_SOA && parser->soa == NULL) {
            parser->soa = rr;
        }
        if (result == RR_KEPT && rr->type == TYPE_NS) {
            parser->referral = true;
        }
    }
    return RR_KEPT;
}

static const rr_t *find_rr(const rr_t *rr, sp_str_t owner, uint16_t type)
{
    while (rr != NULL && (rr->type != type || !sp_str_eq(rr->owner, owner))) {
        rr = rr->next;
    }
    return rr;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* False for a chain that is a loop or too long. */
static bool follow_chain(const parser_t *parser, sp_str_t *name, uint32_t *ttl_s, unsigned *chain)
{
    const rr_t *rr;

    while ((rr = find_rr(parser->answers, *name, TYPE_CNAME)) != NULL) {
        if (++*chain > SP_CHAIN_MAX) {
            return false;
        }
        *name = rr->target;
        *ttl_s = min_u32(*ttl_s, rr->ttl_s);
    }
    return true;
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

/* The texts at `name`; none is no failure. */
static sp_status_t collect_texts(const parser_t *parser, sp_str_t name, sp_answer_parts_t *parts)
{
    const rr_t *first = find_rr(parser->answers, name, TYPE_TXT);
    size_t count = 0;
    sp_str_t *texts;

    for (const rr_t *rr = first; rr != NULL; rr = find_rr(rr->next, name, TYPE_TXT)) {
        ++count;
    }
    texts = sp_arena_zalloc(parser->arena, count, sizeof(*texts));
    if (texts == NULL) {
        return SP_NO_MEMORY;
    }
    count = 0;
    for (const rr_t *rr = first; rr != NULL; rr = find_rr(rr->next, name, TYPE_TXT)) {
        texts[count] = join_strings(parser->arena, rr->data);
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
static uint32_t negative_ttl(const parser_t *parser, sp_str_t name, uint32_t chain_ttl_s)
{
    const rr_t *soa = parser->soa;

    if (soa == NULL || !sp_name_is_within(name, soa->owner)) {
        return 0;
    }
    return min_u32(chain_ttl_s, min_u32(soa->ttl_s, soa->minimum_s));
}

static sp_status_t conclude(const parser_t *parser, sp_str_t name, sp_reply_t *ret)
{
    sp_str_t end = name;
    sp_answer_parts_t parts = {.ttl_s = UINT32_MAX};

    ret->chain = 0;
    if (!follow_chain(parser, &end, &parts.ttl_s, &ret->chain)) {
        return fail(SP_FAILURE_SERVFAIL, ret);
    }
    if (collect_texts(parser, end, &parts) != SP_OK) {
        return SP_NO_MEMORY;
    }
    if (ret->chain != 0) {
        parts.canonical = end;
    }
    ret->kind = SP_REPLY_ANSWER;
    if (ret->rcode == RCODE_NXDOMAIN || (parts.text_count == 0 && parser->soa != NULL)) {
        parts.kind = ret->rcode == RCODE_NXDOMAIN ? SP_ANSWER_NXDOMAIN : SP_ANSWER_NODATA;
        parts.ttl_s = negative_ttl(parser, end, parts.ttl_s);
        parts.text_count = 0;
    } else if (parts.text_count != 0) {
        parts.kind = SP_ANSWER_TXT;
    } else if (ret->chain != 0) {
        parts.kind = SP_ANSWER_NODATA;
        ret->kind = SP_REPLY_ALIAS;
    } else if (parser->referral && (parser->flags & FLAG_AA) == 0) {
        return fail(SP_FAILURE_SERVFAIL, ret); /* it points elsewhere instead of resolving */
    } else {
        parts.kind = SP_ANSWER_NODATA;
        parts.ttl_s = 0;
    }
    ret->parts = parts;
    return SP_OK;
}

/* An rcode other than these two may come without a question (RFC 1035 leaves it open). */
static bool is_failure(const parser_t *parser, unsigned rcode, sp_reply_t *ret)
{
    sp_failure_t failure = sp_failure_of_rcode(rcode);

    if (failure == SP_FAILURE_NONE || (parser->flags & FLAG_QR) == 0) {
        return false;
    }
    (void)fail(failure, ret);
    return true;
}

sp_status_t sp_reply_read(sp_str_t message, sp_str_t name, sp_arena_t *arena, sp_reply_t *ret_reply)
{
    parser_t parser = {.message = message, .at = HEADER_SIZE, .arena = arena};
    rr_result_t result;

    *ret_reply = (sp_reply_t){0};
    if (message.len < HEADER_SIZE) {
        return fail(SP_FAILURE_MALFORMED, ret_reply);
    }
    parser.flags = peek16(message, 2);
    ret_reply->rcode = parser.flags & 0xf;
    if (is_failure(&parser, ret_reply->rcode, ret_reply)) {
        return SP_OK;
    }
    if ((parser.flags & FLAG_QR) == 0 || !read_question(&parser, name)) {
        return fail(SP_FAILURE_MALFORMED, ret_reply);
    }
    if ((parser.flags & FLAG_TC) != 0) {
        ret_reply->kind = SP_REPLY_TRUNCATED;
        return SP_OK;
    }
    result = read_answers(&parser);
    if (result == RR_KEPT) {
        result = read_authority(&parser);
    }
    if (result == RR_NO_MEMORY) {
        return SP_NO_MEMORY;
    }
    return result == RR_MALFORMED ? fail(SP_FAILURE_MALFORMED, ret_reply)
                                  : conclude(&parser, name, ret_reply);
}
