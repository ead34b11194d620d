/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/plan.h"

void sp_lab_plan_init(sp_lab_plan_t *plan, size_t cases, unsigned repetitions,
                      double repeated_share)
{
    *plan =
        (sp_lab_plan_t){.cases = cases,
                        .repetitions = repetitions,
                        .repeated_max = (unsigned)(repeated_share * (double)cases * repetitions)};
}

static sp_lab_turn_t turn_at(const sp_lab_plan_t *plan, size_t at)
{
    size_t repetition = at / plan->cases;

    return (sp_lab_turn_t){.index = (at + repetition) % plan->cases,
                           .repetition = (unsigned)repetition + 1};
}

bool sp_lab_plan_next(sp_lab_plan_t *plan, sp_lab_turn_t *ret_turn)
{
    if (!plan->again) {
        if (plan->at == plan->cases * plan->repetitions) {
            return false;
        }
        plan->current = turn_at(plan, plan->at++);
    }
    plan->again = false;
    ++plan->current.attempt;
    plan->current.order = ++plan->order;
    *ret_turn = plan->current;
    return true;
}

bool sp_lab_plan_disturbed(sp_lab_plan_t *plan, double foreign_cores)
{
    plan->again = foreign_cores > SP_LAB_FOREIGN_MAX && plan->current.attempt < SP_LAB_ATTEMPTS &&
                  plan->repeated < plan->repeated_max;
    plan->repeated += plan->again ? 1U : 0U;
    return plan->again;
}

unsigned sp_lab_plan_left(const sp_lab_plan_t *plan, size_t index)
{
    unsigned left = plan->again && plan->current.index == index ? 1U : 0U;

    for (size_t at = plan->at; at < plan->cases * plan->repetitions; ++at) {
        left += turn_at(plan, at).index == index ? 1U : 0U;
    }
    return left;
}
