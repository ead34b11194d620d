/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ARES_ANSWER_H
#define SIGNPOST_DNS_ARES_ANSWER_H

/* Raw DNS reply → the parts of an answer. Any octets may come in. */

#include <signpost/base/arena.h>
#include <signpost/decide/answer.h>

#include "dns/wire_message.h"

typedef enum sp_reply_kind {
    SP_REPLY_ANSWER,    /* `parts` is complete; a failure too is an answer */
    SP_REPLY_ALIAS,     /* a CNAME leads to `parts.canonical`, of which nothing is said: ask on */
    SP_REPLY_TRUNCATED, /* TC: the same question belongs on TCP */
} sp_reply_kind_t;

typedef struct sp_reply {
    sp_reply_kind_t kind;
    sp_answer_parts_t parts; /* lives in the arena */
    unsigned chain;          /* CNAMEs that were followed in this reply */
    unsigned rcode;
} sp_reply_t;

/* Reads the reply to a question for the TXT records of `name` (lower-case text form). The texts are
 * those of the last name of the CNAME chain only, the TTL is the smallest along the chain (0 where
 * RFC 2308 forbids to cache an absence: no SOA). A reply to another question, and everything that
 * breaks RFC 1035, is SP_FAILURE_MALFORMED. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_reply_read(sp_str_t message, sp_str_t name, sp_arena_t *arena,
                          sp_reply_t *ret_reply);

/* NOERROR → SP_FAILURE_NONE; NXDOMAIN too. */
sp_failure_t sp_failure_of_rcode(unsigned rcode);

#endif
