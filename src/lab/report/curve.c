/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/curve.h"

#include <math.h>

#include "lab/report/field.h"

/* Parts of the axis −log10(1 − q) within which stairs are merged. With the stairs that are kept,
 * and what lies before and behind them in their part, the curve stays within its room. */
#define COLUMNS 170

static const double reported[] = {0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
#define REPORTED (sizeof(reported) / sizeof(reported[0]))

static double rank_of(double q, double requests)
{
    double rank = ceil(q * requests - 1e-6);

    return rank < 1 ? 1 : rank;
}

static bool holds_reported(double after, double until, double requests)
{
    for (size_t i = 0; i != REPORTED; ++i) {
        double rank = rank_of(reported[i], requests);

        if (rank > after && rank <= until) {
            return true;
        }
    }
    return false;
}

/* The last stair ends at q = 1, which lies beyond all parts. */
static int column_of(double until, double requests)
{
    double far = log10(requests + 1);

    return until >= requests ? COLUMNS
                             : (int)(-log10((requests - until) / requests) / far * COLUMNS);
}

typedef struct builder {
    sp_lab_curve_t *curve;
    bool last_kept;
} builder_t;

static void add_stair(builder_t *builder, double until, double us)
{
    sp_lab_curve_t *curve = builder->curve;
    double before = curve->count == 0 ? 0 : curve->stairs[curve->count - 1].until;
    bool kept = holds_reported(before, until, curve->requests);
    bool same = column_of(before, curve->requests) == column_of(until, curve->requests);

    if (curve->count != 0 && same && !kept && !builder->last_kept) {
        --curve->count;
    }
    if (curve->count != SP_LAB_CURVE_STEPS_MAX) {
        curve->stairs[curve->count++] = (sp_lab_stair_t){.until = until, .us = us};
    }
    builder->last_kept = kept;
}

static double bucket_number(json_t *buckets, size_t index, size_t field)
{
    return sp_lab_value(json_array_get(json_array_get(buckets, index), field), 0);
}

bool sp_lab_curve_make(json_t *latency, sp_lab_curve_t *ret_curve)
{
    json_t *buckets = sp_lab_field(latency, "histogram");
    double least = sp_lab_number(latency, "min_us"), most = sp_lab_number(latency, "max_us");
    builder_t builder = {.curve = ret_curve};
    double until = 0;

    *ret_curve = (sp_lab_curve_t){.count = 0};
    for (size_t i = 0; i != json_array_size(buckets); ++i) {
        ret_curve->requests += bucket_number(buckets, i, 2);
    }
    for (size_t i = 0; i != json_array_size(buckets); ++i) {
        double us = bucket_number(buckets, i, 0);

        until += bucket_number(buckets, i, 2);
        if (bucket_number(buckets, i, 2) > 0) {
            /* The ends are known exactly, as in the percentiles that are reported. */
            us = us < least ? least : us;
            add_stair(&builder, until, us > most ? most : us);
        }
    }
    return ret_curve->count != 0;
}

double sp_lab_curve_at(const sp_lab_curve_t *curve, double q)
{
    double rank = rank_of(q, curve->requests);

    for (size_t i = 0; i != curve->count; ++i) {
        if (rank <= curve->stairs[i].until) {
            return curve->stairs[i].us;
        }
    }
    return curve->count == 0 ? (double)NAN : curve->stairs[curve->count - 1].us;
}
