/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_POLLER_H
#define SIGNPOST_DNS_POLLER_H

/* Descriptors that belong to another library, and a monotonic timer, on the h2o loop: a private
 * epoll whose own descriptor is one socket of the loop. The owners of the descriptors keep closing
 * them themselves, which h2o's sockets do not allow; and a step of the wall clock, which h2o's
 * timeouts follow, does no harm. */

#include "dns/compat_h2o.h"
#include <signpost/base/error.h>

typedef struct sp_poller sp_poller_t;

typedef struct sp_poller_callbacks {
    void (*on_ready)(void *arg, uint32_t tag, int fd, bool readable, bool writable);
    void (*on_tick)(void *arg); /* at the time that was asked for, and once after a wake */
    void (*on_end)(void *arg);  /* last of each turn in which something happened. The only one that
                                   may destroy the poller */
    void *arg;
} sp_poller_callbacks_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO with the reason. `loop` must outlive the poller. */
sp_status_t sp_poller_create(h2o_loop_t *loop, const sp_poller_callbacks_t *callbacks,
                             sp_poller_t **ret_poller, sp_error_t *err);

/* Accepts NULL. The watched descriptors stay open. */
void sp_poller_destroy(sp_poller_t *poller);

/* From now on `fd` is watched for these; neither: no longer watched. False when the system has no
 * memory for it. */
bool sp_poller_watch(sp_poller_t *poller, uint32_t tag, int fd, bool readable, bool writable);

/* There is a tick at `at_us` (of CLOCK_MONOTONIC), or before: each tick ends all such requests, and
 * whoever waits for a later time says so again. */
void sp_poller_wake_at(sp_poller_t *poller, uint64_t at_us);

/* The next turn of the loop has a tick. */
void sp_poller_wake(sp_poller_t *poller);

#endif
