/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/lookup.h"

#include <time.h>

static uint64_t monotonic(uint64_t per_second)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* that clock is always there */
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec / (1000000000U / per_second);
}

uint64_t sp_now_ms(void)
{
    return monotonic(1000);
}

uint64_t sp_now_us(void)
{
    return monotonic(1000000);
}
