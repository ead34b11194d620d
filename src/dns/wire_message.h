/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_WIRE_MESSAGE_H
#define SIGNPOST_DNS_WIRE_MESSAGE_H

/* A raw DNS reply to a question of any type, walked once: is it a reply to this question, what
 * does it hold, and where do its CNAMEs lead? What the records say is for the caller. Any octets
 * may come in. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

#define SP_TYPE_TXT 16
#define SP_TYPE_CAA 257
#define SP_CHAIN_MAX 16 /* CNAMEs in a row, over all replies to one question */
#define SP_RCODE_NOERROR 0
#define SP_RCODE_SERVFAIL 2
#define SP_RCODE_NXDOMAIN 3

/* A record of class IN. */
typedef struct sp_wire_rr {
    sp_str_t owner; /* in the arena */
    uint16_t type;
    uint32_t ttl_s;
    sp_str_t data;      /* in the message; of TXT, the strings fit it exactly */
    sp_str_t target;    /* CNAME, in the arena */
    uint32_t minimum_s; /* SOA */
    struct sp_wire_rr *next;
} sp_wire_rr_t;

typedef enum sp_wire_message_kind {
    SP_MESSAGE_READ,  /* NOERROR or NXDOMAIN, and all is set */
    SP_MESSAGE_RCODE, /* another rcode: it may come without a question (RFC 1035 leaves it open) */
    SP_MESSAGE_TRUNCATED, /* the same question belongs on TCP */
    SP_MESSAGE_LOOP,      /* its CNAMEs are a loop, or too many */
    SP_MESSAGE_MALFORMED  /* no reply, a reply to another question, or against RFC 1035 */
} sp_wire_message_kind_t;

typedef struct sp_wire_message {
    sp_wire_message_kind_t kind;
    unsigned rcode;              /* 0 for MALFORMED octets without a header */
    const sp_wire_rr_t *answers; /* in the reply's order: of the type asked for, and CNAMEs */
    const sp_wire_rr_t *soa;     /* the first of the authority section */
    bool is_referral;            /* without authority, it names servers: perhaps instead of
                                    resolving */
    sp_str_t end;                /* the name at the end of the CNAMEs; without any, the one asked */
    unsigned chain;              /* how many they are, when LOOP one more than is followed */
    uint32_t chain_ttl_s;        /* the smallest of theirs; UINT32_MAX */
} sp_wire_message_t;

/* `name` (text form of dns/wire_name.h) is what was asked for. All of the reply's answer and
 * authority sections is read, and checked, even where a chain ends before. SP_OK or SP_NO_MEMORY.
 */
sp_status_t sp_wire_message_read(sp_str_t octets, sp_str_t name, uint16_t type, sp_arena_t *arena,
                                 sp_wire_message_t *ret_message);

/* The first at or behind `rr`; NULL: none. */
const sp_wire_rr_t *sp_wire_rr_find(const sp_wire_rr_t *rr, sp_str_t owner, uint16_t type);

/* How many there are, at and behind `rr`. */
size_t sp_wire_rr_count(const sp_wire_rr_t *rr, sp_str_t owner, uint16_t type);

#endif
