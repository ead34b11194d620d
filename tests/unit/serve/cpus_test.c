/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "serve/cpus.h"

static void expect_quota(const char *text, unsigned expected)
{
    cr_expect_eq(sp_cpus_of_quota(sp_str_from(text)), expected, "%s", text);
}

Test(cpus, rounds_a_quota_up_to_whole_cpus)
{
    expect_quota("100000 100000\n", 1);
    expect_quota("150000 100000", 2);
    expect_quota("200000 100000", 2);
    expect_quota("5000 100000", 1);
    expect_quota("1200000 100000", 12);
}

Test(cpus, takes_no_limit_from_what_is_none)
{
    expect_quota("max 100000\n", 0);
    expect_quota("-1 100000", 0);
    expect_quota("", 0);
    expect_quota("100000", 0);
    expect_quota("100000 0", 0);
    expect_quota("0 100000", 0);
}

Test(cpus, finds_at_least_one)
{
    cr_expect_geq(sp_cpus_usable(), 1);
    cr_expect_leq(sp_cpus_usable(), 4096);
}
