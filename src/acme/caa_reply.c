/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_reply.h"

#include "dns/wire_name.h"

#define HEADER_SIZE 12
#define CLASS_IN 1
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define FLAG_QR 0x8000U
#define FLAG_TC 0x0200U
#define RCODE_NXDOMAIN 3

/* A record of the answer section that matters. */
typedef struct rr {
    sp_str_t owner;
    sp_str_t target; /* CNAME */
    sp_str_t data;   /* CAA */
    bool is_alias;
    struct rr *next;
} rr_t;

typedef struct parser {
    sp_str_t message;
    size_t at;
    sp_arena_t *arena;
    rr_t *first; /* in the reply's order */
    rr_t **link;
} parser_t;

static unsigned peek16(sp_str_t message, size_t at)
{
    const unsigned char *octets = (const unsigned char *)message.ptr + at;

    return (unsigned)octets[0] << 8 | octets[1];
}

static sp_status_t fail(sp_caa_reply_t *ret_reply, const char *why)
{
    *ret_reply = (sp_caa_reply_t){.kind = SP_CAA_REPLY_FAILED, .why = why};
    return SP_OK;
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
           peek16(parser->message, parser->at - 4) == SP_CAA_TYPE &&
           peek16(parser->message, parser->at - 2) == CLASS_IN;
}

static sp_status_t keep(parser_t *parser, const rr_t *rr, const sp_wire_name_t *owner,
                        const sp_wire_name_t *target)
{
    rr_t *kept = sp_arena_zalloc(parser->arena, 1, sizeof(*kept));

    if (kept == NULL) {
        return SP_NO_MEMORY;
    }
    *kept = *rr;
    kept->owner = sp_arena_copy(parser->arena, sp_wire_name_str(owner));
    kept->target = sp_arena_copy(parser->arena, sp_wire_name_str(target));
    if (kept->owner.ptr == NULL || kept->target.ptr == NULL) {
        return SP_NO_MEMORY;
    }
    *parser->link = kept;
    parser->link = &kept->next;
    return SP_OK;
}

/* SP_BAD_SYNTAX: the message is broken. */
static sp_status_t read_rr(parser_t *parser)
{
    sp_str_t message = parser->message;
    sp_wire_name_t owner;
    sp_wire_name_t target = {.len = 0};
    rr_t rr = {.is_alias = false};
    unsigned type = 0;
    size_t start = 0;
    size_t end = 0;

    if (!sp_wire_name_read(message, &parser->at, &owner) || message.len - parser->at < 10) {
        return SP_BAD_SYNTAX;
    }
    type = peek16(message, parser->at);
    start = parser->at + 10;
    end = start + peek16(message, parser->at + 8);
    if (end > message.len) {
        return SP_BAD_SYNTAX;
    }
    rr.is_alias = type == TYPE_CNAME;
    if (rr.is_alias) {
        size_t at = start;

        if (!sp_wire_name_read(message, &at, &target) || at != end) {
            return SP_BAD_SYNTAX;
        }
    }
    rr.data = sp_str_slice(message, start, end);
    parser->at = end;
    if (peek16(message, start - 8) != CLASS_IN || (!rr.is_alias && type != SP_CAA_TYPE)) {
        return SP_OK;
    }
    return keep(parser, &rr, &owner, &target);
}

static const rr_t *find(const rr_t *rr, sp_str_t owner, bool is_alias)
{
    while (rr != NULL && (rr->is_alias != is_alias || !sp_str_eq(rr->owner, owner))) {
        rr = rr->next;
    }
    return rr;
}

/* A record that can't be read may say anything: nobody is to issue past it. */
static sp_caa_record_t read_record(sp_str_t data)
{
    sp_caa_record_t record;

    if (!sp_caa_record_read(data, &record)) {
        record = (sp_caa_record_t){.flags = SP_CAA_CRITICAL, .tag = SP_STR(""), .value = data};
    }
    return record;
}

