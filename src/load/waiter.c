/* SPDX-License-Identifier: Apache-2.0 */
#include "load/waiter.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND UINT64_C(1000000000)

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_SECOND),
                             .tv_nsec = (long)(ns % NS_PER_SECOND)};
}

uint64_t sp_load_clock_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* that clock is always there */
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Kernels before 5.11 don't have it, and some containers forbid what they don't know. */
static bool has_fine_waits(int epoll)
{
    struct timespec none = {0};
    struct epoll_event event;

    return epoll_pwait2(epoll, &event, 1, &none, NULL) >= 0;
}

static bool add_timer(sp_load_waiter_t *waiter)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};

    waiter->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return waiter->timer >= 0 &&
           epoll_ctl(waiter->epoll, EPOLL_CTL_ADD, waiter->timer, &event) == 0;
}

sp_status_t sp_load_waiter_init(sp_load_waiter_t *waiter, bool with_timer, sp_error_t *err)
{
    *waiter = (sp_load_waiter_t){.epoll = epoll_create1(EPOLL_CLOEXEC), .timer = -1};
    if (waiter->epoll < 0 ||
        ((with_timer || !has_fine_waits(waiter->epoll)) && !add_timer(waiter))) {
        (void)sp_fail(err, SP_IO, 0, "waiting for sockets is not possible: %s", strerror(errno));
        sp_load_waiter_clear(waiter);
        return SP_IO;
    }
    return SP_OK;
}

void sp_load_waiter_clear(sp_load_waiter_t *waiter)
{
    if (waiter->timer >= 0) {
        (void)close(waiter->timer);
    }
    if (waiter->epoll >= 0) {
        (void)close(waiter->epoll);
    }
    waiter->timer = -1;
    waiter->epoll = -1;
}

static bool control(sp_load_waiter_t *waiter, int operation, int fd, void *owner)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = owner};

    return epoll_ctl(waiter->epoll, operation, fd, &event) == 0;
}

bool sp_load_waiter_add(sp_load_waiter_t *waiter, int fd, void *owner)
{
    return control(waiter, EPOLL_CTL_ADD, fd, owner);
}

bool sp_load_waiter_again(sp_load_waiter_t *waiter, int fd, void *owner)
{
    return control(waiter, EPOLL_CTL_MOD, fd, owner);
}

static void set_timer(sp_load_waiter_t *waiter, uint64_t until_ns)
{
    struct itimerspec when = {.it_value = timespec_of(until_ns)};

    if (until_ns != waiter->timer_ns &&
        timerfd_settime(waiter->timer, TFD_TIMER_ABSTIME, &when, NULL) == 0) {
        waiter->timer_ns = until_ns;
    }
}

/* Without the timer's own event. */
static size_t leave_out_timer(sp_load_waiter_t *waiter, struct epoll_event *events, size_t count)
{
    for (size_t i = 0; i != count; ++i) {
        if (events[i].data.ptr == NULL) {
            events[i] = events[count - 1];
            waiter->timer_ns = 0;
            return count - 1;
        }
    }
    return count;
}

size_t sp_load_waiter_wait(sp_load_waiter_t *waiter, uint64_t now_ns, uint64_t until_ns,
                           struct epoll_event *events, size_t max)
{
    uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    int count = 0;

    if (waiter->timer < 0) {
        struct timespec wait = timespec_of(wait_ns);

        count = epoll_pwait2(waiter->epoll, events, (int)max, &wait, NULL);
    } else {
        if (wait_ns != 0) {
            set_timer(waiter, until_ns);
        }
        count = epoll_wait(waiter->epoll, events, (int)max, wait_ns == 0 ? 0 : -1);
    }
    if (count <= 0) {
        return 0;
    }
    return waiter->timer < 0 ? (size_t)count : leave_out_timer(waiter, events, (size_t)count);
}
