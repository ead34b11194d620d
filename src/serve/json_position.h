/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_JSON_POSITION_H
#define SIGNPOST_SERVE_JSON_POSITION_H

/* Where in a JSON text its values stand: jansson keeps no positions, so that a fault in a value
 * could not be pointed at. Walks a text that jansson has accepted; on any other text the walk ends
 * early, but never leaves the text. Positions are octets from the start. */

#include <signpost/base/str.h>

typedef struct sp_json_place {
    size_t line;   /* from 1 */
    size_t column; /* from 1, in characters: a UTF-8 sequence counts once */
} sp_json_place_t;

/* An offset behind the end gives the place of the end. */
sp_json_place_t sp_json_place(sp_str_t text, size_t offset);

/* The first octet at or after `offset` that is no white space. */
size_t sp_json_value_at(sp_str_t text, size_t offset);

/* A walk over the members of one object, or the elements of one array. */
typedef struct sp_json_walk {
    sp_str_t text;
    size_t at;
    bool in_object;
} sp_json_walk_t;

typedef struct sp_json_item {
    sp_str_t key;    /* as written, quotes included; empty in an array */
    size_t key_at;   /* in an array: the same as value_at */
    size_t value_at; /* first octet of the value */
} sp_json_item_t;

/* False when there is neither an object nor an array at `offset`. */
bool sp_json_walk_init(sp_json_walk_t *walk, sp_str_t text, size_t offset);

/* False at the end. */
bool sp_json_walk_next(sp_json_walk_t *walk, sp_json_item_t *ret_item);

/* Offset of the value that a JSON pointer (RFC 6901, without its escapes) names, as in
 * "/dns/resolvers/0"; of a key given twice the last. False when there is none. */
bool sp_json_find(sp_str_t text, sp_str_t pointer, size_t *ret_offset);

#endif
