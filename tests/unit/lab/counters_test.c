/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/counters.h"

#include <criterion/criterion.h>

static sp_status_t parse_conntrack(const char *text, sp_net_counters_t *counters)
{
    return sp_net_counters_parse_conntrack(sp_str_from(text), counters, NULL);
}

Test(lab_counters, adds_up_the_processors_of_conntrack)
{
    sp_net_counters_t counters = {.conntrack_entries = 7};

    cr_assert_eq(parse_conntrack("entries  clashres found insert insert_failed drop\n"
                                 "0000000a  00000010 00000000 00000000 00000002 000000ff\n"
                                 "0000000a  00000001 00000000 00000000 00000001 00000001\n",
                                 &counters),
                 SP_OK);
    cr_expect_eq(counters.conntrack_clash_resolve, 0x11);
    cr_expect_eq(counters.conntrack_insert_failed, 3);
    cr_expect_eq(counters.conntrack_drop, 0x100);
    cr_expect_eq(counters.conntrack_entries, 7);
}

Test(lab_counters, older_kernels_count_no_clashes)
{
    sp_net_counters_t counters = {.tcp_retransmitted = 0};

    cr_assert_eq(parse_conntrack("entries searched insert_failed drop\n01 02 03 04\n", &counters),
                 SP_OK);
    cr_expect_eq(counters.conntrack_clash_resolve, 0);
    cr_expect_eq(counters.conntrack_drop, 4);
}

Test(lab_counters, refuses_what_is_no_conntrack_table)
{
    static const char *const texts[] = {
        "",
        "entries drop insert_failed\n",
        "entries insert_failed\n01 02\n",
        "entries drop\n01 02\n",
        "entries insert_failed drop\n01 02\n",
        "entries insert_failed drop\n01 02 0g\n",
        "entries insert_failed drop\n01 02 00000000000000001\n",
    };

    for (size_t i = 0; i != SP_COUNT(texts); ++i) {
        sp_net_counters_t counters = {.conntrack_drop = 9};

        cr_expect_eq(parse_conntrack(texts[i], &counters), SP_BAD_SYNTAX, "%s", texts[i]);
        cr_expect_eq(counters.conntrack_drop, 9, "%s", texts[i]);
    }
}

Test(lab_counters, a_column_may_have_sixteen_digits)
{
    sp_net_counters_t counters = {.tcp_retransmitted = 0};

    cr_assert_eq(parse_conntrack("insert_failed drop\n0 ffffffffffffffff\n", &counters), SP_OK);
    cr_expect_eq(counters.conntrack_drop, UINT64_MAX);
}