static sp_status_t collect(const parser_t *parser, sp_str_t owner, sp_caa_reply_t *reply)
{
    size_t count = 0;
    sp_caa_record_t *records = NULL;
    const rr_t *first = find(parser->first, owner, false);

    for (const rr_t *rr = first; rr != NULL; rr = find(rr->next, owner, false)) {
        ++count;
    }
    records = sp_arena_zalloc(parser->arena, count, sizeof(*records));
    if (records == NULL) {
        return SP_NO_MEMORY;
    }
    for (const rr_t *rr = first; rr != NULL; rr = find(rr->next, owner, false)) {
        records[reply->count++] = read_record(rr->data);
    }
    reply->records = records;
    return SP_OK;
}

/* Does the authority section say by a SOA that there is nothing more to find? */
static bool has_soa(parser_t *parser)
{
    for (unsigned left = peek16(parser->message, 8); left != 0; --left) {
        sp_wire_name_t owner;

        if (!sp_wire_name_read(parser->message, &parser->at, &owner) ||
            parser->message.len - parser->at < 10) {
            return false;
        }
        if (peek16(parser->message, parser->at) == TYPE_SOA) {
            return true;
        }
        parser->at += 10 + (size_t)peek16(parser->message, parser->at + 8);
        if (parser->at > parser->message.len) {
            return false;
        }
    }
    return false;
}

static sp_status_t conclude(parser_t *parser, sp_str_t name, bool is_denied,
                            sp_caa_reply_t *ret_reply)
{
    sp_str_t end = name;
    unsigned chain = 0;
    sp_status_t status = SP_OK;

    for (const rr_t *rr = find(parser->first, end, true); rr != NULL;
         rr = find(parser->first, end, true)) {
        if (++chain > SP_CAA_CHAIN_MAX) {
            return fail(ret_reply, "its CNAMEs are a loop");
        }
        end = rr->target;
    }
    ret_reply->kind = SP_CAA_REPLY_RECORDS;
    status = collect(parser, end, ret_reply);
    if (status == SP_OK && ret_reply->count == 0 && chain != 0 && !is_denied && !has_soa(parser)) {
        ret_reply->kind = SP_CAA_REPLY_ALIAS;
        ret_reply->alias = end;
    }
    return status;
}

static const char *failure_of(unsigned rcode)
{
    switch (rcode) {
    case 1:
        return "FORMERR";
    case 2:
        return "SERVFAIL";
    case 4:
        return "NOTIMP";
    case 5:
        return "REFUSED";
    default:
        return rcode == 0 || rcode == RCODE_NXDOMAIN ? NULL : "an error";
    }
}

sp_status_t sp_caa_reply_read(sp_str_t message, sp_str_t name, sp_arena_t *arena,
                              sp_caa_reply_t *ret_reply)
{
    parser_t parser = {.message = message, .at = HEADER_SIZE, .arena = arena};
    unsigned flags = 0;
    sp_status_t status = SP_OK;

    parser.link = &parser.first;
    *ret_reply = (sp_caa_reply_t){.kind = SP_CAA_REPLY_FAILED};
    if (message.len < HEADER_SIZE) {
        return fail(ret_reply, "a malformed reply");
    }
    flags = peek16(message, 2);
    if ((flags & FLAG_QR) != 0 && failure_of(flags & 0xf) != NULL) {
        return fail(ret_reply, failure_of(flags & 0xf));
    }
    if ((flags & FLAG_QR) == 0 || !read_question(&parser, name)) {
        return fail(ret_reply, "a malformed reply");
    }
    if ((flags & FLAG_TC) != 0) {
        ret_reply->kind = SP_CAA_REPLY_TRUNCATED;
        return SP_OK;
    }
    for (unsigned left = peek16(message, 6); status == SP_OK && left != 0; --left) {
        status = read_rr(&parser);
    }
    if (status == SP_BAD_SYNTAX) {
        return fail(ret_reply, "a malformed reply");
    }
    return status != SP_OK ? status
                           : conclude(&parser, name, (flags & 0xf) == RCODE_NXDOMAIN, ret_reply);
}
