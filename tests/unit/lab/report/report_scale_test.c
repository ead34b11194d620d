/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/scale.h"

#include <criterion/criterion.h>
#include <math.h>

static sp_lab_scale_t placed(sp_lab_scale_kind_t kind, double low, double high)
{
    sp_lab_scale_t scale = sp_lab_scale(kind, low, high, SP_LAB_PLAIN);

    scale.start = 100;
    scale.end = 500;
    return scale;
}

Test(report_scale, begins_linear_ones_at_nothing)
{
    sp_lab_scale_t scale = placed(SP_LAB_LINEAR, 6600, 17010);

    cr_expect_eq(scale.low, 0);
    cr_expect_eq(scale.high, 18000);
    cr_expect_float_eq(sp_lab_scale_at(&scale, 9000), 300, 1e-9);
    cr_expect_eq(sp_lab_scale_at(&scale, -1), 100);
    cr_expect_eq(sp_lab_scale_at(&scale, 1e9), 500);
}

Test(report_scale, rounds_logarithmic_ones_outwards)
{
    sp_lab_scale_t scale = placed(SP_LAB_LOG, 130, 5016000);

    cr_expect_float_eq(scale.low, 100, 1e-9);
    cr_expect_float_eq(scale.high, 1e7, 1e-3);
    cr_expect_float_eq(sp_lab_scale_at(&scale, 1e4), 260, 1e-9);
    cr_expect_eq(sp_lab_scale_at(&scale, 0), 100);
}

Test(report_scale, gives_each_further_nine_the_same_room)
{
    sp_lab_scale_t scale = placed(SP_LAB_TAIL, 0, 0.9999);

    cr_expect_float_eq(sp_lab_scale_at(&scale, 0.9), 200, 1e-6);
    cr_expect_float_eq(sp_lab_scale_at(&scale, 0.99), 300, 1e-6);
    cr_expect_float_eq(sp_lab_scale_at(&scale, 0.999), 400, 1e-6);
    cr_expect_eq(sp_lab_scale_at(&scale, 1), 500);
}

static void check_ticks(const sp_lab_scale_t *scale, unsigned wanted, size_t least, size_t most)
{
    sp_lab_tick_t ticks[SP_LAB_TICKS_MAX];
    size_t count = sp_lab_scale_ticks(scale, wanted, ticks);

    cr_expect_geq(count, least, "%zu ticks for %g … %g", count, scale->low, scale->high);
    cr_expect_leq(count, most, "%zu ticks for %g … %g", count, scale->low, scale->high);
    for (size_t i = 1; i < count; ++i) {
        cr_expect_gt(ticks[i].value, ticks[i - 1].value);
    }
}

Test(report_scale, has_some_marks_whatever_the_size)
{
    for (int i = -9; i <= 12; ++i) {
        sp_lab_scale_t linear = placed(SP_LAB_LINEAR, 0, 3.7 * pow(10, i));
        sp_lab_scale_t narrow = placed(SP_LAB_LOG, pow(10, i), 4.2 * pow(10, i));
        sp_lab_scale_t wide = placed(SP_LAB_LOG, pow(10, i), 4.2 * pow(10, i + 7));

        check_ticks(&linear, 8, 3, 12);
        check_ticks(&narrow, 4, 1, 6);
        check_ticks(&wide, 8, 3, 12);
    }
}

Test(report_scale, bears_what_is_no_range)
{
    sp_lab_scale_t scales[] = {placed(SP_LAB_LINEAR, 0, 0),       placed(SP_LAB_LINEAR, NAN, NAN),
                               placed(SP_LAB_LOG, INFINITY, 0),   placed(SP_LAB_LOG, 0, 0),
                               placed(SP_LAB_LOG, 5, 5),          placed(SP_LAB_LOG, 1e-300, 1e15),
                               placed(SP_LAB_LINEAR, -3, 4),      placed(SP_LAB_LINEAR, 0, 1e-315),
                               placed(SP_LAB_LOG, 1e-320, 1e-315)};

    for (size_t i = 0; i != sizeof(scales) / sizeof(scales[0]); ++i) {
        double at = sp_lab_scale_at(&scales[i], 1);

        cr_expect(at >= 100 && at <= 500, "scale %zu: %f", i, at);
        cr_expect_lt(scales[i].low, scales[i].high, "scale %zu", i);
        check_ticks(&scales[i], 8, 1, SP_LAB_TICKS_MAX);
    }
}
