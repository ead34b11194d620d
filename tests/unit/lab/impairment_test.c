/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/impairment.h"

#include <criterion/criterion.h>
#include <math.h>

#include "lab/impairment_plan.h"

static void expect_says(sp_impairment_t impairment, const char *expected)
{
    char text[SP_IMPAIRMENT_TEXT_MAX];

    cr_expect_str_eq(sp_impairment_says(&impairment, text), expected);
}

Test(lab_impairment, is_said_in_words)
{
    expect_says((sp_impairment_t){.kind = SP_IMPAIRMENT_LOSS,
                                  .wire = SP_WIRE_NODE,
                                  .protocol = SP_PROTOCOL_UDP,
                                  .percent = 2},
                "2 % of the UDP packets are lost in each direction between node and cluster");
    expect_says((sp_impairment_t){.kind = SP_IMPAIRMENT_LOSS, .wire = SP_WIRE_POD, .percent = 0.5},
                "0.5 % of the packets are lost in each direction between pod and node");
    expect_says((sp_impairment_t){.kind = SP_IMPAIRMENT_DELAY, .wire = SP_WIRE_WAN1, .delay_ms = 5},
                "packets take 5 ms longer in each direction between cluster and upstream");
    expect_says((sp_impairment_t){.kind = SP_IMPAIRMENT_DELAY,
                                  .wire = SP_WIRE_CLIENT,
                                  .protocol = SP_PROTOCOL_TCP,
                                  .delay_ms = 5,
                                  .jitter_ms = 1},
                "TCP packets take 5 ms longer in each direction between client and node, give or "
                "take 1 ms");
    expect_says((sp_impairment_t){.kind = SP_IMPAIRMENT_RATE, .wire = SP_WIRE_WAN2, .mbit = 100},
                "the wire between node and upstream carries at most 100 Mbit/s");
    expect_says(
        (sp_impairment_t){.kind = SP_IMPAIRMENT_CONNTRACK_RACE, .percent = 1},
        "1 % of the questions that pod sends the ClusterIP from a socket whose first has no "
        "answer yet are lost: what the race in connection tracking did, emulated");
    expect_says((sp_impairment_t){.kind = SP_IMPAIRMENT_CONNTRACK_FULL, .entries = 1000},
                "the table of connection tracking holds 1000 entries, on the whole machine");
}

static void expect_check(sp_impairment_t impairment, sp_status_t expected)
{
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_impairment_check(&impairment, &err), expected, "%g %g %g", impairment.percent,
                 impairment.delay_ms, impairment.mbit);
    cr_expect_eq(err.message[0] == '\0', expected == SP_OK);
}

Test(lab_impairment, is_in_its_ranges)
{
    static const struct {
        sp_impairment_kind_t kind;
        double value, jitter;
        sp_status_t expected;
    } cases[] = {
        {SP_IMPAIRMENT_LOSS, 0.001, 0, SP_OK},
        {SP_IMPAIRMENT_LOSS, 0.0009, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_LOSS, 100, 0, SP_OK},
        {SP_IMPAIRMENT_LOSS, 100.1, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_LOSS, -1, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_LOSS, NAN, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_CONNTRACK_RACE, 100, 0, SP_OK},
        {SP_IMPAIRMENT_CONNTRACK_RACE, 101, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_DELAY, 0.01, 0, SP_OK},
        {SP_IMPAIRMENT_DELAY, 0.009, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_DELAY, 10000, 10000, SP_OK},
        {SP_IMPAIRMENT_DELAY, 10001, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_DELAY, 5, 5.1, SP_BAD_VALUE},
        {SP_IMPAIRMENT_DELAY, 5, -1, SP_BAD_VALUE},
        {SP_IMPAIRMENT_RATE, 0.1, 0, SP_OK},
        {SP_IMPAIRMENT_RATE, 0.09, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_RATE, 10000, 0, SP_OK},
        {SP_IMPAIRMENT_RATE, INFINITY, 0, SP_BAD_VALUE},
        {SP_IMPAIRMENT_CONNTRACK_FULL, 1, 0, SP_OK},
        {SP_IMPAIRMENT_CONNTRACK_FULL, 0, 0, SP_BAD_VALUE},
    };

    for (size_t i = 0; i != SP_COUNT(cases); ++i) {
        double value = cases[i].value;

        expect_check((sp_impairment_t){.kind = cases[i].kind,
                                       .percent = value,
                                       .delay_ms = value,
                                       .jitter_ms = cases[i].jitter,
                                       .mbit = value,
                                       .entries = value >= 1 && value < 1e6 ? (unsigned)value : 0},
                     cases[i].expected);
    }
}

