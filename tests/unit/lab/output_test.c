/* SPDX-License-Identifier: Apache-2.0 */

/* What other programs and the kernel print, as figures. */

#include <criterion/criterion.h>
#include <string.h>

#include "lab/app_metrics.h"
#include "lab/machine.h"
#include "lab/probe.h"
#include "lab/raw_output.h"
#include "lab/usage.h"

static const char dnsperf[] = "DNS Performance Testing Tool\n"
                              "Version 2.10.0\n\n"
                              "[Status] Command line: dnsperf -s 10.96.0.10\n"
                              "[Status] Testing complete (time limit)\n\n"
                              "Statistics:\n\n"
                              "  Queries sent:         24041\n"
                              "  Queries completed:    23041 (95.84%)\n"
                              "  Queries lost:         1000 (4.16%)\n\n"
                              "  Response codes:       NOERROR 23041 (100.00%)\n"
                              "  Average packet size:  request 43, response 121\n"
                              "  Run time (s):         2.003361\n"
                              "  Queries per second:   12000.173708\n\n"
                              "  Average Latency (s):  0.008156 (min 0.000176, max 0.044212)\n"
                              "  Latency StdDev (s):   0.004601\n";

Test(lab_output, reads_dnsperf)
{
    sp_lab_dnsperf_t figures;

    cr_assert_eq(sp_lab_dnsperf_parse(sp_str_from(dnsperf), &figures, NULL), SP_OK);
    cr_expect_float_eq(figures.sent, 24041, 1e-9);
    cr_expect_float_eq(figures.completed, 23041, 1e-9);
    cr_expect_float_eq(figures.lost, 1000, 1e-9);
    cr_expect_float_eq(figures.seconds, 2.003361, 1e-9);
    cr_expect_float_eq(figures.qps, 12000.173708, 1e-6);
    cr_expect_float_eq(figures.avg_ms, 8.156, 1e-9);
    cr_expect_float_eq(figures.min_ms, 0.176, 1e-9);
    cr_expect_float_eq(figures.max_ms, 44.212, 1e-9);
    cr_expect_float_eq(figures.sd_ms, 4.601, 1e-9);
}

Test(lab_output, reads_dnsperf_that_got_no_answer)
{
    sp_lab_dnsperf_t figures;

    cr_assert_eq(sp_lab_dnsperf_parse(SP_STR("Statistics:\n  Queries sent: 5\n"
                                             "  Queries completed: 0 (0.00%)\n"
                                             "  Queries lost: 5 (100.00%)\n"
                                             "  Run time (s): 5.0\n"
                                             "  Queries per second: 0.000000\n"),
                                      &figures, NULL),
                 SP_OK);
    cr_expect_float_eq(figures.lost, 5, 1e-9);
    cr_expect_float_eq(figures.avg_ms, 0, 1e-9);
}

Test(lab_output, refuses_what_is_not_dnsperf)
{
    sp_lab_dnsperf_t figures;
    sp_error_t err = {.message = ""};
    char cut[sizeof(dnsperf)];

    cr_expect_eq(sp_lab_dnsperf_parse(SP_STR(""), &figures, &err), SP_BAD_SYNTAX);
    memcpy(cut, dnsperf, sizeof(dnsperf));
    *strstr(cut, "  Queries per second") = '\0';
    cr_expect_eq(sp_lab_dnsperf_parse(sp_str_from(cut), &figures, &err), SP_BAD_SYNTAX);
    cr_expect_str_eq(err.message, "dnsperf printed no 'Queries per second:'");
}

Test(lab_output, reads_iperf3)
{
    sp_lab_iperf3_t figures;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_iperf3_parse(SP_STR("{\"start\": {}, \"end\": {\"sum_sent\": "
                                            "{\"bits_per_second\": 2e9, \"retransmits\": 17}, "
                                            "\"sum_received\": {\"bits_per_second\": 1.5e9}}}"),
                                     &figures, &err),
                 SP_OK);
    cr_expect_float_eq(figures.mbit_s, 1500, 1e-9);
    cr_expect_float_eq(figures.retransmits, 17, 1e-9);
    cr_expect_eq(sp_lab_iperf3_parse(SP_STR("{\"error\": \"unable to connect\"}"), &figures, &err),
                 SP_BAD_SYNTAX);
    cr_expect_str_eq(err.message, "iperf3 gave no rate: unable to connect");
    cr_expect_eq(sp_lab_iperf3_parse(SP_STR("iperf3: error"), &figures, &err), SP_BAD_SYNTAX);
}

Test(lab_output, knows_the_tools_by_their_roles)
{
    json_t *json = NULL;
    sp_error_t err;

    cr_assert_eq(sp_lab_raw_json("dnsperf", sp_str_from(dnsperf), &json, &err), SP_OK);
    cr_expect_float_eq(json_number_value(json_object_get(json, "qps")), 12000.173708, 1e-6);
    json_decref(json);
    cr_expect_eq(sp_lab_raw_json("ping", SP_STR(""), &json, &err), SP_UNSUPPORTED);
}

