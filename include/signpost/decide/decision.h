/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_DECISION_H
#define SIGNPOST_DECIDE_DECISION_H

/* The decision: a machine that is asked which DNS name it needs, is told the answer, and ends in an
 * outcome and a trace. It does no I/O; the daemon, `explain`, the tests and the fuzzers all turn
 * the same crank:
 *
 *     sp_decision_t *decision = sp_decision_create(&request, &policy, &arena);
 *     while (sp_decision_step(decision) == SP_STEP_LOOKUP) {
 *         const sp_answer_t *answer = …ask for the TXT records of sp_decision_name(decision)…;
 *         sp_decision_answer(decision, answer);
 *     }
 *     outcome = sp_decision_outcome(decision);
 *     …
 *     sp_decision_destroy(decision);
 */

#include <signpost/decide/answer.h>
#include <signpost/decide/request.h>
#include <signpost/decide/trace.h>
#include <signpost/rule/outcome.h>
#include <signpost/rule/qr.h>

/* The part of the configuration that decisions depend on. Immutable while decisions run. */
typedef struct sp_policy {
    unsigned types; /* bit 1 << sp_record_type_t for each enabled type */
    bool fallback_www;
    sp_str_t fallback_redirect; /* empty: none */
    uint16_t fallback_code;
    unsigned max_lookups; /* `limits.lookups_per_request` */
    sp_qr_policy_t qr;
} sp_policy_t;

/* The defaults of interface.md. */
void sp_policy_init(sp_policy_t *policy);

typedef enum sp_step { SP_STEP_LOOKUP, SP_STEP_DONE } sp_step_t;

typedef struct sp_decision sp_decision_t;

/* `request`, `policy` and `arena` must outlive the decision; its memory comes from `arena`.
 * NULL when memory is out. */
sp_decision_t *sp_decision_create(const sp_request_t *request, const sp_policy_t *policy,
                                  sp_arena_t *arena);

/* The answer for `name` if it is at hand, as a reference that the decision takes over; else NULL.
 */
typedef const sp_answer_t *sp_at_hand_fn(void *arg, sp_str_t name);

/* Before the first step: a step asks `at_hand` first, and ends with SP_STEP_LOOKUP only for a name
 * that it has no answer for. It spares whoever has answers the way out of the machine and back in.
 */
void sp_decision_use(sp_decision_t *decision, sp_at_hand_fn *at_hand, void *arg);

/* Releases the answers that the decision holds. Accepts NULL. Outcome and trace end with it. */
void sp_decision_destroy(sp_decision_t *decision);

/* Goes on as far as the answers at hand allow. */
sp_step_t sp_decision_step(sp_decision_t *decision);

/* After SP_STEP_LOOKUP: the absolute name whose TXT records are needed, lower case, without final
 * dot, at most 253 octets. Valid until sp_decision_answer. */
sp_str_t sp_decision_name(const sp_decision_t *decision);

/* The answer for that name; the decision takes its own reference. NULL means SP_NO_MEMORY: the
 * decision then ends in 503. */
void sp_decision_answer(sp_decision_t *decision, const sp_answer_t *answer);

/* After SP_STEP_DONE. */
const sp_outcome_t *sp_decision_outcome(const sp_decision_t *decision);
const sp_trace_t *sp_decision_trace(const sp_decision_t *decision);

/* The outcome for a request that sp_request_read refused: 400, with `err`'s sentence. Never NULL.
 */
const sp_outcome_t *sp_outcome_bad_request(const sp_error_t *err, sp_arena_t *arena);

#endif
