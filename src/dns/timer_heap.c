/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/timer_heap.h"

#include <stdlib.h>

#define FIRST_ROOM 64

void sp_timer_heap_clear(sp_timer_heap_t *heap)
{
    free(heap->timers);
    *heap = (sp_timer_heap_t){0};
}

static void put(sp_timer_heap_t *heap, size_t place, sp_timer_t *timer)
{
    heap->timers[place - 1] = timer;
    timer->place = place;
}

/* From its place to where it belongs, up or down. */
static void settle(sp_timer_heap_t *heap, sp_timer_t *timer)
{
    size_t place = timer->place;

    while (place > 1 && heap->timers[place / 2 - 1]->due_us > timer->due_us) {
        put(heap, place, heap->timers[place / 2 - 1]);
        place /= 2;
    }
    while (2 * place <= heap->count) {
        size_t child = 2 * place;

        if (child < heap->count && heap->timers[child]->due_us < heap->timers[child - 1]->due_us) {
            child += 1;
        }
        if (heap->timers[child - 1]->due_us >= timer->due_us) {
            break;
        }
        put(heap, place, heap->timers[child - 1]);
        place = child;
    }
    put(heap, place, timer);
}

static bool make_room(sp_timer_heap_t *heap)
{
    size_t room = heap->room != 0 ? 2 * heap->room : FIRST_ROOM;
    sp_timer_t **timers;

    if (heap->count < heap->room) {
        return true;
    }
    if (room > SIZE_MAX / sizeof(sp_timer_t *)) {
        return false;
    }
    timers = realloc(heap->timers, room * sizeof(sp_timer_t *));
    if (timers == NULL) {
        return false;
    }
    heap->timers = timers;
    heap->room = room;
    return true;
}

bool sp_timer_heap_add(sp_timer_heap_t *heap, sp_timer_t *timer, uint64_t due_us)
{
    if (!make_room(heap)) {
        return false;
    }
    heap->count += 1;
    timer->due_us = due_us;
    put(heap, heap->count, timer);
    settle(heap, timer);
    return true;
}

void sp_timer_heap_move(sp_timer_heap_t *heap, sp_timer_t *timer, uint64_t due_us)
{
    timer->due_us = due_us;
    settle(heap, timer);
}

void sp_timer_heap_remove(sp_timer_heap_t *heap, sp_timer_t *timer)
{
    size_t place = timer->place;
    sp_timer_t *last;

    if (place == 0) {
        return;
    }
    last = heap->timers[heap->count - 1];
    heap->count -= 1;
    timer->place = 0;
    if (last != timer) {
        put(heap, place, last);
        settle(heap, last);
    }
}

sp_timer_t *sp_timer_heap_first(const sp_timer_heap_t *heap)
{
    return heap->count != 0 ? heap->timers[0] : NULL;
}
