/* SPDX-License-Identifier: Apache-2.0 */
#include "load/due_queue.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MIN ((size_t)256) /* a power of two, and so is each size after it */

void sp_load_due_queue_clear(sp_load_due_queue_t *queue)
{
    free(queue->ring);
    *queue = (sp_load_due_queue_t){.ring = NULL};
}

static size_t place(const sp_load_due_queue_t *queue, size_t index)
{
    return (queue->first + index) & (queue->room - 1);
}

static bool make_room(sp_load_due_queue_t *queue)
{
    size_t room = queue->room == 0 ? ROOM_MIN : 2 * queue->room;
    sp_load_due_t *ring = NULL;

    if (queue->count != queue->room) {
        return true;
    }
    ring = calloc(room, sizeof(*ring));
    if (ring == NULL) {
        return false;
    }
    for (size_t i = 0; i != queue->count; ++i) {
        ring[i] = queue->ring[place(queue, i)];
    }
    free(queue->ring);
    queue->ring = ring;
    queue->room = room;
    queue->first = 0;
    return true;
}

bool sp_load_due_queue_push(sp_load_due_queue_t *queue, sp_load_due_t due)
{
    if (!make_room(queue)) {
        return false;
    }
    queue->ring[place(queue, queue->count++)] = due;
    return true;
}

bool sp_load_due_queue_push_first(sp_load_due_queue_t *queue, sp_load_due_t due)
{
    if (!make_room(queue)) {
        return false;
    }
    queue->first = place(queue, queue->room - 1);
    queue->ring[queue->first] = due;
    ++queue->count;
    return true;
}

bool sp_load_due_queue_pop(sp_load_due_queue_t *queue, sp_load_due_t *ret_due)
{
    if (queue->count == 0) {
        return false;
    }
    *ret_due = queue->ring[queue->first];
    queue->first = place(queue, 1);
    --queue->count;
    return true;
}

const sp_load_due_t *sp_load_due_queue_at(const sp_load_due_queue_t *queue, size_t index)
{
    return &queue->ring[place(queue, index)];
}
