/* SPDX-License-Identifier: Apache-2.0 */
#include "load/judge.h"

static bool is_status(const sp_load_target_t *target, unsigned status)
{
    return target->status == 0 ? status < 400 : status == target->status;
}

static bool is_location(const sp_load_target_t *target, const sp_load_answer_t *answer)
{
    if (!target->has_location) {
        return true;
    }
    if (target->location.len == 0) {
        return answer->location_count == 0;
    }
    return answer->location_count == 1 && sp_str_eq(answer->location, target->location);
}

sp_load_kind_t sp_load_judge(const sp_load_target_t *target, const sp_load_answer_t *answer)
{
    if (!is_status(target, answer->status)) {
        return SP_LOAD_WRONG_STATUS;
    }
    return is_location(target, answer) ? SP_LOAD_OK : SP_LOAD_WRONG_LOCATION;
}
