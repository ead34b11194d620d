/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/wire_message.h"

#include <criterion/criterion.h>
#include <string.h>

/* What holds for any type that is asked for. Replies with TXT records are in ares_answer_test,
 * those with CAA records in caa_reply_test. */

#define TYPE_MX 15
#define TYPE_NS 2
#define TYPE_CNAME 5

static sp_arena_t arena;

static void create(void)
{
    sp_arena_init(&arena, NULL, 0, 4096);
}

static void destroy(void)
{
    sp_arena_clear(&arena);
}

TestSuite(wire_message, .init = create, .fini = destroy);

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

/* Header and the question for the MX of "n", a name of one letter. */
static packet_t reply(char flags, char answers, char authority)
{
    const char octets[] = {0, 7, flags, (char)0x80, 0, 1, 0,       answers, 0, authority,
                           0, 0, 1,     'n',        0, 0, TYPE_MX, 0,       1};
    packet_t packet = {.len = 0};

    put(&packet, octets, sizeof(octets));
    return packet;
}

/* Owner and a name in the data are one letter each. */
static void put_rr(packet_t *packet, char owner, char type, char ttl_s, char target)
{
    const char octets[] = {1, owner, 0, 0, type, 0, 1, 0, 0, 0, ttl_s, 0, 3, 1, target, 0};

    put(packet, octets, sizeof(octets));
}

static sp_wire_message_t read_as(const packet_t *packet, uint16_t type)
{
    sp_wire_message_t message;

    cr_assert_eq(sp_wire_message_read((sp_str_t){packet->octets, packet->len}, SP_STR("n"), type,
                                      &arena, &message),
                 SP_OK);
    return message;
}

Test(wire_message, keeps_the_type_that_was_asked_for)
{
    packet_t packet = reply((char)0x81, 4, 0);
    sp_wire_message_t message;

    put_rr(&packet, 'n', TYPE_MX, 9, 'a');
    put_rr(&packet, 'n', 1, 9, 'b');
    put_rr(&packet, 'n', TYPE_MX, 8, 'c');
    put_rr(&packet, 'o', TYPE_MX, 7, 'd');
    message = read_as(&packet, TYPE_MX);
    cr_assert_eq(message.kind, SP_MESSAGE_READ);
    cr_expect(sp_str_eq(message.end, SP_STR("n")));
    cr_expect_eq(message.chain_ttl_s, UINT32_MAX);
    cr_expect_eq(sp_wire_rr_count(message.answers, message.end, TYPE_MX), 2);
    cr_expect_eq(sp_wire_rr_count(message.answers, message.end, 1), 0);
    cr_expect_eq(message.answers->ttl_s, 9);
    cr_expect(sp_str_eq(message.answers->data, SP_STR("\1a\0")));
}

Test(wire_message, believes_no_reply_to_a_question_for_another_type)
{
    packet_t packet = reply((char)0x81, 0, 0);

    cr_expect_eq(read_as(&packet, TYPE_MX).kind, SP_MESSAGE_READ);
    cr_expect_eq(read_as(&packet, SP_TYPE_TXT).kind, SP_MESSAGE_MALFORMED);
    cr_expect_eq(read_as(&packet, SP_TYPE_CAA).kind, SP_MESSAGE_MALFORMED);
}

/* `count` CNAMEs in a row, from n on. */
static packet_t chain_of(size_t count)
{
    static const char letters[] = "n0123456789abcdefg";
    packet_t packet = reply((char)0x81, (char)count, 0);

    cr_assert_lt(count + 1, sizeof(letters));
    for (size_t i = 0; i != count; ++i) {
        put_rr(&packet, letters[i], TYPE_CNAME, (char)(100 - i), letters[i + 1]);
    }
    return packet;
}

Test(wire_message, follows_so_many_cnames_and_no_more)
{
    packet_t packet = chain_of(SP_CHAIN_MAX);
    sp_wire_message_t message = read_as(&packet, TYPE_MX);

    cr_expect_eq(message.kind, SP_MESSAGE_READ);
    cr_expect_eq(message.chain, SP_CHAIN_MAX);
    cr_expect(sp_str_eq(message.end, SP_STR("f")));
    cr_expect_eq(message.chain_ttl_s, 100 - (SP_CHAIN_MAX - 1));
    packet = chain_of(SP_CHAIN_MAX + 1);
    cr_expect_eq(read_as(&packet, TYPE_MX).kind, SP_MESSAGE_LOOP);
}

Test(wire_message, tells_a_referral_from_an_authoritative_delegation)
{
    packet_t packet = reply((char)0x81, 0, 1);

    put_rr(&packet, 'n', TYPE_NS, 9, 's');
    cr_expect(read_as(&packet, TYPE_MX).is_referral);
    packet.octets[2] = (char)0x85; /* AA */
    cr_expect_not(read_as(&packet, TYPE_MX).is_referral);
}
