/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ARES_ATTEMPT_H
#define SIGNPOST_DNS_ARES_ATTEMPT_H

/* One sending of one question to one resolver, and what came of it. */

#include "dns/ares_channel.h"
#include "dns/wire_name.h"
#include <signpost/decide/answer.h>

/* What is asked for, and what the CNAMEs before it have said. */
typedef struct sp_asked {
    sp_wire_name_t name;
    uint32_t ttl_s; /* smallest so far; UINT32_MAX at first */
    unsigned chain; /* CNAMEs followed so far */
} sp_asked_t;

typedef enum sp_attempt_result {
    SP_ATTEMPT_ANSWERED,  /* `answer` */
    SP_ATTEMPT_ALIAS,     /* `next` is to be asked for */
    SP_ATTEMPT_TRUNCATED, /* the same question belongs on TCP */
    SP_ATTEMPT_FAILED,    /* `failure`: another resolver may know better */
    SP_ATTEMPT_SILENT,
    SP_ATTEMPT_CANCELLED
} sp_attempt_result_t;

typedef struct sp_attempt_outcome {
    sp_attempt_result_t result;
    const sp_answer_t *answer; /* a reference */
    sp_asked_t *next;          /* malloc'ed */
    sp_failure_t failure;
} sp_attempt_outcome_t;

/* Judges what a channel has called back with. */
sp_attempt_outcome_t sp_attempt_judge(const sp_asked_t *asked, sp_wire_result_t wire,
                                      sp_str_t message);

/* Lets go of what the outcome holds. */
void sp_attempt_outcome_clear(sp_attempt_outcome_t *outcome);

#endif
