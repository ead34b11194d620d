/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/watchdog.h"

#include <stdlib.h>
#include <unistd.h>

#include "serve/notify.h"

#define LOOKS 4 /* in the manager's time */

static uint64_t read_number(const char *name)
{
    const char *text = getenv(name);
    uint64_t number = 0;

    return text != NULL && sp_str_to_uint(sp_str_from(text), UINT64_MAX, &number) ? number : 0;
}

sp_watchdog_t sp_watchdog_from_environment(void)
{
    uint64_t pid = read_number("WATCHDOG_PID");
    uint64_t limit_us = read_number("WATCHDOG_USEC");

    if (limit_us == 0 || (pid != 0 && pid != (uint64_t)getpid())) {
        return (sp_watchdog_t){0};
    }
    return (sp_watchdog_t){.interval_ms = limit_us / 1000 / LOOKS + 1};
}

int sp_watchdog_pause(const sp_watchdog_t *watchdog, uint64_t now_ms, uint64_t at_most_ms)
{
    uint64_t pause_ms = watchdog->next_ms > now_ms ? watchdog->next_ms - now_ms : 0;

    if (watchdog->interval_ms == 0 || pause_ms > at_most_ms) {
        pause_ms = at_most_ms;
    }
    return (int)pause_ms;
}

void sp_watchdog_look(sp_watchdog_t *watchdog, sp_worker_t *const *workers, size_t count,
                      uint64_t now_ms)
{
    bool are_turning = true;

    if (watchdog->interval_ms == 0 || now_ms < watchdog->next_ms) {
        return;
    }
    watchdog->next_ms = now_ms + watchdog->interval_ms;
    for (size_t i = 0; are_turning && i != count; ++i) {
        are_turning = sp_worker_has_answered(workers[i], watchdog->round);
    }
    if (!are_turning) {
        return; /* asked already */
    }
    sp_notify("WATCHDOG=1");
    ++watchdog->round;
    for (size_t i = 0; i != count; ++i) {
        sp_worker_ask(workers[i], watchdog->round);
    }
}