Test(lab_impairment, drops_before_it_queues)
{
    static const sp_impairment_t list[] = {
        {.kind = SP_IMPAIRMENT_DELAY, .wire = SP_WIRE_NODE, .delay_ms = 5},
        {.kind = SP_IMPAIRMENT_LOSS,
         .wire = SP_WIRE_NODE,
         .protocol = SP_PROTOCOL_UDP,
         .percent = 2},
        {.kind = SP_IMPAIRMENT_CONNTRACK_RACE, .percent = 1},
        {.kind = SP_IMPAIRMENT_LOSS, .wire = SP_WIRE_WAN2, .percent = 100},
        {.kind = SP_IMPAIRMENT_DELAY,
         .wire = SP_WIRE_NODE,
         .protocol = SP_PROTOCOL_TCP,
         .delay_ms = 1},
    };
    const sp_impairment_rule_t rules[] = {
        {&list[0], 0, "wire"}, {&list[1], 1, "wire"}, {&list[2], 2, "cni0"},
        {&list[3], 3, "wan2"}, {&list[4], 4, "wire"},
    };
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 4096);
    sp_buf_init(&buf, &arena, 4096);
    sp_impairment_plan_rules(rules, SP_COUNT(rules), &buf);
    sp_buf_append_char(&buf, '\0');
    cr_assert_eq(buf.status, SP_OK);
    cr_expect_str_eq(
        sp_buf_str(&buf).ptr,
        "*raw\n:SIGNPOST-LAB - [0:0]\n-A PREROUTING -j SIGNPOST-LAB\n"
        "-A SIGNPOST-LAB -i wire -p udp -m statistic --mode random --probability 0.02000000 -m "
        "comment --comment lab:1 -j DROP\n"
        "-A SIGNPOST-LAB -i wan2 -m statistic --mode random --probability 1.00000000 -m comment "
        "--comment lab:3 -j DROP\n"
        "-A SIGNPOST-LAB -i wire -m comment --comment lab:0 -j NFQUEUE --queue-num 0 "
        "--queue-bypass\n"
        "-A SIGNPOST-LAB -i wire -p tcp -m comment --comment lab:4 -j NFQUEUE --queue-num 4 "
        "--queue-bypass\nCOMMIT\n"
        "*mangle\n:SIGNPOST-LAB - [0:0]\n-A PREROUTING -j SIGNPOST-LAB\n"
        "-A SIGNPOST-LAB -i cni0 -d 10.96.0.10/32 -p udp --dport 53 -m conntrack --ctstate NEW "
        "-m connbytes --connbytes 2 --connbytes-dir original --connbytes-mode packets "
        "-m statistic --mode random --probability 0.01000000 -m comment --comment lab:2 -j "
        "DROP\nCOMMIT\n");
    sp_arena_clear(&arena);
}

Test(lab_impairment, finds_the_packets_of_its_rule)
{
    sp_str_t text = SP_STR("*raw\n:PREROUTING ACCEPT [10:20]\n"
                           "[5:6] -A PREROUTING -j SIGNPOST-LAB\n"
                           "[7:8] -A SIGNPOST-LAB -i wire -m comment --comment \"lab:1\" -j DROP\n"
                           "[9:10] -A SIGNPOST-LAB -i wire -m comment --comment lab:11 -j DROP\n"
                           "[x:10] -A SIGNPOST-LAB -i wire -m comment --comment lab:3 -j DROP\n"
                           "[1:10] -A SIGNPOST-LAB -j DROP -m comment --comment lab:4\nCOMMIT\n");
    uint64_t packets = 0;

    cr_expect(sp_impairment_find_packets(text, 1, &packets));
    cr_expect_eq(packets, 7);
    cr_expect(sp_impairment_find_packets(text, 11, &packets));
    cr_expect_eq(packets, 9);
    cr_expect(sp_impairment_find_packets(text, 4, &packets));
    cr_expect_eq(packets, 1);
    cr_expect_not(sp_impairment_find_packets(text, 0, &packets));
    cr_expect_not(sp_impairment_find_packets(text, 2, &packets));
    cr_expect_not(sp_impairment_find_packets(text, 3, &packets));
    cr_expect_not(sp_impairment_find_packets(SP_STR(""), 1, &packets));
}

Test(lab_impairment, finds_what_its_queue_has_lost)
{
    sp_str_t text = SP_STR("    0  13571     0 1     0     0     0      201  1\n"
                           "    4  13579    10 1     0    20     3      201  1\n"
                           "    5  13579    10 1     0    20     3\n"
                           "    6  13579    10 1     0    xx     3      201  1\n");
    uint64_t packets = 99;

    cr_expect(sp_impairment_find_overflow(text, 0, &packets));
    cr_expect_eq(packets, 0);
    cr_expect(sp_impairment_find_overflow(text, 4, &packets));
    cr_expect_eq(packets, 23);
    cr_expect_not(sp_impairment_find_overflow(text, 5, &packets));
    cr_expect_not(sp_impairment_find_overflow(text, 6, &packets));
    cr_expect_not(sp_impairment_find_overflow(text, 1, &packets));
}
