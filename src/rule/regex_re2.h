/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_REGEX_RE2_H
#define SIGNPOST_RULE_REGEX_RE2_H

/* RE2 for C: as little C++ as will do. No exception leaves these functions. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_re2 sp_re2_t;

/* NULL with *ret_reason empty: out of memory. NULL with a reason: the expression is not valid. */
sp_re2_t *sp_re2_create(const char *pattern, size_t len, char *ret_reason, size_t reason_size);
void sp_re2_destroy(sp_re2_t *regex);

size_t sp_re2_group_count(const sp_re2_t *regex);
size_t sp_re2_program_size(const sp_re2_t *regex);

/* NULL where the group has no name. */
const char *sp_re2_group_name(const sp_re2_t *regex, size_t group, size_t *ret_len);

/* A text, or a part of one: begin NULL where a group took no part. */
typedef struct sp_re2_part {
    const char *begin;
    size_t len;
} sp_re2_part_t;

/* First match at or after `from`. Fills `slots` parts, the whole match first. 1 found, 0 not. */
int sp_re2_search(const sp_re2_t *regex, sp_re2_part_t text, size_t from, sp_re2_part_t *ret_parts,
                  size_t slots);

#ifdef __cplusplus
}
#endif

#endif
