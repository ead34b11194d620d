/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_DUE_QUEUE_H
#define SIGNPOST_LOAD_DUE_QUEUE_H

/* Requests that are due and wait for a connection, first come, first served. It grows as long as
 * there is memory: a server that answers late must not make requests vanish. */

#include <signpost/base/error.h>

typedef struct sp_load_due {
    uint64_t due_ns;
    size_t target;
    unsigned tries; /* how often a connection has given it back */
} sp_load_due_t;

typedef struct sp_load_due_queue {
    sp_load_due_t *ring;
    size_t first, count, room;
} sp_load_due_queue_t; /* all zero is empty */

void sp_load_due_queue_clear(sp_load_due_queue_t *queue);

/* False when memory is out. */
bool sp_load_due_queue_push(sp_load_due_queue_t *queue, sp_load_due_t due);

/* Before all others. */
bool sp_load_due_queue_push_first(sp_load_due_queue_t *queue, sp_load_due_t due);

/* False when it is empty. */
bool sp_load_due_queue_pop(sp_load_due_queue_t *queue, sp_load_due_t *ret_due);

/* The `index`-th that waits, from 0; index is below count. */
const sp_load_due_t *sp_load_due_queue_at(const sp_load_due_queue_t *queue, size_t index);

#endif
