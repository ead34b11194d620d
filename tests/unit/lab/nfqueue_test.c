/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/nfqueue.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>

typedef struct seen {
    uint32_t packets[8];
    size_t count;
} seen_t;

static void take(void *arg, uint32_t packet)
{
    seen_t *seen = arg;

    cr_assert_lt(seen->count, 8U);
    seen->packets[seen->count++] = packet;
}

static size_t add(char *text, size_t at, const void *data, size_t size)
{
    memcpy(text + at, data, size);
    return at + (size + 3) / 4 * 4;
}

/* A packet's message as the kernel writes it: an attribute that does not matter, then the number.
 */
static size_t add_packet(char *text, size_t at, uint32_t packet)
{
    const struct nlmsghdr head = {.nlmsg_len = 16 + 4 + 8 + 12,
                                  .nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET};
    const struct nfgenmsg family = {.version = 0};
    const struct nlattr mark = {.nla_len = 5, .nla_type = NFQA_MARK};
    const struct nlattr number = {.nla_len = 4 + sizeof(struct nfqnl_msg_packet_hdr),
                                  .nla_type = NFQA_PACKET_HDR};
    const struct nfqnl_msg_packet_hdr value = {.packet_id = htonl(packet)};

    at = add(text, at, &head, sizeof(head));
    at = add(text, at, &family, sizeof(family));
    at = add(text, at, &mark, sizeof(mark));
    at = add(text, at, "x\0\0\0", 4);
    at = add(text, at, &number, sizeof(number));
    (void)add(text, at, &value, sizeof(value));
    return at + 8; /* seven octets, and one that fills up */
}

static size_t add_error(char *text, size_t at, int error)
{
    const struct nlmsghdr head = {.nlmsg_len = 20, .nlmsg_type = NLMSG_ERROR};

    at = add(text, at, &head, sizeof(head));
    return add(text, at, &error, sizeof(error));
}

Test(lab_nfqueue, takes_packets_in_their_order)
{
    char text[256] = {0};
    seen_t seen = {.count = 0};
    size_t len = add_packet(text, 0, 7);

    len = add_packet(text, len, 0x80000001U);
    cr_assert_eq(len, 80);
    cr_expect_eq(sp_nfqueue_walk(text, len, take, &seen), 0);
    cr_assert_eq(seen.count, 2);
    cr_expect_eq(seen.packets[0], 7);
    cr_expect_eq(seen.packets[1], 0x80000001U);
}

Test(lab_nfqueue, tells_what_the_kernel_refuses)
{
    char text[64] = {0};

    cr_expect_eq(sp_nfqueue_walk(text, add_error(text, 0, 0), NULL, NULL), 0);
    cr_expect_eq(sp_nfqueue_walk(text, add_error(text, 0, -EPERM), NULL, NULL), EPERM);
    cr_expect_eq(sp_nfqueue_walk(text, add_error(text, 0, 5), NULL, NULL), EBADMSG);
}

Test(lab_nfqueue, every_cut_is_noticed)
{
    char text[64] = {0};
    size_t len = add_packet(text, 0, 7);

    for (size_t cut = 1; cut != len; ++cut) {
        char copy[64];
        seen_t seen = {.count = 0};

        memcpy(copy, text, cut);
        cr_expect_eq(sp_nfqueue_walk(copy, cut, take, &seen), EBADMSG, "%zu", cut);
        cr_expect_eq(seen.count, 0, "%zu", cut);
    }
    cr_expect_eq(sp_nfqueue_walk(text, 0, take, NULL), 0);
}

Test(lab_nfqueue, lengths_that_lie_are_noticed)
{
    char text[64] = {0};
    size_t len = add_packet(text, 0, 7);
    uint32_t whole = 15;
    uint16_t part = 3;
    seen_t seen = {.count = 0};

    memcpy(text, &whole, sizeof(whole)); /* a message shorter than its head */
    cr_expect_eq(sp_nfqueue_walk(text, len, take, &seen), EBADMSG);
    (void)add_packet(text, 0, 7);
    memcpy(text + 20, &part, sizeof(part)); /* an attribute shorter than its head */
    cr_expect_eq(sp_nfqueue_walk(text, len, take, &seen), EBADMSG);
    part = 60000;
    memcpy(text + 20, &part, sizeof(part)); /* one longer than the message */
    cr_expect_eq(sp_nfqueue_walk(text, len, take, &seen), EBADMSG);
    cr_expect_eq(seen.count, 0);
}
