/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_LOOKUP_NAMES_H
#define SIGNPOST_DECIDE_LOOKUP_NAMES_H

/* The `_redirect` names that records live at (records.md, sections 2 and 4). */

#include <signpost/base/arena.h>
#include <signpost/base/str.h>

/* The candidates for a host, in asking order (NAME-1). */
#define SP_HOST_CANDIDATES 3

/* Name number `index` (0 …) for `host`, in `arena`. Empty where that candidate does not exist; ptr
 * NULL when memory is out. It may exceed the 253 octets of a name: then it is absent. */
sp_str_t sp_lookup_name_of_host(sp_str_t host, size_t index, sp_arena_t *arena);

/* `_redirect.ZONE` and, with `wildcard`, `_redirect._.ZONE`: the two names for `use` (USE-1). */
sp_str_t sp_lookup_name_of_zone(sp_str_t zone, bool wildcard, sp_arena_t *arena);

/* `_redirect.LABELS.ZONE`: the labels in reverse order, the `replaced` leftmost ones of the name as
 * `_` (PATH-3, PATH-6). */
sp_str_t sp_lookup_name_of_child(const sp_str_t *labels, size_t count, size_t replaced,
                                 sp_str_t zone, sp_arena_t *arena);

/* `_redirect.NUMBER.ZONE` (PATH-8). */
sp_str_t sp_lookup_name_of_number(unsigned number, sp_str_t zone, sp_arena_t *arena);

#endif
