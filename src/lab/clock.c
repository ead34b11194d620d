/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/clock.h"

#include <time.h>

#define NS_PER_S 1000000000U
#define NS_PER_MS 1000000U

uint64_t sp_clock_ns(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

int64_t sp_clock_ms(void)
{
    return (int64_t)(sp_clock_ns() / NS_PER_MS);
}
