/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ARES_CHANNEL_H
#define SIGNPOST_DNS_ARES_CHANNEL_H

/* One resolver on one transport: a c-ares channel with that one server, which sends each question
 * once and waits. When to ask again, and whom, is decided by ares_client, since c-ares doubles its
 * waits and forgets which server failed. */

#include "dns/poller.h"
#include <sys/socket.h>

typedef struct sp_ares_channel sp_ares_channel_t;

/* c-ares finds queries by 16-bit ids and searches for a free one: never near to all of them. More
 * than this at once, and answers get lost in the socket's buffer. */
#define SP_CHANNEL_OUTSTANDING_MAX 2000

typedef enum sp_wire_result {
    SP_WIRE_REPLY,      /* octets came that answer the question; their rcode is not judged */
    SP_WIRE_TIMEOUT,    /* none came within the channel's patience */
    SP_WIRE_CONNECTION, /* the resolver can't be reached */
    SP_WIRE_NO_NAME,    /* the name can't be asked for: no such name can exist */
    SP_WIRE_NO_MEMORY,
    SP_WIRE_CANCELLED, /* the channel is being destroyed */
} sp_wire_result_t;

/* `message` is valid during the call. May run before sp_ares_channel_send returns. */
typedef void sp_ares_channel_fn(void *arg, sp_wire_result_t result, sp_str_t message);

typedef struct sp_ares_channel_options {
    struct sockaddr_storage address;
    bool tcp;
    unsigned patience_ms; /* how long an answer to one question is waited for */
    uint32_t tag;         /* of its sockets in the poller */
} sp_ares_channel_options_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO with the reason. */
sp_status_t sp_ares_channel_create(sp_poller_t *poller, const sp_ares_channel_options_t *options,
                                   sp_ares_channel_t **ret_channel, sp_error_t *err);

/* Calls back for every question that waits. Accepts NULL. */
void sp_ares_channel_destroy(sp_ares_channel_t *channel);

/* Asks for the TXT records of `name` (text form), or for those of another type. `done` is called
 * exactly once. */
void sp_ares_channel_send(sp_ares_channel_t *channel, sp_str_t name, sp_ares_channel_fn *done,
                          void *arg);
void sp_ares_channel_send_for(sp_ares_channel_t *channel, sp_str_t name, uint16_t type,
                              sp_ares_channel_fn *done, void *arg);

/* Questions sent whose callback is still to come. */
size_t sp_ares_channel_outstanding(const sp_ares_channel_t *channel);

/* One of its sockets is ready; time has passed. */
void sp_ares_channel_ready(sp_ares_channel_t *channel, int fd, bool readable, bool writable);
void sp_ares_channel_tick(sp_ares_channel_t *channel);

#endif
