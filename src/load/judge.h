/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_JUDGE_H
#define SIGNPOST_LOAD_JUDGE_H

/* Is an answer the one that was expected? */

#include "load/tally.h"

typedef struct sp_load_answer {
    unsigned status;
    size_t location_count; /* fields of that name */
    sp_str_t location;     /* of the first one */
} sp_load_answer_t;

/* SP_LOAD_OK, SP_LOAD_WRONG_STATUS or SP_LOAD_WRONG_LOCATION. */
sp_load_kind_t sp_load_judge(const sp_load_target_t *target, const sp_load_answer_t *answer);

#endif
