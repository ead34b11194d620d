/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/scale.h"

#include <math.h>
#include <stdbool.h>

/* A logarithmic axis spans no more than this: what lies below is drawn at its end. */
#define WIDEST 1e12
/* Nothing that is measured comes near it. Below, there is no telling powers of ten from nothing. */
#define SMALLEST 1e-12

/* The next of 1, 2, 5 × 10ⁿ that is not below `size`. */
static double round_up(double size)
{
    double power = pow(10, floor(log10(size)));
    double part = size / power;

    if (part <= 1.0000001) {
        return power;
    }
    if (part <= 2.0000001) {
        return 2 * power;
    }
    return part <= 5.0000001 ? 5 * power : 10 * power;
}

static double round_down(double size)
{
    return 1 / round_up(1 / size);
}

static void fit_linear(sp_lab_scale_t *scale)
{
    double step = 0;

    if (scale->low >= 0) {
        scale->low = 0;
    }
    if (!(scale->high - scale->low > SMALLEST)) {
        scale->high = scale->low + 1;
    }
    step = round_up((scale->high - scale->low) / 10);
    scale->low = floor(scale->low / step) * step;
    scale->high = ceil(scale->high / step - 1e-9) * step;
}

static void fit_log(sp_lab_scale_t *scale)
{
    if (!(scale->low > SMALLEST)) {
        scale->low = scale->high > SMALLEST ? scale->high / 10 : 1;
    }
    if (scale->low < scale->high / WIDEST) {
        scale->low = scale->high / WIDEST;
    }
    scale->low = round_down(scale->low);
    scale->high = round_up(scale->high > scale->low ? scale->high : scale->low * 1.01);
}

sp_lab_scale_t sp_lab_scale(sp_lab_scale_kind_t kind, double low, double high, sp_lab_unit_t unit)
{
    sp_lab_scale_t scale = {.kind = kind,
                            .low = isfinite(low) ? low : 0,
                            .high = isfinite(high) ? high : 1,
                            .unit = unit};

    switch (kind) {
    case SP_LAB_LINEAR:
        fit_linear(&scale);
        break;
    case SP_LAB_LOG:
        fit_log(&scale);
        break;
    case SP_LAB_TAIL:
        break;
    }
    return scale;
}

/* As it lies evenly on the paper. */
static double even(sp_lab_scale_kind_t kind, double value)
{
    switch (kind) {
    case SP_LAB_LINEAR:
        return value;
    case SP_LAB_LOG:
        return value > 0 ? log10(value) : -INFINITY;
    case SP_LAB_TAIL:
        return value < 1 ? -log10(1 - value) : (double)INFINITY;
    }
    return value;
}

double sp_lab_scale_at(const sp_lab_scale_t *scale, double value)
{
    double low = even(scale->kind, scale->low), high = even(scale->kind, scale->high);
    double part = (even(scale->kind, value) - low) / (high - low);

    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return scale->start + part * (scale->end - scale->start);
}

static size_t add_tick(const sp_lab_scale_t *scale, double value, sp_lab_tick_t *ticks,
                       size_t count)
{
    double slack = fabs(scale->high) * 1e-9;

    if (count == SP_LAB_TICKS_MAX || value < scale->low - slack || value > scale->high + slack) {
        return count;
    }
    ticks[count] = (sp_lab_tick_t){.value = value, .label = sp_lab_tick_words(value, scale->unit)};
    return count + 1;
}

static size_t linear_ticks(const sp_lab_scale_t *scale, unsigned wanted, sp_lab_tick_t *ticks)
{
    double step = round_up((scale->high - scale->low) / wanted), first = ceil(scale->low / step);
    size_t count = 0;

    for (int i = 0; i != SP_LAB_TICKS_MAX; ++i) {
        count = add_tick(scale, (first + i) * step, ticks, count);
    }
    return count;
}

static size_t log_ticks(const sp_lab_scale_t *scale, unsigned wanted, sp_lab_tick_t *ticks)
{
    double decades = log10(scale->high / scale->low);
    bool between = decades * 3 <= wanted;
    double every = ceil(decades / wanted), first = floor(log10(scale->low) + 1e-9);
    size_t count = 0;

    for (int i = 0; i != SP_LAB_TICKS_MAX; ++i) {
        double power = pow(10, first + i * every);

        count = add_tick(scale, power, ticks, count);
        if (between) {
            count = add_tick(scale, 2 * power, ticks, count);
            count = add_tick(scale, 5 * power, ticks, count);
        }
    }
    return count;
}

static size_t tail_ticks(const sp_lab_scale_t *scale, sp_lab_tick_t *ticks)
{
    static const double shares[] = {0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999};
    size_t count = 0;

    for (size_t i = 0; i != sizeof(shares) / sizeof(shares[0]); ++i) {
        count = add_tick(scale, shares[i], ticks, count);
    }
    return count;
}

size_t sp_lab_scale_ticks(const sp_lab_scale_t *scale, unsigned wanted,
                          sp_lab_tick_t ret_ticks[SP_LAB_TICKS_MAX])
{
    switch (scale->kind) {
    case SP_LAB_LINEAR:
        return linear_ticks(scale, wanted, ret_ticks);
    case SP_LAB_LOG:
        return log_ticks(scale, wanted, ret_ticks);
    case SP_LAB_TAIL:
        return tail_ticks(scale, ret_ticks);
    }
    return 0;
}
