/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_QUERY_ATTEMPT_H
#define SIGNPOST_DNS_QUERY_ATTEMPT_H

/* The sendings of one question, and what each says of the resolver it went to. The inside of
 * ares_client. */

#include "dns/ares_attempt.h"
#include "dns/lookup.h"
#include "dns/resolver.h"
#include "dns/timer_heap.h"

typedef struct sp_query_attempt sp_query_attempt_t;

/* What all queries of a client share. */
typedef struct sp_query_env {
    sp_dns_options_t options;
    sp_resolver_t resolvers[SP_RESOLVERS_MAX];
    sp_poller_t *poller;
    sp_timer_heap_t timers;      /* one for each query under way */
    sp_query_attempt_t *settled; /* attempts whose outcome is to be dealt with, oldest first */
    sp_query_attempt_t **settled_end;
    const sp_answer_t *no_memory; /* for when there is none to say so */
    bool in_turn;                 /* of the loop: the outcomes are dealt with at its end */
    void (*on_back)(void *arg);   /* a resolver of which nothing was heard has answered */
    void *arg;
} sp_query_env_t;

/* What is asked for, and the sendings whose outcome is still to come or to be dealt with. */
typedef struct sp_question {
    sp_asked_t asked;
    sp_query_attempt_t *attempts;
} sp_question_t;

/* One sending. In its question's list, until its outcome has been dealt with, and there once more
 * in the list of outcomes to deal with. */
struct sp_query_attempt {
    sp_query_env_t *env;
    sp_question_t *question; /* NULL: it is answered, or another one by now */
    sp_query_attempt_t *next;
    sp_query_attempt_t *next_settled;
    size_t resolver;
    bool tcp;
    uint64_t sent_us;
    sp_attempt_outcome_t outcome;
};

/* False when there is no room for it. */
bool sp_query_send(sp_query_env_t *env, sp_question_t *question, size_t resolver, bool tcp);

/* Nobody waits for the question's attempts any more. */
void sp_query_abandon(sp_question_t *question);

/* Takes the attempt out of its question's list. */
void sp_query_unlink(sp_query_attempt_t *attempt);

/* Does that resolver owe an answer? */
bool sp_query_listens(const sp_question_t *question, size_t resolver);
bool sp_query_listens_over_tcp(const sp_question_t *question, size_t resolver);

/* Takes the oldest outcome off the list; NULL: none. The caller frees it. */
sp_query_attempt_t *sp_query_take_attempt(sp_query_attempt_t **list);
void sp_query_free_attempt(sp_query_attempt_t *attempt);

#endif
