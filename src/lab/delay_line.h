/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_DELAY_LINE_H
#define SIGNPOST_LAB_DELAY_LINE_H

/* Packets on a long wire: when each that comes in at one end is to come out at the other. They keep
 * their order, as on a wire: with jitter, one behind a slow one comes out together with it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_delay_entry {
    uint64_t due_ns;
    uint32_t id;
} sp_delay_entry_t;

typedef struct sp_delay_line {
    sp_delay_entry_t *entries; /* a ring */
    size_t room, first, count;
    uint64_t delay_ns, jitter_ns;
    uint64_t random;      /* state of the generator */
    uint64_t last_due_ns; /* of the newest */
} sp_delay_line_t;

/* Room for so many packets; false when out of memory. The same seed gives the same jitter. */
bool sp_delay_line_init(sp_delay_line_t *line, size_t room, uint64_t delay_ns, uint64_t jitter_ns,
                        uint64_t seed);
void sp_delay_line_clear(sp_delay_line_t *line);

/* Packet `id` comes in at `now_ns`; false when there is no room. */
bool sp_delay_line_push(sp_delay_line_t *line, uint32_t id, uint64_t now_ns);

/* Takes out all that are due; true, and the last of them, when there is any. */
bool sp_delay_line_pop(sp_delay_line_t *line, uint64_t now_ns, uint32_t *ret_last);

/* When the next is due; UINT64_MAX when the wire is empty. */
uint64_t sp_delay_line_next_ns(const sp_delay_line_t *line);

#endif
