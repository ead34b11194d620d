/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/experiment.h"

#define START_SECONDS 2.0     /* network, servers and probes of one run, and taking them down */
#define RAW_EXTRA_SECONDS 0.5 /* starting a tool */

bool sp_lab_setup_serves(const sp_lab_setup_t *setup)
{
    return setup->has_app && setup->lookups.concurrency == 0 && setup->steps.role == NULL;
}

/* Lost packets make the last answers wait for as long as the resolver is asked again. */
static bool loses_packets(const sp_lab_setup_t *setup)
{
    for (size_t i = 0; i != setup->impairment_count; ++i) {
        sp_impairment_kind_t kind = setup->impairments[i].kind;

        if (kind == SP_IMPAIRMENT_LOSS || kind == SP_IMPAIRMENT_CONNTRACK_RACE ||
            kind == SP_IMPAIRMENT_CONNTRACK_FULL) {
            return true;
        }
    }
    return setup->event_count != 0;
}

double sp_lab_case_seconds(const sp_lab_case_t *one)
{
    const sp_lab_setup_t *setup = one->setup;
    double seconds = START_SECONDS;

    if (sp_lab_setup_serves(setup)) {
        seconds += one->load.duration_s + one->load.warm_s;
        seconds += loses_packets(setup) ? one->load.timeout_s / 2 : 0.0;
    }
    if (setup->lookups.concurrency != 0) {
        seconds += setup->lookups.duration_s + (loses_packets(setup) ? 5.0 : 0.0);
    }
    for (size_t i = 0; i != setup->raw.count; ++i) {
        seconds += setup->raw.list[i].seconds + RAW_EXTRA_SECONDS;
    }
    if (setup->steps.role != NULL) {
        seconds += (double)setup->steps.rate_count * (setup->steps.seconds + RAW_EXTRA_SECONDS);
    }
    return seconds;
}

double sp_lab_cases_seconds(const sp_lab_cases_t *cases)
{
    double seconds = 0;

    for (size_t i = 0; i != cases->count; ++i) {
        seconds += sp_lab_case_seconds(&cases->list[i]);
    }
    return seconds * cases->repetitions;
}
