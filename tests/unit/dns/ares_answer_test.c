/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_answer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Replies are put together octet by octet; what a resolver does with them is in ares_client_test.
 */

typedef struct packet {
    char octets[2048];
    size_t len;
} packet_t;

static void put(packet_t *packet, const void *octets, size_t len)
{
    cr_assert_leq(packet->len + len, sizeof(packet->octets));
    memcpy(packet->octets + packet->len, octets, len);
    packet->len += len;
}

static void put16(packet_t *packet, unsigned value)
{
    char octets[2] = {(char)(value >> 8), (char)value};

    put(packet, octets, 2);
}

/* "a.b" as labels. */
static void put_name(packet_t *packet, const char *name)
{
    while (*name != '\0') {
        size_t len = strcspn(name, ".");
        char octet = (char)len;

        put(packet, &octet, 1);
        put(packet, name, len);
        name += name[len] == '.' ? len + 1 : len;
    }
    put(packet, "", 1);
}

/* Header and the question for a.b. */
static packet_t reply(unsigned flags, unsigned answers, unsigned authority)
{
    packet_t packet = {.len = 0};

    put16(&packet, 7);
    put16(&packet, flags);
    put16(&packet, 1);
    put16(&packet, answers);
    put16(&packet, authority);
    put16(&packet, 0);
    put_name(&packet, "a.b");
    put16(&packet, 16);
    put16(&packet, 1);
    return packet;
}

static void put_rr(packet_t *packet, const char *owner, unsigned type, unsigned ttl_s,
                   const char *data, size_t len)
{
    put_name(packet, owner);
    put16(packet, type);
    put16(packet, 1);
    put16(packet, ttl_s >> 16);
    put16(packet, ttl_s & 0xffff);
    put16(packet, (unsigned)len);
    put(packet, data, len);
}

static sp_reply_t read_packet(const packet_t *packet, size_t len, sp_arena_t *arena)
{
    char *exact = malloc(len + 1); /* so that a sanitizer sees the first octet too much */
    sp_reply_t result;

    cr_assert_not_null(exact);
    memcpy(exact, packet->octets, len);
    sp_arena_init(arena, NULL, 0, 4096);
    cr_assert_eq(sp_reply_read((sp_str_t){exact, len}, SP_STR("a.b"), arena, &result), SP_OK);
    free(exact);
    return result;
}

static void expect_failure(const packet_t *packet, sp_failure_t failure)
{
    sp_arena_t arena;
    sp_reply_t result = read_packet(packet, packet->len, &arena);

    cr_expect_eq(result.kind, SP_REPLY_ANSWER);
    cr_expect_eq(result.parts.kind, SP_ANSWER_FAILURE);
    cr_expect_eq(result.parts.failure, failure, "%s", sp_failure_name(result.parts.failure));
    sp_arena_clear(&arena);
}

Test(ares_answer, joins_strings_and_keeps_records_apart)
{
    packet_t packet = reply(0x8180, 3, 0);
    sp_arena_t arena;
    sp_reply_t result;

    put_rr(&packet, "A.b", 16, 300, "\x02xy\x00\x01z", 6);
    put_rr(&packet, "a.B", 16, 20, "\x00", 1);
    put_rr(&packet, "c.b", 16, 1, "\x01q", 2);
    result = read_packet(&packet, packet.len, &arena);
    cr_assert_eq(result.kind, SP_REPLY_ANSWER);
    cr_assert_eq(result.parts.kind, SP_ANSWER_TXT);
    cr_assert_eq(result.parts.text_count, 2);
    cr_expect(sp_str_eq(result.parts.texts[0], SP_STR("xyz")));
    cr_expect_eq(result.parts.texts[1].len, 0);
    cr_expect_eq(result.parts.ttl_s, 20);
    cr_expect_eq(result.parts.canonical.len, 0);
    sp_arena_clear(&arena);
}

Test(ares_answer, takes_a_ttl_with_the_top_bit_for_zero)
{
    packet_t packet = reply(0x8180, 1, 0);
    sp_arena_t arena;
    sp_reply_t result;

    put_rr(&packet, "a.b", 16, 0x80000001U, "\x01z", 2);
    result = read_packet(&packet, packet.len, &arena);
    cr_expect_eq(result.parts.ttl_s, 0);
    sp_arena_clear(&arena);
}

Test(ares_answer, follows_a_chain_in_any_order)
{
    packet_t packet = reply(0x8180, 3, 0);
    sp_arena_t arena;
    sp_reply_t result;

    put_rr(&packet, "d", 16, 300, "\x01z", 2);
    put_rr(&packet, "c", 5, 40,
           "\x01"
           "d",
           3);
    put_rr(&packet, "a.b", 5, 50,
           "\x01"
           "C",
           3);
    result = read_packet(&packet, packet.len, &arena);
    cr_expect_eq(result.parts.kind, SP_ANSWER_TXT);
    cr_expect_eq(result.chain, 2);
    cr_expect_eq(result.parts.ttl_s, 40);
    cr_expect(sp_str_eq(result.parts.canonical, SP_STR("d")));
    sp_arena_clear(&arena);
}