Test(lab_output, reads_processor_time_of_the_machine)
{
    sp_lab_machine_usage_t usage;

    cr_assert_eq(sp_lab_usage_parse_stat(SP_STR("cpu  100 20 30 4000 50 6 7 8 9 10\ncpu0 1 2 3\n"),
                                         100, &usage),
                 SP_OK);
    cr_expect_float_eq(usage.user_s, 1.5, 1e-9);
    cr_expect_float_eq(usage.softirq_s, 0.13, 1e-9);
    cr_expect_float_eq(usage.steal_s, 0.08, 1e-9);
    cr_expect_eq(sp_lab_usage_parse_stat(SP_STR("cpu  100 20\n"), 100, &usage), SP_BAD_SYNTAX);
    cr_expect_eq(sp_lab_usage_parse_stat(SP_STR(""), 100, &usage), SP_BAD_SYNTAX);
}

Test(lab_output, reads_processor_time_of_a_process)
{
    sp_lab_process_usage_t usage;

    /* a name may hold anything */
    cr_assert_eq(
        sp_lab_usage_parse_process(SP_STR("77 (a) b (c) S 1 70 70 0 -1 4194560 1 2 3 4 100 20 30 "
                                          "40 20 0 1 0 9 1000 55 18446744073709551615 1 1\n"),
                                   100, &usage),
        SP_OK);
    cr_expect_eq(usage.group, 70);
    cr_expect_float_eq(usage.cpu_s, 1.9, 1e-9);
    cr_expect_eq(usage.pages, 55);
    cr_expect_eq(sp_lab_usage_parse_process(SP_STR("77 (a) S 1 70"), 100, &usage), SP_BAD_SYNTAX);
    cr_expect_eq(sp_lab_usage_parse_process(SP_STR("77"), 100, &usage), SP_BAD_SYNTAX);
}

Test(lab_output, reads_metrics_and_takes_their_difference)
{
    static const char before_text[] =
        "# HELP signpost_dns_queries_total x\n"
        "signpost_dns_queries_total{transport=\"udp\",rcode=\"noerror\"} 10\n";
    static const char after_text[] =
        "signpost_dns_queries_total{transport=\"udp\",rcode=\"noerror\"} 110\n"
        "signpost_dns_queries_total{transport=\"tcp\",rcode=\"timeout\"} 4\n"
        "signpost_lookups_total{result=\"hit\"} 7\n"
        "signpost_lookups_total{result=\"miss\"} 50\n"
        "signpost_dns_hedges_total 3\r\n"
        "signpost_dns_queries_total";
    sp_lab_app_metrics_t before;
    sp_lab_app_metrics_t after;
    json_t *json = NULL;

    sp_lab_app_metrics_parse(sp_str_from(before_text), &before);
    sp_lab_app_metrics_parse(sp_str_from(after_text), &after);
    cr_expect_eq(before.query_count, 1);
    cr_expect_float_eq(after.lookups, 50, 1e-9);
    cr_expect_float_eq(after.hedges, 3, 1e-9);
    json = sp_lab_app_metrics_json(&before, &after, 52);
    cr_assert_eq(json_array_size(json_object_get(json, "queries")), 2);
    cr_expect_float_eq(json_number_value(json_object_get(json, "queries_per_request")), 2, 1e-9);
    json_decref(json);
}

Test(lab_output, finds_values_in_descriptions_of_the_machine)
{
    sp_str_t cpu = SP_STR("processor\t: 0\nmodel name\t: A B\nmodel name\t: C\n");
    sp_str_t os = SP_STR("NAME=x\nPRETTY_NAME=\"Some System 1\"\n");

    cr_expect(sp_str_eq(sp_lab_machine_value(cpu, "model name"), SP_STR("A B")));
    cr_expect(sp_str_eq(sp_lab_machine_value(os, "PRETTY_NAME"), SP_STR("Some System 1")));
    cr_expect_eq(sp_lab_machine_value(os, "ID").len, 0);
}

Test(lab_output, makes_a_query_and_judges_the_answer)
{
    unsigned char octets[64];
    size_t len = sp_lab_dns_query("a.test", 0x1234, octets, sizeof(octets));

    cr_assert_eq(len, 12 + 8 + 4);
    cr_expect_eq(memcmp(octets + 12, "\1a\4test\0\0\20\0\1", 12), 0);
    cr_expect_eq(sp_lab_dns_answer(octets, len, 0x1234), SP_LAB_ANSWER_BAD); /* a query itself */
    octets[2] |= 0x80;
    cr_expect_eq(sp_lab_dns_answer(octets, len, 0x1234), SP_LAB_ANSWER_BAD); /* no record */
    octets[7] = 1;
    cr_expect_eq(sp_lab_dns_answer(octets, len, 0x1234), SP_LAB_ANSWER_GOOD);
    cr_expect_eq(sp_lab_dns_answer(octets, len, 0x1235), SP_LAB_ANSWER_BAD);
    octets[3] = 2; /* SERVFAIL */
    cr_expect_eq(sp_lab_dns_answer(octets, len, 0x1234), SP_LAB_ANSWER_BAD);
    cr_expect_eq(sp_lab_dns_answer(octets, 11, 0x1234), SP_LAB_ANSWER_BAD);
    cr_expect_eq(sp_lab_dns_query("a..test", 1, octets, sizeof(octets)), 0);
    cr_expect_eq(sp_lab_dns_query("a.test", 1, octets, 23), 0);
    cr_expect_eq(sp_lab_dns_query("a.test", 1, octets, 24), 24);
}
