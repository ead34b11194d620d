/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/poller.h"

#include "dns/lookup.h"
#include <criterion/criterion.h>
#include <unistd.h>

typedef struct seen {
    sp_poller_t *poller;
    unsigned ticks;
    unsigned ends;
    unsigned reads;
    uint32_t tag;
    bool writable;
    bool destroy_at_end;
} seen_t;

static void on_ready(void *arg, uint32_t tag, int fd, bool readable, bool writable)
{
    seen_t *seen = arg;
    char octet;

    seen->tag = tag;
    seen->writable = seen->writable || writable;
    if (readable) {
        cr_assert_eq(read(fd, &octet, 1), 1);
        seen->reads += 1;
    }
}

static void on_tick(void *arg)
{
    seen_t *seen = arg;

    seen->ticks += 1;
}

static void on_end(void *arg)
{
    seen_t *seen = arg;

    seen->ends += 1;
    if (seen->destroy_at_end) {
        sp_poller_destroy(seen->poller);
        seen->poller = NULL;
    }
}

static h2o_loop_t *open_loop(seen_t *seen)
{
    sp_poller_callbacks_t callbacks = {on_ready, on_tick, on_end, seen};
    h2o_loop_t *loop = h2o_evloop_create();

    cr_assert_eq(sp_poller_create(loop, &callbacks, &seen->poller, NULL), SP_OK);
    return loop;
}

static void close_loop(h2o_loop_t *loop, seen_t *seen)
{
    sp_poller_destroy(seen->poller);
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
}

/* Runs the loop until a counter has reached a value, five seconds at most. */
static void run_until(h2o_loop_t *loop, const unsigned *counter, unsigned value)
{
    uint64_t end_ms = sp_now_ms() + 5000;

    while (*counter < value && sp_now_ms() < end_ms) {
        (void)h2o_evloop_run(loop, 100);
    }
    cr_expect_geq(*counter, value);
}

Test(poller, tells_of_descriptors_with_their_tag)
{
    seen_t seen = {0};
    h2o_loop_t *loop = open_loop(&seen);
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    cr_expect(sp_poller_watch(seen.poller, 42, ends[0], true, false));
    cr_assert_eq(write(ends[1], "xy", 2), 2);
    run_until(loop, &seen.reads, 2); /* one a turn: what is not taken is told again */
    cr_expect_eq(seen.tag, 42);
    cr_expect_eq(seen.ends, 2);
    cr_expect(sp_poller_watch(seen.poller, 43, ends[1], false, true));
    run_until(loop, &seen.ends, 3);
    cr_expect(seen.writable);
    cr_expect(sp_poller_watch(seen.poller, 43, ends[1], false, false));
    cr_expect(sp_poller_watch(seen.poller, 43, ends[1], false, false));
    cr_expect_not(sp_poller_watch(seen.poller, 1, -1, true, false));
    close_loop(loop, &seen);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

Test(poller, ticks_once_at_the_earliest_time_that_was_asked_for)
{
    seen_t seen = {0};
    h2o_loop_t *loop = open_loop(&seen);
    uint64_t began_us = sp_now_us();
    uint64_t took_us;

    sp_poller_wake_at(seen.poller, began_us + 60000000);
    sp_poller_wake_at(seen.poller, began_us + 5000);
    sp_poller_wake_at(seen.poller, began_us + 50000);
    run_until(loop, &seen.ticks, 1);
    took_us = sp_now_us() - began_us;
    cr_expect_geq(took_us, 5000);
    cr_expect_lt(took_us, 50000);
    (void)h2o_evloop_run(loop, 60);
    cr_expect_eq(seen.ticks, 1);
    close_loop(loop, &seen);
}

Test(poller, ticks_at_once_for_a_time_that_is_past)
{
    seen_t seen = {0};
    h2o_loop_t *loop = open_loop(&seen);

    sp_poller_wake_at(seen.poller, sp_now_us() - 1);
    run_until(loop, &seen.ticks, 1);
    sp_poller_wake_at(seen.poller, sp_now_us() + 60000000);
    sp_poller_wake(seen.poller);
    run_until(loop, &seen.ticks, 2);
    close_loop(loop, &seen);
}

Test(poller, may_be_destroyed_at_the_end_of_a_turn)
{
    seen_t seen = {.destroy_at_end = true};
    h2o_loop_t *loop = open_loop(&seen);

    sp_poller_wake(seen.poller);
    run_until(loop, &seen.ends, 1);
    cr_expect_null(seen.poller);
    close_loop(loop, &seen);
}
