/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/ares_channel.h"

#include "dns/resolver_address.h"
#include "dns/wire_message.h"
#include "dns/wire_name.h"
#include <ares.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define EDNS_SIZE 1232 /* octets: fits every path without fragments */
#define RECEIVE_BUFFER (1 << 20)
#define CLASS_IN 1
#define TCP_SILENCE_MS 2000 /* unacknowledged for so long: the connection is dead */
#define ARES_NAME_SIZE (2 * SP_WIRE_NAME_MAX + 1) /* each octet escaped, and NUL */

struct sp_ares_channel {
    sp_poller_t *poller;
    sp_ares_channel_options_t options;
    ares_channel ares;
    size_t outstanding;
};

/* A question that c-ares holds. */
typedef struct question {
    sp_ares_channel_t *channel;
    sp_ares_channel_fn *done;
    void *arg;
} question_t;

/* A hedge must not wait for Nagle, nor for retransmissions that come ever later; and a connection
 * whose other end has vanished must not look open for a quarter of an hour. */
static void tune_stream(int fd)
{
    int on = 1;
    unsigned silence = TCP_SILENCE_MS;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof(silence));
}

/* c-ares' own socket functions know no IPv6 scope; with these the channel connects to exactly the
 * address that was configured. */
static ares_socket_t open_socket(int family, int type, int protocol, void *arg)
{
    int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    int size = RECEIVE_BUFFER;

    (void)arg;
    if (fd >= 0 && type == SOCK_STREAM) {
        tune_stream(fd);
    } else if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    }
    return fd;
}

static int close_socket(ares_socket_t fd, void *arg)
{
    (void)arg;
    return close(fd);
}

static int connect_socket(ares_socket_t fd, const struct sockaddr *address, ares_socklen_t len,
                          void *arg)
{
    const sp_ares_channel_t *channel = arg;

    (void)address;
    (void)len;
    return connect(fd, (const struct sockaddr *)&channel->options.address,
                   sp_resolver_length(&channel->options.address));
}

/* NOLINTNEXTLINE(readability-function-size): c-ares says which parameters */
static ares_ssize_t receive(ares_socket_t fd, void *data, size_t size, int flags,
                            struct sockaddr *from, ares_socklen_t *from_len, void *arg)
{
    (void)arg;
    return recvfrom(fd, data, size, flags, from, from_len);
}

