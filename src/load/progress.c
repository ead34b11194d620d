/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "load/result.h"

#define NS_PER_SECOND 1e9
#define NS_PER_MS 1e6

/* Seconds until nothing becomes due any more; below 0 when that can't be told yet. */
static double time_left(const sp_load_plan_t *plan, const sp_load_progress_t *progress)
{
    if (plan->duration_ns != 0) {
        return (double)plan->duration_ns / NS_PER_SECOND - progress->elapsed_s;
    }
    if (progress->due == 0) {
        return -1.0;
    }
    return progress->elapsed_s * ((double)plan->requests - (double)progress->due) /
           (double)progress->due;
}

static void show_left(const sp_load_line_t *line, const sp_load_progress_t *progress)
{
    double left = time_left(line->plan, progress);

    if (progress->draining) {
        (void)fprintf(line->out, "waiting for %" PRIu64,
                      progress->due > progress->ended ? progress->due - progress->ended : 0);
    } else if (left >= 0.0) {
        (void)fprintf(line->out, "%.0f s left", left);
    } else {
        (void)fputs("starting", line->out);
    }
}

void sp_load_line_show(void *arg, const sp_load_progress_t *progress)
{
    sp_load_line_t *line = arg;
    double span_s = progress->elapsed_s - line->last_s;
    double rate = span_s > 0.0 ? (double)progress->recent_ended / span_s : 0.0;

    line->last_s = progress->elapsed_s;
    (void)fprintf(line->out, "%s%.0f/s, p50 %.2f ms, p99 %.2f ms, %" PRIu64 " error%s, ",
                  line->same_line ? "\r" : "", rate,
                  (double)sp_load_second_quantile(&progress->recent, 0.5) / NS_PER_MS,
                  (double)sp_load_second_quantile(&progress->recent, 0.99) / NS_PER_MS,
                  progress->errors, progress->errors == 1 ? "" : "s");
    show_left(line, progress);
    /* Clears what a longer line left behind. */
    (void)fputs(line->same_line ? "\033[K" : "\n", line->out);
    (void)fflush(line->out);
}

void sp_load_line_end(const sp_load_line_t *line)
{
    if (line->same_line) {
        (void)fputs("\r\033[K", line->out);
        (void)fflush(line->out);
    }
}
