/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/nfqueue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOCKET_BUFFER (32 * 1024 * 1024)
#define MESSAGE_MAX 128

/* netlink(7): everything begins at a multiple of four; an attribute's length and type are four
 * octets. */
#define ALIGNMENT 4U
#define ATTRIBUTE_HEAD sizeof(struct nlattr)

/* A message that is being built; what is appended always fits. */
typedef struct message {
    char octets[MESSAGE_MAX];
    size_t len;
} message_t;

static size_t align(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void append(message_t *message, const void *data, size_t size)
{
    memcpy(message->octets + message->len, data, size);
    message->len += align(size);
}

static void begin(message_t *message, unsigned type, unsigned queue, bool wants_answer)
{
    const struct nlmsghdr head = {.nlmsg_type = (uint16_t)(NFNL_SUBSYS_QUEUE << 8 | type),
                                  .nlmsg_flags =
                                      (uint16_t)(NLM_F_REQUEST | (wants_answer ? NLM_F_ACK : 0))};
    const struct nfgenmsg family = {
        .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons((uint16_t)queue)};

    memset(message, 0, sizeof(*message));
    append(message, &head, sizeof(head));
    append(message, &family, sizeof(family));
}

static void add(message_t *message, unsigned type, const void *value, size_t size)
{
    const struct nlattr head = {.nla_len = (uint16_t)(ATTRIBUTE_HEAD + size),
                                .nla_type = (uint16_t)type};

    append(message, &head, sizeof(head));
    append(message, value, size);
}

static void add_number(message_t *message, unsigned type, uint32_t number)
{
    const uint32_t wire = htonl(number);

    add(message, type, &wire, sizeof(wire));
}

static bool send_message(int fd, message_t *message)
{
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    uint32_t len = (uint32_t)message->len;
    ssize_t done;

    memcpy(message->octets, &len, sizeof(len)); /* nlmsg_len is the first member */
    do {
        done = sendto(fd, message->octets, message->len, 0, (const struct sockaddr *)&kernel,
                      sizeof(kernel));
    } while (done < 0 && errno == EINTR);
    return done == (ssize_t)message->len;
}

/* Packets may come before the answer does; there are no rules that send any yet, so none is lost.
 */
static bool ask(int fd, message_t *message)
{
    char answer[8192];
    ssize_t got;
    int error;

    if (!send_message(fd, message)) {
        return false;
    }
    do {
        got = recv(fd, answer, sizeof(answer), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return false;
    }
    error = sp_nfqueue_walk(answer, (size_t)got, NULL, NULL);
    errno = error;
    return error == 0;
}

static bool configure(int fd, unsigned queue, unsigned room)
{
    const struct nfqnl_msg_config_cmd command = {.command = NFQNL_CFG_CMD_BIND,
                                                 .pf = htons(AF_INET)};
    const struct nfqnl_msg_config_params copy = {.copy_range = 0, .copy_mode = NFQNL_COPY_META};
    message_t message;

    begin(&message, NFQNL_MSG_CONFIG, queue, true);
    add(&message, NFQA_CFG_CMD, &command, sizeof(command));
    if (!ask(fd, &message)) {
        return false;
    }
    begin(&message, NFQNL_MSG_CONFIG, queue, true);
    add(&message, NFQA_CFG_PARAMS, &copy, sizeof(copy));
    add_number(&message, NFQA_CFG_QUEUE_MAXLEN, room);
    /* Super-segments stay in one piece; where there are none, this changes nothing. */
    add_number(&message, NFQA_CFG_FLAGS, NFQA_CFG_F_GSO);
    add_number(&message, NFQA_CFG_MASK, NFQA_CFG_F_GSO);
    return ask(fd, &message);
}

sp_status_t sp_nfqueue_open(unsigned queue, unsigned room, int *ret_fd, sp_error_t *err)
{
    const struct sockaddr_nl own = {.nl_family = AF_NETLINK};
    const int size = SOCKET_BUFFER;
    const int on = 1;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

    if (fd >= 0 && bind(fd, (const struct sockaddr *)&own, sizeof(own)) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) == 0 &&
        setsockopt(fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof(on)) == 0 &&
        configure(fd, queue, room)) {
        *ret_fd = fd;
        return SP_OK;
    }
    (void)sp_fail(err, SP_UNSUPPORTED, 0, "the kernel gives no packet queue (NFQUEUE): %s",
                  strerror(errno));
    if (fd >= 0) {
        (void)close(fd);
    }
    return SP_UNSUPPORTED;
}

/* A packet's number stands in the attribute NFQA_PACKET_HDR; false when there is none. */
static bool find_packet(const char *attributes, size_t size, uint32_t *ret_packet)
{
    size_t at = 0;

    while (size - at >= ATTRIBUTE_HEAD) {
        struct nlattr head;
        size_t step;

        memcpy(&head, attributes + at, sizeof(head));
        step = align(head.nla_len);
        if (head.nla_len < ATTRIBUTE_HEAD || head.nla_len > size - at) {
            return false;
        }
        if ((head.nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR &&
            head.nla_len >= ATTRIBUTE_HEAD + sizeof(uint32_t)) {
            memcpy(ret_packet, attributes + at + ATTRIBUTE_HEAD, sizeof(*ret_packet));
            *ret_packet = ntohl(*ret_packet);
            return true;
        }
        if (step > size - at) {
            return false;
        }
        at += step;
    }
    return false;
}

static int walk_one(const struct nlmsghdr *head, const char *body, size_t size,
                    sp_nfqueue_take_t *take, void *arg)
{
    uint32_t packet;
    int error;

    if (head->nlmsg_type == NLMSG_ERROR) {
        if (size < sizeof(error)) {
            return EBADMSG;
        }
        memcpy(&error, body, sizeof(error));
        return error > 0 || error < -4095 ? EBADMSG : -error; /* the kernel's range */
    }
    if (head->nlmsg_type == (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET)) {
        if (size < sizeof(struct nfgenmsg) ||
            !find_packet(body + sizeof(struct nfgenmsg), size - sizeof(struct nfgenmsg), &packet)) {
            return EBADMSG;
        }
        if (take != NULL) {
            take(arg, packet);
        }
    }
    return 0;
}

int sp_nfqueue_walk(const void *messages, size_t size, sp_nfqueue_take_t *take, void *arg)
{
    const char *at = messages;
    int error = 0;

    while (size != 0 && error == 0) {
        struct nlmsghdr head;
        size_t step;

        if (size < sizeof(head)) {
            return EBADMSG;
        }
        memcpy(&head, at, sizeof(head));
        if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > size) {
            return EBADMSG;
        }
        error = walk_one(&head, at + sizeof(head), head.nlmsg_len - sizeof(head), take, arg);
        step = align(head.nlmsg_len);
        step = step > size ? size : step;
        at += step;
        size -= step;
    }
    return error;
}

bool sp_nfqueue_accept(int fd, unsigned queue, uint32_t last)
{
    const struct nfqnl_msg_verdict_hdr verdict = {.verdict = htonl(NF_ACCEPT), .id = htonl(last)};
    message_t message;

    begin(&message, NFQNL_MSG_VERDICT_BATCH, queue, false);
    add(&message, NFQA_VERDICT_HDR, &verdict, sizeof(verdict));
    return send_message(fd, &message);
}
