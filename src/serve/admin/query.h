/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_QUERY_H
#define SIGNPOST_SERVE_ADMIN_QUERY_H

/* The query of a URL as forms write it: key=value&key=value, with %XX, and + for a blank. */

#include <signpost/base/arena.h>

/* The value of the `index`-th `key` (0 …), decoded, ending in NUL, in `arena`; ptr NULL when there
 * is none, or memory is out. An octet 0 in it is kept: compare strlen with its length. */
sp_str_t sp_query_value(sp_str_t query, sp_str_t key, size_t index, sp_arena_t *arena);

#endif
