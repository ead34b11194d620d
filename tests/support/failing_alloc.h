/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_SUPPORT_FAILING_ALLOC_H
#define SIGNPOST_TESTS_SUPPORT_FAILING_ALLOC_H

/* Makes one chosen allocation fail. Programs that link sp_failing_alloc have the malloc, calloc and
 * realloc calls of their own objects and of static libraries go through here; shared libraries and
 * C++'s operator new are not touched. To sweep through all failures of some work:
 *
 *     bool failed = true;
 *     for (size_t n = 1; failed; ++n) {
 *         sp_alloc_fail_at(n);
 *         …the work: a result, or SP_NO_MEMORY, and no leak…
 *         failed = sp_alloc_stop();
 *     }
 */

#include <stdbool.h>
#include <stddef.h>

/* From now on the n-th allocation (from 1) of this thread returns NULL, once. 0: none fails. */
void sp_alloc_fail_at(size_t n);

/* Ends it: allocations succeed again. True when one was made to fail. */
bool sp_alloc_stop(void);

/* Allocations of this thread since sp_alloc_fail_at, the failed one included. */
size_t sp_alloc_count(void);

#endif
