/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_RECORD_HEADER_H
#define SIGNPOST_RULE_RECORD_HEADER_H

/* Response header fields that a record may set (records.md HDR-1; RFC 9110, 5.1 and 5.5). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/rule/outcome.h>

/* Reads `name` and `value` (still percent-encoded). *ret_why is NULL when they make a field that
 * may be sent, which is in *ret_field then, its value in `arena`; else a literal that says why the
 * field is ignored. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_record_header_read(sp_str_t name, sp_str_t value, sp_arena_t *arena,
                                  sp_header_t *ret_field, const char **ret_why);

#endif
