/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_RECORD_HEADER_H
#define SIGNPOST_RULE_RECORD_HEADER_H

/* Response header fields that a record may set (records.md HDR-1; RFC 9110, 5.1 and 5.5). */

#include <signpost/base/arena.h>
#include <signpost/rule/outcome.h>

/* NULL when `name` and `value` (still percent-encoded) make a field that may be sent, else why it
 * is ignored. The reason is a literal. *ret_field is written only on success; its value lies in
 * `arena` or in `value`. */
const char *sp_record_header_read(sp_str_t name, sp_str_t value, sp_arena_t *arena,
                                  sp_header_t *ret_field);

#endif
