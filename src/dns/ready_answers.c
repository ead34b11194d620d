/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ready_answers.h"

static sp_status_t make_failure(sp_failure_t failure, const sp_answer_t **ret_answer)
{
    return sp_answer_create(&(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = failure},
                            ret_answer);
}

sp_status_t sp_ready_answers_make(sp_ready_answers_t *ret_answers)
{
    sp_status_t status = make_failure(SP_FAILURE_OVERLOAD, &ret_answers->overload);

    if (status == SP_OK) {
        status = make_failure(SP_FAILURE_NO_RESOLVER, &ret_answers->no_resolver);
    }
    if (status == SP_OK) {
        status = make_failure(SP_FAILURE_TIMEOUT, &ret_answers->timeout);
    }
    if (status == SP_OK) {
        status = sp_answer_create(&(sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN},
                                  &ret_answers->nxdomain);
    }
    return status;
}

void sp_ready_answers_clear(sp_ready_answers_t *answers)
{
    sp_answer_release(answers->overload);
    sp_answer_release(answers->no_resolver);
    sp_answer_release(answers->timeout);
    sp_answer_release(answers->nxdomain);
    *answers = (sp_ready_answers_t){0};
}
