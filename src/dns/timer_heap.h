/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_TIMER_HEAP_H
#define SIGNPOST_DNS_TIMER_HEAP_H

/* Points in time, the next one first: a binary heap whose timers live inside the caller's objects.
 * Waits of all lengths cost the same, which a list in order of time can't promise. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_timer {
    uint64_t due_us;
    size_t place; /* in the heap, from 1; 0: not there */
    void *owner;  /* the caller's affair */
} sp_timer_t;

/* All zero: empty. */
typedef struct sp_timer_heap {
    sp_timer_t **timers;
    size_t count;
    size_t room;
} sp_timer_heap_t;

/* Frees the heap, not the timers. */
void sp_timer_heap_clear(sp_timer_heap_t *heap);

/* The timer is not there yet. False: no memory. */
bool sp_timer_heap_add(sp_timer_heap_t *heap, sp_timer_t *timer, uint64_t due_us);

/* Gives a timer that is there another time. */
void sp_timer_heap_move(sp_timer_heap_t *heap, sp_timer_t *timer, uint64_t due_us);

/* Nothing happens when it is not there. */
void sp_timer_heap_remove(sp_timer_heap_t *heap, sp_timer_t *timer);

/* The next one; NULL: none. */
sp_timer_t *sp_timer_heap_first(const sp_timer_heap_t *heap);

#endif
