/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_WAITER_H
#define SIGNPOST_LOAD_WAITER_H

/* Waits for sockets, or until a point in time, to the microsecond. */

#include <signpost/base/error.h>
#include <sys/epoll.h>

typedef struct sp_load_waiter {
    int epoll;
    int timer;         /* wakes epoll where it can't count nanoseconds itself; or -1 */
    uint64_t timer_ns; /* what the timer is set to; 0: nothing */
} sp_load_waiter_t;

/* `with_timer`: use the timer even where epoll_pwait2 (Linux 5.11) is there. SP_OK or SP_IO. */
sp_status_t sp_load_waiter_init(sp_load_waiter_t *waiter, bool with_timer, sp_error_t *err);
void sp_load_waiter_clear(sp_load_waiter_t *waiter);

/* Watches a socket for everything, by edges: what is not read or written to the end is not told
 * again. Its events carry `owner`, which is not NULL. False when the system refuses. */
bool sp_load_waiter_add(sp_load_waiter_t *waiter, int fd, void *owner);

/* Tells the state of a watched socket once more. */
bool sp_load_waiter_again(sp_load_waiter_t *waiter, int fd, void *owner);

/* Until something happens or `until_ns`, a time of sp_load_clock_ns. The number of events. */
size_t sp_load_waiter_wait(sp_load_waiter_t *waiter, uint64_t now_ns, uint64_t until_ns,
                           struct epoll_event *events, size_t max);

/* The clock of the load generator, which never jumps. */
uint64_t sp_load_clock_ns(void);

#endif
