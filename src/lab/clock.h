/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CLOCK_H
#define SIGNPOST_LAB_CLOCK_H

/* Time that only goes forward, from an arbitrary beginning. */

#include <stdint.h>

uint64_t sp_clock_ns(void);
int64_t sp_clock_ms(void);

#endif