static ares_ssize_t send_vector(ares_socket_t fd, const struct iovec *parts, int count, void *arg)
{
    struct iovec copy[8];
    struct msghdr message = {.msg_iov = copy};

    (void)arg;
    while (message.msg_iovlen < SP_COUNT(copy) && (int)message.msg_iovlen < count) {
        copy[message.msg_iovlen] = parts[message.msg_iovlen];
        message.msg_iovlen += 1;
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

static const struct ares_socket_functions socket_functions = {
    open_socket, close_socket, connect_socket, receive, send_vector,
};

static void on_socket_state(void *arg, ares_socket_t fd, int readable, int writable)
{
    const sp_ares_channel_t *channel = arg;

    (void)sp_poller_watch(channel->poller, channel->options.tag, fd, readable != 0, writable != 0);
}

static int set_server(const sp_ares_channel_t *channel)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&channel->options.address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&channel->options.address;
    struct ares_addr_port_node node = {.family = channel->options.address.ss_family};

    if (node.family == AF_INET) {
        node.addr.addr4 = v4->sin_addr;
        node.udp_port = ntohs(v4->sin_port);
    } else {
        memcpy(&node.addr.addr6, &v6->sin6_addr, sizeof(v6->sin6_addr));
        node.udp_port = ntohs(v6->sin6_port);
    }
    node.tcp_port = node.udp_port;
    return ares_set_servers_ports(channel->ares, &node);
}

/* A TCP connection is kept open. A UDP socket across a network is not, so that its port changes: a
 * forged answer has to guess it. */
static int flags_for(const sp_ares_channel_options_t *options)
{
    int flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_NOCHECKRESP | ARES_FLAG_IGNTC |
                ARES_FLAG_EDNS;

    if (options->tcp) {
        flags |= ARES_FLAG_USEVC;
    }
    if (options->tcp || sp_resolver_is_loopback(&options->address)) {
        flags |= ARES_FLAG_STAYOPEN;
    }
    return flags;
}

static int init_ares(sp_ares_channel_t *channel)
{
    char lookups[] = "b"; /* DNS only: never the hosts file */
    struct ares_options options = {.flags = flags_for(&channel->options),
                                   .timeout = (int)channel->options.patience_ms,
                                   .tries = 1,
                                   .ndots = 1,
                                   .ednspsz = EDNS_SIZE,
                                   .lookups = lookups,
                                   .sock_state_cb = on_socket_state,
                                   .sock_state_cb_data = channel};
    int code = ares_init_options(&channel->ares, &options,
                                 ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                                     ARES_OPT_NDOTS | ARES_OPT_EDNSPSZ | ARES_OPT_LOOKUPS |
                                     ARES_OPT_SOCK_STATE_CB | ARES_OPT_DOMAINS);

    if (code != ARES_SUCCESS) {
        channel->ares = NULL;
        return code;
    }
    ares_set_socket_functions(channel->ares, &socket_functions, channel);
    return set_server(channel);
}

sp_status_t sp_ares_channel_create(sp_poller_t *poller, const sp_ares_channel_options_t *options,
                                   sp_ares_channel_t **ret_channel, sp_error_t *err)
{
    sp_ares_channel_t *channel = calloc(1, sizeof(*channel));
    int code;

    if (channel == NULL) {
        return SP_NO_MEMORY;
    }
    channel->poller = poller;
    channel->options = *options;
    code = init_ares(channel);
    if (code != ARES_SUCCESS) {
        sp_ares_channel_destroy(channel);
        return code == ARES_ENOMEM
                   ? SP_NO_MEMORY
                   : sp_fail(err, SP_IO, 0, "cannot prepare DNS: %s", ares_strerror(code));
    }
    *ret_channel = channel;
    return SP_OK;
}

void sp_ares_channel_destroy(sp_ares_channel_t *channel)
{
    if (channel != NULL && channel->ares != NULL) {
        ares_destroy(channel->ares);
    }
    free(channel);
}

static sp_wire_result_t result_of(int status)
{
    switch (status) {
    case ARES_ETIMEOUT:
        return SP_WIRE_TIMEOUT;
    case ARES_EDESTRUCTION:
    case ARES_ECANCELLED:
        return SP_WIRE_CANCELLED;
    case ARES_EBADNAME:
    case ARES_ENOTFOUND: /* without a reply: c-ares itself denies .onion (RFC 7686) */
        return SP_WIRE_NO_NAME;
    case ARES_ENOMEM:
        return SP_WIRE_NO_MEMORY;
    default:
        return SP_WIRE_CONNECTION;
    }
}

static void on_answer(void *arg, int status, int timeouts, unsigned char *message, int len)
{
    question_t question = *(question_t *)arg;

    (void)timeouts;
    free(arg);
    question.channel->outstanding -= 1;
    if (message != NULL && len > 0) {
        question.done(question.arg, SP_WIRE_REPLY, (sp_str_t){(const char *)message, (size_t)len});
        return;
    }
    question.done(question.arg, result_of(status), (sp_str_t){0});
}

/* The name as c-ares wants it: dots and backslashes inside labels with a backslash, all other
 * octets as they are. False for one that it can't take: a NUL inside a label. */
static bool ares_name(sp_str_t name, char out[ARES_NAME_SIZE])
{
    uint8_t wire[SP_WIRE_NAME_MAX];
    size_t wire_len;
    size_t len = 0;

    if (!sp_wire_name_write(name, wire, &wire_len)) {
        return false;
    }
    for (size_t at = 0; wire[at] != 0;) {
        size_t end = at + 1 + wire[at];

        for (++at; at != end; ++at) {
            if (wire[at] == 0) {
                return false;
            }
            if (wire[at] == '.' || wire[at] == '\\') {
                out[len++] = '\\';
            }
            out[len++] = (char)wire[at];
        }
        out[len++] = '.';
    }
    if (len == 0) {
        out[len++] = '.';
    }
    out[len] = '\0';
    return true;
}

void sp_ares_channel_send(sp_ares_channel_t *channel, sp_str_t name, sp_ares_channel_fn *done,
                          void *arg)
{
    sp_ares_channel_send_for(channel, name, SP_TYPE_TXT, done, arg);
}

void sp_ares_channel_send_for(sp_ares_channel_t *channel, sp_str_t name, uint16_t type,
                              sp_ares_channel_fn *done, void *arg)
{
    char text[ARES_NAME_SIZE];
    question_t *question;

    if (!ares_name(name, text)) {
        done(arg, SP_WIRE_NO_NAME, (sp_str_t){0});
        return;
    }
    question = malloc(sizeof(*question));
    if (question == NULL) {
        done(arg, SP_WIRE_NO_MEMORY, (sp_str_t){0});
        return;
    }
    *question = (question_t){channel, done, arg};
    channel->outstanding += 1;
    ares_query(channel->ares, text, CLASS_IN, type, on_answer, question);
}

size_t sp_ares_channel_outstanding(const sp_ares_channel_t *channel)
{
    return channel->outstanding;
}

void sp_ares_channel_ready(sp_ares_channel_t *channel, int fd, bool readable, bool writable)
{
    ares_process_fd(channel->ares, readable ? fd : ARES_SOCKET_BAD,
                    writable ? fd : ARES_SOCKET_BAD);
}

void sp_ares_channel_tick(sp_ares_channel_t *channel)
{
    ares_process_fd(channel->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}