Test(ares_answer, asks_on_when_a_chain_ends_in_nothing)
{
    packet_t packet = reply(0x8180, 1, 0);
    sp_arena_t arena;
    sp_reply_t result;

    put_rr(&packet, "a.b", 5, 50,
           "\x01"
           "c",
           3);
    result = read_packet(&packet, packet.len, &arena);
    cr_expect_eq(result.kind, SP_REPLY_ALIAS);
    cr_expect_eq(result.parts.ttl_s, 50);
    cr_expect(sp_str_eq(result.parts.canonical, SP_STR("c")));
    sp_arena_clear(&arena);
}

Test(ares_answer, ends_a_loop)
{
    packet_t packet = reply(0x8180, 1, 0);

    put_rr(&packet, "a.b", 5, 50,
           "\x01"
           "a\x01"
           "b",
           5);
    expect_failure(&packet, SP_FAILURE_SERVFAIL);
}

#define SOA_DATA                                                                                   \
    "\0\0"                                                                                         \
    "\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\x1e"

Test(ares_answer, takes_the_ttl_of_an_absence_from_a_soa_above_the_name)
{
    const char *owners[] = {"b", "a.b", "", "c.a.b", "x"};
    const unsigned expected[] = {30, 30, 30, 0, 0};

    for (size_t i = 0; i != SP_COUNT(owners); ++i) {
        packet_t packet = reply(0x8183, 0, 1);
        sp_arena_t arena;
        sp_reply_t result;

        put_rr(&packet, owners[i], 6, 900, SOA_DATA, 22);
        result = read_packet(&packet, packet.len, &arena);
        cr_expect_eq(result.parts.kind, SP_ANSWER_NXDOMAIN);
        cr_expect_eq(result.parts.ttl_s, expected[i], "SOA at '%s'", owners[i]);
        sp_arena_clear(&arena);
    }
}

Test(ares_answer, takes_a_referral_for_a_failure)
{
    packet_t packet = reply(0x8180, 0, 1);

    put_rr(&packet, "b", 2, 900, "\0", 1);
    expect_failure(&packet, SP_FAILURE_SERVFAIL);
}

Test(ares_answer, notices_truncation)
{
    packet_t packet = reply(0x8380, 5, 0);
    sp_arena_t arena;
    sp_reply_t result = read_packet(&packet, packet.len, &arena);

    cr_expect_eq(result.kind, SP_REPLY_TRUNCATED);
    sp_arena_clear(&arena);
}

Test(ares_answer, takes_rcodes_even_without_a_question)
{
    packet_t packet = reply(0x8182, 0, 0);

    expect_failure(&packet, SP_FAILURE_SERVFAIL);
    packet.octets[3] = (char)0x85;
    expect_failure(&packet, SP_FAILURE_REFUSED);
    packet.octets[3] = (char)0x81;
    packet.octets[5] = 0;
    packet.len = 12;
    expect_failure(&packet, SP_FAILURE_REFUSED);
}

Test(ares_answer, refuses_what_answers_another_question)
{
    packet_t packet = reply(0x0180, 0, 0); /* a query, no reply */

    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 0, 0);
    packet.octets[13] = 'x';
    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 0, 0);
    packet.octets[18] = 1; /* type A */
    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 0, 0);
    packet.octets[20] = 3; /* class CH */
    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 0, 0);
    packet.octets[5] = 2; /* questions */
    expect_failure(&packet, SP_FAILURE_MALFORMED);
}

Test(ares_answer, refuses_data_that_does_not_fit_its_length)
{
    packet_t packet = reply(0x8180, 1, 0);

    put_rr(&packet, "a.b", 16, 1, "\x05xy", 3);
    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 1, 0);
    put_rr(&packet, "a.b", 16, 1, "", 0);
    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 1, 0);
    put_rr(&packet, "a.b", 5, 1, "\x01x\0\0", 4);
    expect_failure(&packet, SP_FAILURE_MALFORMED);
    packet = reply(0x8180, 0, 1);
    put_rr(&packet, "b", 6, 1, "\0\0\0", 3);
    expect_failure(&packet, SP_FAILURE_MALFORMED);
}

Test(ares_answer, passes_over_other_types_and_classes)
{
    packet_t packet = reply(0x8180, 2, 0);
    sp_arena_t arena;
    sp_reply_t result;

    put_rr(&packet, "a.b", 1, 1, "\x7f\0\0\1", 4);
    put_rr(&packet, "a.b", 16, 1, "\x01z", 2);
    packet.octets[packet.len - 9] = 3; /* class CH */
    result = read_packet(&packet, packet.len, &arena);
    cr_expect_eq(result.parts.kind, SP_ANSWER_NODATA);
    sp_arena_clear(&arena);
}

Test(ares_answer, refuses_a_reply_cut_off_anywhere)
{
    packet_t packet = reply(0x8180, 2, 1);

    put_rr(&packet, "a.b", 5, 50,
           "\x01"
           "c",
           3);
    put_rr(&packet, "c", 16, 50, "\x01z\x02yy", 5);
    put_rr(&packet, "b", 6, 900, SOA_DATA, 22);
    for (size_t len = 0; len <= packet.len; ++len) {
        sp_arena_t arena;
        sp_reply_t result = read_packet(&packet, len, &arena);

        cr_expect_eq(result.parts.failure,
                     len == packet.len ? SP_FAILURE_NONE : SP_FAILURE_MALFORMED, "at %zu", len);
        sp_arena_clear(&arena);
    }
}
