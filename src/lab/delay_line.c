/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/delay_line.h"

#include <stdlib.h>
#include <string.h>

/* splitmix64, by its published constants. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

bool sp_delay_line_init(sp_delay_line_t *line, size_t room, uint64_t delay_ns, uint64_t jitter_ns,
                        uint64_t seed)
{
    memset(line, 0, sizeof(*line));
    line->entries = calloc(room, sizeof(*line->entries));
    line->room = room;
    line->delay_ns = delay_ns;
    line->jitter_ns = jitter_ns > delay_ns ? delay_ns : jitter_ns;
    line->random = seed;
    return line->entries != NULL;
}

void sp_delay_line_clear(sp_delay_line_t *line)
{
    free(line->entries);
    memset(line, 0, sizeof(*line));
}

bool sp_delay_line_push(sp_delay_line_t *line, uint32_t id, uint64_t now_ns)
{
    uint64_t due_ns = now_ns + line->delay_ns;

    if (line->count == line->room) {
        return false;
    }
    if (line->jitter_ns != 0) {
        due_ns += next_random(&line->random) % (2 * line->jitter_ns + 1) - line->jitter_ns;
    }
    if (due_ns < line->last_due_ns) {
        due_ns = line->last_due_ns;
    }
    line->last_due_ns = due_ns;
    line->entries[(line->first + line->count) % line->room] =
        (sp_delay_entry_t){.due_ns = due_ns, .id = id};
    ++line->count;
    return true;
}

bool sp_delay_line_pop(sp_delay_line_t *line, uint64_t now_ns, uint32_t *ret_last)
{
    bool any = false;

    while (line->count != 0 && line->entries[line->first].due_ns <= now_ns) {
        *ret_last = line->entries[line->first].id;
        any = true;
        line->first = (line->first + 1) % line->room;
        --line->count;
    }
    return any;
}

uint64_t sp_delay_line_next_ns(const sp_delay_line_t *line)
{
    return line->count == 0 ? UINT64_MAX : line->entries[line->first].due_ns;
}
