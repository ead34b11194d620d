/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_VALUES_H
#define SIGNPOST_DECIDE_VALUES_H

/* What placeholders stand for (records.md, section 5, and PATH-9). */

#include <signpost/decide/request.h>
#include <signpost/rule/match.h>
#include <signpost/rule/template.h>

/* What a path record's match makes visible to targets; all zero outside path records. */
typedef struct sp_values {
    const sp_str_t *numbered; /* {1}, {2}, … */
    size_t numbered_count;
    bool numbered_sent;       /* they are segments as sent; else decoded */
    const sp_regex_t *regex;  /* with named groups, else NULL */
    const sp_str_t *groups;   /* of its first match; [0] is the whole */
    const sp_str_t *segments; /* {$1}, {$2}, … as sent */
    size_t segment_count;
} sp_values_t;

typedef enum sp_value_kind {
    SP_VALUE_NONE,     /* the braces are no placeholder here */
    SP_VALUE_OWN_HOST, /* part of the request's own authority */
    SP_VALUE_PATH,     /* as sent, and begins with '/' */
    SP_VALUE_SENT,
    SP_VALUE_DECODED,
    SP_VALUE_FAULTY /* {labelN} without such a label */
} sp_value_kind_t;

/* *ret_value is empty where there is nothing to insert; its ptr may be NULL then. SP_OK or
 * SP_NO_MEMORY. */
sp_status_t sp_value_of(const sp_template_part_t *part, const sp_request_t *request,
                        const sp_values_t *values, sp_arena_t *arena, sp_value_kind_t *ret_kind,
                        sp_str_t *ret_value);

/* The first value of a query parameter, decoded ('+' is a blank); ptr NULL when it is not there.
 * SP_OK or SP_NO_MEMORY. */
sp_status_t sp_query_find(sp_str_t query, sp_str_t name, sp_arena_t *arena, sp_str_t *ret_value);

/* Cuts the next parameter off *rest; *ret_name is still encoded. False at the end. */
bool sp_query_next(sp_str_t *rest, sp_str_t *ret_parameter, sp_str_t *ret_name);

/* Is this parameter name, decoded, `name`? */
bool sp_query_name_is(sp_str_t encoded, sp_str_t name);

/* The path with its escapes decoded, an escape that is none kept; ptr NULL when memory is out. */
sp_str_t sp_path_decode(sp_str_t path, sp_arena_t *arena);

#endif
