/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_SUPPORT_CASE_FILE_H
#define SIGNPOST_TESTS_SUPPORT_CASE_FILE_H

/* The conformance cases of tests/cases, played against the core: a zone held in memory answers what
 * the decision asks, with the wildcards of RFC 4592. */

#include <jansson.h>
#include <signpost/decide/decision.h>

/* What came of a case. */
typedef struct case_result {
    sp_arena_t arena;
    sp_request_t request;
    sp_policy_t policy;
    sp_decision_t *decision;
    const sp_outcome_t *outcome; /* NULL only when memory was out before there was a decision */
} case_result_t;

/* The answer of a case's zone for `name`; NULL when memory is out. */
const sp_answer_t *case_answer(const json_t *test_case, sp_str_t name);

/* Plays the case. End with case_clear, whatever happened. */
void case_play(const json_t *test_case, case_result_t *ret_result);
void case_clear(case_result_t *result);

/* Why the outcome is not what the case expects, into `ret_why`; true when it is. */
bool case_agrees(const json_t *test_case, const sp_outcome_t *outcome, char *ret_why,
                 size_t why_size);

#endif
