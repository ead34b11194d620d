/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ZONE_PLACE_H
#define SIGNPOST_DNS_ZONE_PLACE_H

/* Where things stand in a master file. The scanner library reports neither columns nor where an
 * entry began; both are found again here, by a reading of the text that is just close enough. */

#include <signpost/base/str.h>

/* Offsets of the parts of one entry. */
typedef struct sp_zone_entry {
    size_t start; /* first octet of the line on which it begins, blanks included */
    size_t type;  /* the first word that is no owner, no TTL and no class */
    size_t type_end;
    size_t data; /* what follows the type; the type where nothing does */
} sp_zone_entry_t;

/* The next entry at or behind `from`, which is the start of a line or the end of one. Comments,
 * empty lines and directives are passed over. */
sp_zone_entry_t sp_zone_entry_find(sp_str_t text, size_t from);

/* The word around `offset`: what is not blank, parenthesis or comment. */
sp_str_t sp_zone_word_at(sp_str_t text, size_t offset);

/* A cursor that counts lines; cheap as long as it moves forward. Start with all zero. */
typedef struct sp_zone_place {
    size_t offset;
    size_t line;   /* from 1 */
    size_t column; /* from 1, in octets */
    size_t line_start;
} sp_zone_place_t;

void sp_zone_place_move(sp_zone_place_t *place, sp_str_t text, size_t offset);

#endif
