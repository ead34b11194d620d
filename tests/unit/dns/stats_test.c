/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/stats.h"

#include <criterion/criterion.h>

static sp_dns_result_t result_of(char flags)
{
    char message[12] = {0};

    message[3] = flags;
    return sp_dns_result_of((sp_str_t){.ptr = message, .len = sizeof(message)});
}

Test(dns_stats, read_the_rcode_of_a_reply)
{
    cr_expect_eq(result_of(0), SP_DNS_NOERROR);
    cr_expect_eq(result_of((char)0x82), SP_DNS_SERVFAIL);
    cr_expect_eq(result_of((char)0x83), SP_DNS_NXDOMAIN);
    cr_expect_eq(result_of(5), SP_DNS_REFUSED);
    cr_expect_eq(result_of(6), SP_DNS_OTHER);
    cr_expect_eq(result_of(15), SP_DNS_OTHER);
    cr_expect_eq(sp_dns_result_of(SP_STR("short")), SP_DNS_MALFORMED);
}

Test(dns_stats, count_a_query_by_transport_and_result)
{
    sp_dns_stats_t stats = {.hedges = 0};

    sp_dns_stats_query(&stats, false, SP_DNS_NXDOMAIN, 50);
    sp_dns_stats_query(&stats, true, SP_DNS_TIMEOUT, 400000);
    cr_expect_eq(atomic_load(&stats.queries[0][SP_DNS_NXDOMAIN]), 1);
    cr_expect_eq(atomic_load(&stats.queries[1][SP_DNS_TIMEOUT]), 1);
    cr_expect_eq(atomic_load(&stats.queries[0][SP_DNS_TIMEOUT]), 0);
    cr_expect_eq(atomic_load(&stats.durations.sum_us), 50, "only replies have a duration");
}

Test(dns_stats, know_that_somebody_answered_only_from_replies)
{
    sp_dns_stats_t stats = {.hedges = 0};

    sp_dns_stats_query(&stats, false, SP_DNS_TIMEOUT, 1);
    sp_dns_stats_query(&stats, false, SP_DNS_REFUSED_CONNECTION, 1);
    sp_dns_stats_query(&stats, true, SP_DNS_CANCELLED, 1);
    cr_expect_eq(atomic_load(&stats.durations.sum_us), 0);
    cr_expect_eq(atomic_load(&stats.answered_ms), 0);
    sp_dns_stats_query(&stats, false, SP_DNS_SERVFAIL, 1);
    cr_expect_neq(atomic_load(&stats.answered_ms), 0);
}

Test(dns_stats, count_what_is_in_flight_up_and_down)
{
    sp_dns_stats_t stats = {.hedges = 0};

    sp_dns_stats_inflight(&stats, 1);
    sp_dns_stats_inflight(&stats, 1);
    sp_dns_stats_inflight(&stats, -1);
    cr_expect_eq(atomic_load(&stats.inflight), 1);
    sp_dns_stats_inflight(&stats, -1);
    cr_expect_eq(atomic_load(&stats.inflight), 0);
}

Test(dns_stats, count_nowhere_without_a_place_to_count)
{
    sp_dns_stats_query(NULL, false, SP_DNS_NOERROR, 1);
    sp_dns_stats_lookup(NULL, SP_SOURCE_HIT);
    sp_dns_stats_overload(NULL);
    sp_dns_stats_hedge(NULL);
    sp_dns_stats_inflight(NULL, 1);
}

Test(dns_stats, have_a_name_for_each_result)
{
    cr_expect_str_eq(sp_dns_result_name(SP_DNS_NOERROR), "noerror");
    cr_expect_str_eq(sp_dns_result_name(SP_DNS_TIMEOUT), "timeout");
    cr_expect_str_eq(sp_dns_result_name(SP_DNS_REFUSED_CONNECTION), "refused_connection");
    cr_expect_str_eq(sp_dns_result_name(SP_DNS_CANCELLED), "cancelled");
}
