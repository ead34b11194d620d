/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

sp_status_t sp_lab_progress_init(sp_lab_progress_t *progress, FILE *out,
                                 const sp_lab_experiment_t *experiment, const sp_lab_cases_t *cases)
{
    *progress = (sp_lab_progress_t){.out = out,
                                    .same_line = isatty(fileno(out)) != 0,
                                    .experiment = experiment,
                                    .cases = cases,
                                    .taken_s = calloc(cases->count + 1, sizeof(double)),
                                    .runs = calloc(cases->count + 1, sizeof(unsigned)),
                                    .dropped = calloc(cases->count + 1, sizeof(bool))};
    if (progress->taken_s == NULL || progress->runs == NULL || progress->dropped == NULL) {
        sp_lab_progress_clear(progress);
        return SP_NO_MEMORY;
    }
    return SP_OK;
}

void sp_lab_progress_clear(sp_lab_progress_t *progress)
{
    free(progress->taken_s);
    free(progress->runs);
    free(progress->dropped);
    progress->taken_s = NULL;
    progress->runs = NULL;
    progress->dropped = NULL;
}

void sp_lab_progress_took(sp_lab_progress_t *progress, size_t index, double seconds)
{
    progress->taken_s[index] += seconds;
    ++progress->runs[index];
}

void sp_lab_progress_drop(sp_lab_progress_t *progress, size_t index)
{
    progress->dropped[index] = true;
}

double sp_lab_progress_left(const sp_lab_progress_t *progress, const sp_lab_plan_t *plan)
{
    double taken = 0, expected = 0, left = 0, factor = 1;

    for (size_t i = 0; i != progress->cases->count; ++i) {
        taken += progress->taken_s[i];
        expected += progress->runs[i] * sp_lab_case_seconds(&progress->cases->list[i]);
    }
    factor = expected > 0 ? taken / expected : 1;
    for (size_t i = 0; i != progress->cases->count; ++i) {
        double each = progress->runs[i] != 0
                          ? progress->taken_s[i] / progress->runs[i]
                          : factor * sp_lab_case_seconds(&progress->cases->list[i]);
        unsigned runs = sp_lab_plan_left(plan, i) + (plan->current.index == i ? 1U : 0U);

        left += progress->dropped[i] ? 0 : each * runs;
    }
    return left + progress->later_s * factor;
}

const char *sp_lab_duration(double seconds, char text[SP_LAB_DURATION_MAX])
{
    unsigned long whole = (unsigned long)(seconds + 0.5);

    if (whole >= 3600) {
        (void)snprintf(text, SP_LAB_DURATION_MAX, "%lu h %lu min", whole / 3600, whole / 60 % 60);
    } else if (whole >= 60) {
        (void)snprintf(text, SP_LAB_DURATION_MAX, "%lu min %lu s", whole / 60, whole % 60);
    } else {
        (void)snprintf(text, SP_LAB_DURATION_MAX, "%lu s", whole);
    }
    return text;
}

void sp_lab_progress_show(const sp_lab_progress_t *progress, const sp_lab_plan_t *plan,
                          const sp_lab_turn_t *turn, const char *step)
{
    char left[SP_LAB_DURATION_MAX];
    const sp_lab_case_t *one = &progress->cases->list[turn->index];

    if (!progress->same_line && step[0] != '\0') {
        return; /* one line for each run is enough in a log */
    }
    (void)fprintf(progress->out, "%s%s %s, repetition %u of %u%s%s%s, %s left%s",
                  progress->same_line ? CLEAR_LINE : "", progress->experiment->id, one->name,
                  turn->repetition, progress->cases->repetitions,
                  turn->attempt > 1 ? " once more" : "", step[0] == '\0' ? "" : ": ", step,
                  sp_lab_duration(sp_lab_progress_left(progress, plan), left),
                  progress->same_line ? "" : "\n");
    (void)fflush(progress->out);
}

void sp_lab_progress_end(const sp_lab_progress_t *progress)
{
    if (progress->same_line) {
        (void)fputs(CLEAR_LINE, progress->out);
        (void)fflush(progress->out);
    }
}

void sp_lab_progress_say(const sp_lab_progress_t *progress, const char *format, ...)
{
    va_list args;

    if (progress->same_line) {
        (void)fputs(CLEAR_LINE, progress->out);
    }
    va_start(args, format);
    (void)vfprintf(progress->out, format, args);
    va_end(args);
    (void)fputc('\n', progress->out);
    (void)fflush(progress->out);
}
