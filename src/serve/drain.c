/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/drain.h"

#include <poll.h>
#include <unistd.h>

#include "serve/signals.h"

#define CUT_MS 500    /* before the time is over: clients that are still there are cut off */
#define ABORT_MS 1000 /* for workers to end after a second signal */
#define LOOK_MS 10000

typedef enum pause_end { PAUSE_DONE, PAUSE_OVER, PAUSE_HASTE } pause_end_t;

static bool are_done(const sp_drain_t *drain)
{
    for (size_t i = 0; i != drain->worker_count; ++i) {
        if (!sp_worker_is_done(drain->workers[i])) {
            return false;
        }
    }
    return true;
}

static bool is_asked_for_haste(const sp_drain_t *drain)
{
    sp_signal_t signal = SP_SIGNAL_NONE;

    do {
        signal = sp_signals_read(drain->signal_fd);
    } while (signal != SP_SIGNAL_NONE && signal != SP_SIGNAL_STOP);
    return signal == SP_SIGNAL_STOP;
}

/* Waits for the workers to end, for that time, or for a signal, whichever comes first. */
static pause_end_t wait_for_workers(const sp_drain_t *drain, uint64_t end_ms, bool can_hasten)
{
    struct pollfd fds[] = {{.fd = drain->done_fd, .events = POLLIN},
                           {.fd = can_hasten ? drain->signal_fd : -1, .events = POLLIN}};
    uint64_t now_ms = sp_now_ms();

    while (!are_done(drain)) {
        uint64_t count = 0;
        uint64_t rest_ms = end_ms > now_ms ? end_ms - now_ms : 0;
        ssize_t len = 0;

        if (can_hasten && is_asked_for_haste(drain)) {
            return PAUSE_HASTE;
        }
        if (rest_ms == 0) {
            return PAUSE_OVER;
        }
        rest_ms = rest_ms < LOOK_MS ? rest_ms : LOOK_MS;
        (void)poll(fds, SP_COUNT(fds), sp_watchdog_pause(drain->watchdog, now_ms, rest_ms));
        len = read(drain->done_fd, &count, sizeof(count));
        (void)len; /* it was only to wake us */
        now_ms = sp_now_ms();
        sp_watchdog_look(drain->watchdog, drain->workers, drain->worker_count, now_ms);
    }
    return PAUSE_DONE;
}

static void end_listening(const sp_drain_t *drain)
{
    for (size_t i = 0; i != drain->listener_count; ++i) {
        sp_listener_hide(&drain->listeners[i]);
    }
    for (size_t i = 0; i != drain->worker_count; ++i) {
        sp_worker_drain(drain->workers[i]);
    }
}

static bool cut_off(const sp_drain_t *drain, uint64_t end_ms)
{
    for (size_t i = 0; i != drain->worker_count; ++i) {
        sp_worker_abort(drain->workers[i]);
    }
    return wait_for_workers(drain, end_ms, false) == PAUSE_DONE;
}

bool sp_drain(const sp_drain_t *drain)
{
    uint64_t begin_ms = sp_now_ms();
    uint64_t end_ms = begin_ms + drain->timeout_ms;
    uint64_t cut_ms = CUT_MS < drain->timeout_ms / 4 ? CUT_MS : drain->timeout_ms / 4;
    pause_end_t end = PAUSE_OVER;

    if (drain->delay_ms != 0) {
        sp_log_write(drain->log, SP_LOG_INFO, "stopping: not ready, still accepting");
        end = wait_for_workers(drain, begin_ms + drain->delay_ms, true);
    }
    if (end != PAUSE_HASTE) {
        sp_log_write(drain->log, SP_LOG_INFO, "stopping");
        end_listening(drain);
        end = wait_for_workers(drain, end_ms - cut_ms, true);
    }
    switch (end) {
    case PAUSE_DONE:
        return true;
    case PAUSE_OVER:
        sp_log_write(drain->log, SP_LOG_WARNING, "some clients did not leave in time: cut off");
        return cut_off(drain, end_ms);
    case PAUSE_HASTE:
        sp_log_write(drain->log, SP_LOG_WARNING, "a second signal: clients are cut off");
        return cut_off(drain, sp_now_ms() + ABORT_MS);
    }
    return false;
}
