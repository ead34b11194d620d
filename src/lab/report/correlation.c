/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/correlation.h"

#include <math.h>
#include <string.h>

static bool is_listed(json_t *names, json_t *setup)
{
    const char *own = sp_lab_setup_name(setup);
    const char *base = sp_lab_text(setup, "base", own);

    if (!json_is_array(names)) {
        return true;
    }
    for (size_t i = 0; i != json_array_size(names); ++i) {
        const char *name = json_string_value(json_array_get(names, i));

        if (name != NULL && (strcmp(name, own) == 0 || strcmp(name, base) == 0)) {
            return true;
        }
    }
    return false;
}

static double pearson(const sp_lab_correlation_t *correlation)
{
    double n = (double)correlation->count, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

    for (size_t i = 0; i != correlation->count; ++i) {
        x += correlation->points[i].x.median / n;
        y += correlation->points[i].y.median / n;
    }
    for (size_t i = 0; i != correlation->count; ++i) {
        double dx = correlation->points[i].x.median - x, dy = correlation->points[i].y.median - y;

        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return correlation->count >= 3 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* Two-sided, at 5 %: Student's t for 1, 2, … degrees of freedom, solved for r. */
static bool is_certain(double r, size_t count)
{
    static const double least[] = {0.997, 0.950, 0.878, 0.811, 0.754, 0.707,
                                   0.666, 0.632, 0.602, 0.576, 0.553, 0.532};
    size_t freedom = count < 3 ? 0 : count - 3;
    size_t last = sizeof(least) / sizeof(least[0]) - 1;

    return !isnan(r) && fabs(r) >= least[freedom < last ? freedom : last];
}

void sp_lab_correlate(json_t *experiment, json_t *names, const sp_lab_metric_t *x,
                      const sp_lab_metric_t *y, sp_lab_correlation_t *ret_correlation)
{
    size_t count = 0;

    for (size_t i = 0; i != sp_lab_setup_count(experiment) && count != SP_LAB_SETUPS_MAX; ++i) {
        json_t *setup = sp_lab_setup_at(experiment, i);
        const char *name = sp_lab_setup_name(setup);
        sp_lab_spread_t of_x = sp_lab_spread_of(experiment, name, x);
        sp_lab_spread_t of_y = sp_lab_spread_of(experiment, name, y);

        if (is_listed(names, setup) && of_x.count != 0 && of_y.count != 0) {
            ret_correlation->points[count].setup = setup;
            ret_correlation->points[count].x = of_x;
            ret_correlation->points[count].y = of_y;
            ++count;
        }
    }
    ret_correlation->count = count;
    ret_correlation->r = pearson(ret_correlation);
    ret_correlation->certain = is_certain(ret_correlation->r, count);
}
