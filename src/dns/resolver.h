/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_RESOLVER_H
#define SIGNPOST_DNS_RESOLVER_H

/* One resolver as one worker asks it: its channels and its health. Over UDP several channels take
 * turns: across a network, so that a forged answer has to guess the port, which changes all the
 * time; on loopback, where nobody forges, so that one that is full is not the end. */

#include "dns/ares_channel.h"
#include "dns/resolver_health.h"

#define SP_RESOLVER_CHANNELS_MAX 9 /* the last is TCP */

typedef struct sp_resolver {
    sp_health_t health;
    sp_ares_channel_t *udp[SP_RESOLVER_CHANNELS_MAX - 1];
    unsigned uses[SP_RESOLVER_CHANNELS_MAX - 1]; /* since the socket was opened, roughly */
    size_t udp_count;
    size_t next; /* UDP channel whose turn it is */
    sp_ares_channel_t *tcp;
    uint64_t tcp_after_us; /* nobody listened there: not for a hedge before */
    bool is_local;         /* on loopback */
} sp_resolver_t;

typedef struct sp_resolver_options {
    struct sockaddr_storage address;
    unsigned patience_ms;
    unsigned max_inflight;
    uint32_t tag; /* of its channels: from here on, SP_RESOLVER_CHANNELS_MAX of them */
} sp_resolver_options_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO with the reason; sp_resolver_clear is due in any case. */
sp_status_t sp_resolver_init(sp_resolver_t *resolver, sp_poller_t *poller,
                             const sp_resolver_options_t *options, sp_error_t *err);

/* Calls back for all that waits. Accepts an object of zeros. */
void sp_resolver_clear(sp_resolver_t *resolver);

/* The channel for the next question; NULL: all are full. */
sp_ares_channel_t *sp_resolver_channel(sp_resolver_t *resolver, bool tcp);

/* The channel whose tag is so much behind the first one's. */
sp_ares_channel_t *sp_resolver_tagged(const sp_resolver_t *resolver, uint32_t offset);

/* Lets c-ares see that time has passed. True while questions wait. */
bool sp_resolver_tick(const sp_resolver_t *resolver);

#endif
