/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_READY_ANSWERS_H
#define SIGNPOST_DNS_READY_ANSWERS_H

/* Answers that depend on nothing, made once, so that a question which fails at once needs no
 * memory. */

#include <signpost/decide/answer.h>

typedef struct sp_ready_answers {
    const sp_answer_t *overload;
    const sp_answer_t *no_resolver;
    const sp_answer_t *timeout;
    const sp_answer_t *nxdomain; /* outside the zones, when there are zones and no resolver */
} sp_ready_answers_t;

/* SP_OK or SP_NO_MEMORY; sp_ready_answers_clear is due in any case. */
sp_status_t sp_ready_answers_make(sp_ready_answers_t *ret_answers);

/* Accepts an object of zeros. */
void sp_ready_answers_clear(sp_ready_answers_t *answers);

#endif
