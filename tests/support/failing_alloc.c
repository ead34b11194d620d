/* SPDX-License-Identifier: Apache-2.0 */
#include "support/failing_alloc.h"

#include <stdlib.h>

/* The linker's --wrap=malloc sends calls of malloc to __wrap_malloc and lets __real_malloc reach
 * the true one; hence names that are otherwise reserved. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *piece, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *piece, size_t size);

/* malloc has no argument that could carry a context. */
static _Thread_local struct {
    bool armed;
    bool failed;
    size_t count;
    size_t fail_at;
} state;

void sp_alloc_fail_at(size_t n)
{
    state.armed = true;
    state.failed = false;
    state.count = 0;
    state.fail_at = n;
}

bool sp_alloc_stop(void)
{
    state.armed = false;
    return state.failed;
}

size_t sp_alloc_count(void)
{
    return state.count;
}

static bool must_fail(void)
{
    if (!state.armed || ++state.count != state.fail_at) {
        return false;
    }
    state.failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *piece, size_t size)
{
    return must_fail() ? NULL : __real_realloc(piece, size);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */
