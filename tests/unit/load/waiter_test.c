/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/waiter.h"

#define MS UINT64_C(1000000)

typedef struct world {
    sp_load_waiter_t waiter;
    int ends[2];
} world_t;

static void start(world_t *world, bool with_timer)
{
    cr_assert_eq(sp_load_waiter_init(&world->waiter, with_timer, NULL), SP_OK);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, world->ends), 0);
    cr_assert(sp_load_waiter_add(&world->waiter, world->ends[0], world));
}

static void end(world_t *world)
{
    cr_assert_eq(close(world->ends[0]), 0);
    cr_assert_eq(close(world->ends[1]), 0);
    sp_load_waiter_clear(&world->waiter);
}

/* The events that come within 10 s. */
static uint32_t next_events(world_t *world)
{
    struct epoll_event events[4];
    uint64_t now = sp_load_clock_ns();
    size_t count = sp_load_waiter_wait(&world->waiter, now, now + 10000 * MS, events, 4);

    cr_assert_eq(count, 1, "%zu", count);
    cr_assert_eq(events[0].data.ptr, world);
    return events[0].events;
}

/* How long a wait took in which nothing happened. */
static uint64_t wait_idly(world_t *world, uint64_t ns)
{
    struct epoll_event events[4];
    uint64_t now = sp_load_clock_ns();

    cr_assert_eq(sp_load_waiter_wait(&world->waiter, now, now + ns, events, 4), 0);
    return sp_load_clock_ns() - now;
}

static void check_events(bool with_timer)
{
    world_t world;

    start(&world, with_timer);
    cr_expect_eq(next_events(&world), (uint32_t)EPOLLOUT);
    (void)wait_idly(&world, 1 * MS); /* an edge is told once */
    cr_assert_eq(write(world.ends[1], "x", 1), 1);
    cr_expect_eq(next_events(&world), (uint32_t)(EPOLLOUT | EPOLLIN));
    (void)wait_idly(&world, 1 * MS);
    cr_assert(sp_load_waiter_again(&world.waiter, world.ends[0], &world));
    cr_expect_eq(next_events(&world), (uint32_t)(EPOLLOUT | EPOLLIN));
    cr_assert_eq(shutdown(world.ends[1], SHUT_WR), 0);
    cr_expect_neq(next_events(&world) & EPOLLRDHUP, 0);
    end(&world);
}

static void check_times(bool with_timer)
{
    world_t world;

    start(&world, with_timer);
    (void)next_events(&world);
    for (uint64_t us = 100; us <= 3200; us *= 2) {
        uint64_t took = wait_idly(&world, us * 1000);

        cr_expect_geq(took, us * 1000, "%ju us took %ju ns", (uintmax_t)us, (uintmax_t)took);
    }
    (void)wait_idly(&world, 0);
    cr_assert_eq(write(world.ends[1], "x", 1), 1);
    cr_expect_eq(next_events(&world), (uint32_t)(EPOLLOUT | EPOLLIN));
    end(&world);
}

Test(waiter, tells_what_happens)
{
    check_events(false);
}

Test(waiter, tells_what_happens_with_a_timer)
{
    check_events(true);
}

Test(waiter, never_returns_early)
{
    check_times(false);
}

Test(waiter, never_returns_early_with_a_timer)
{
    check_times(true);
}
