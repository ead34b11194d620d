/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CPUS_H
#define SIGNPOST_SERVE_CPUS_H

/* How many CPUs the process may use: its affinity, further limited by a control group's quota. */

#include <signpost/base/str.h>

/* At least 1. */
unsigned sp_cpus_usable(void);

/* The text of cgroup v2's cpu.max ("150000 100000", "max 100000") as CPUs, rounded up; 0 where
 * there is no quota or the text is not understood. */
unsigned sp_cpus_of_quota(sp_str_t text);

#endif
