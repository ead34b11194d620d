/* SPDX-License-Identifier: Apache-2.0 */
#include "load/result.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_US 1e3

/* The seconds that count for the throughput. */
static uint64_t whole_seconds(const sp_load_result_t *result)
{
    const sp_load_plan_t *plan = result->plan;
    const sp_load_outcome_t *outcome = result->outcome;

    if (plan->duration_ns != 0 && !outcome->interrupted) {
        return plan->duration_ns / NS_PER_SECOND;
    }
    return (uint64_t)outcome->sending_s;
}

double sp_load_throughput(const sp_load_result_t *result)
{
    const sp_load_tally_t *tally = result->outcome->tally;
    uint64_t seconds = whole_seconds(result);
    uint64_t answered = 0;

    if (seconds == 0 || seconds >= SP_LOAD_SERIES_MAX) {
        return result->outcome->elapsed_s > 0.0
                   ? (double)tally->kinds[SP_LOAD_OK] / result->outcome->elapsed_s
                   : 0.0;
    }
    for (size_t i = 0; i != tally->second_count && i != seconds; ++i) {
        answered += tally->seconds[i].answered;
    }
    return (double)answered / (double)seconds;
}

uint64_t sp_load_errors(const sp_load_tally_t *tally)
{
    uint64_t errors = 0;

    for (size_t kind = 0; kind != SP_LOAD_KINDS; ++kind) {
        errors += kind == SP_LOAD_OK ? 0 : tally->kinds[kind];
    }
    return errors;
}

sp_status_t sp_load_samples_print(const sp_load_tally_t *tally, FILE *out)
{
    (void)fputs("due_us\tsent_us\tend_us\tkind\tstatus\n", out);
    for (size_t i = 0; i != tally->sample_count && !ferror(out); ++i) {
        const sp_load_end_t *end = &tally->samples[i];

        (void)fprintf(out, "%.3f\t", (double)end->due_ns / NS_PER_US);
        if (end->sent_ns != UINT64_MAX) {
            (void)fprintf(out, "%.3f", (double)end->sent_ns / NS_PER_US);
        }
        (void)fprintf(out, "\t%.3f\t%s\t%u\n", (double)end->end_ns / NS_PER_US,
                      sp_load_kind_name(end->kind), end->status);
    }
    return fflush(out) == 0 && !ferror(out) ? SP_OK : SP_IO;
}
