/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/poller.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EVENTS_PER_TURN 64 /* the rest comes in the loop's next turn */
#define TIMER_TAG UINT32_MAX

struct sp_poller {
    sp_poller_callbacks_t callbacks;
    h2o_socket_t *socket; /* owns `epoll` */
    int epoll;
    int timer;
    uint64_t armed_us; /* what the timer is set to; UINT64_MAX: nothing */
};

static uint64_t pack(uint32_t tag, int fd)
{
    return (uint64_t)tag << 32 | (uint32_t)fd;
}

static void take_tick(sp_poller_t *poller)
{
    uint64_t ticks;

    if (read(poller->timer, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks)) {
        poller->armed_us = UINT64_MAX;
        poller->callbacks.on_tick(poller->callbacks.arg);
    }
}

static void on_events(h2o_socket_t *socket, const char *err)
{
    sp_poller_t *poller = socket->data;
    struct epoll_event events[EVENTS_PER_TURN];
    int count = err == NULL ? epoll_wait(poller->epoll, events, EVENTS_PER_TURN, 0) : 0;

    for (int i = 0; i < count; ++i) {
        uint32_t tag = (uint32_t)(events[i].data.u64 >> 32);
        int fd = (int)(uint32_t)events[i].data.u64;
        bool broken = (events[i].events & (EPOLLERR | EPOLLHUP)) != 0;

        if (tag == TIMER_TAG) {
            take_tick(poller);
            continue;
        }
        poller->callbacks.on_ready(poller->callbacks.arg, tag, fd,
                                   broken || (events[i].events & EPOLLIN) != 0,
                                   (events[i].events & EPOLLOUT) != 0);
    }
    poller->callbacks.on_end(poller->callbacks.arg);
}

static bool open_descriptors(sp_poller_t *poller)
{
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    poller->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return poller->epoll >= 0 && poller->timer >= 0 &&
           sp_poller_watch(poller, TIMER_TAG, poller->timer, true, false);
}

sp_status_t sp_poller_create(h2o_loop_t *loop, const sp_poller_callbacks_t *callbacks,
                             sp_poller_t **ret_poller, sp_error_t *err)
{
    sp_poller_t *poller = calloc(1, sizeof(*poller));

    if (poller == NULL) {
        return SP_NO_MEMORY;
    }
    poller->callbacks = *callbacks;
    poller->epoll = -1;
    poller->timer = -1;
    poller->armed_us = UINT64_MAX;
    if (!open_descriptors(poller)) {
        int code = errno;

        sp_poller_destroy(poller);
        return sp_fail(err, SP_IO, 0, "cannot watch sockets: %s", strerror(code));
    }
    poller->socket = h2o_evloop_socket_create(loop, poller->epoll, H2O_SOCKET_FLAG_DONT_READ);
    poller->socket->data = poller;
    h2o_socket_read_start(poller->socket, on_events);
    *ret_poller = poller;
    return SP_OK;
}

void sp_poller_destroy(sp_poller_t *poller)
{
    if (poller == NULL) {
        return;
    }
    if (poller->socket != NULL) {
        h2o_socket_read_stop(poller->socket);
        h2o_socket_close(poller->socket);
    } else if (poller->epoll >= 0) {
        (void)close(poller->epoll);
    }
    if (poller->timer >= 0) {
        (void)close(poller->timer);
    }
    free(poller);
}

bool sp_poller_watch(sp_poller_t *poller, uint32_t tag, int fd, bool readable, bool writable)
{
    struct epoll_event event = {.events = (readable ? (uint32_t)EPOLLIN : 0) |
                                          (writable ? (uint32_t)EPOLLOUT : 0),
                                .data.u64 = pack(tag, fd)};

    if (!readable && !writable) {
        return epoll_ctl(poller->epoll, EPOLL_CTL_DEL, fd, NULL) == 0 || errno == ENOENT;
    }
    if (epoll_ctl(poller->epoll, EPOLL_CTL_MOD, fd, &event) == 0) {
        return true;
    }
    return errno == ENOENT && epoll_ctl(poller->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void sp_poller_wake_at(sp_poller_t *poller, uint64_t at_us)
{
    struct itimerspec spec = {.it_value = {.tv_sec = (time_t)(at_us / 1000000),
                                           .tv_nsec = (long)(at_us % 1000000) * 1000}};

    if (at_us >= poller->armed_us) {
        return;
    }
    poller->armed_us = at_us;
    /* Fails for a bad descriptor only. */
    (void)timerfd_settime(poller->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

void sp_poller_wake(sp_poller_t *poller)
{
    sp_poller_wake_at(poller, 1); /* long past */
}
