/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_SUBJECT_H
#define SIGNPOST_RULE_SUBJECT_H

/* What a regular expression is matched against. RE2 never matches an octet that is no UTF-8; Go
 * takes it for one character, U+FFFD. So such octets are written as that character, and what a
 * match says is translated back. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

typedef struct sp_subject {
    sp_str_t text; /* valid UTF-8 */
    sp_str_t original;
    const size_t *offsets; /* of each octet of `text`, and of its end, in `original`; NULL: they are
                              the same */
} sp_subject_t;

/* Borrows `original`. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_subject_init(sp_str_t original, sp_arena_t *arena, sp_subject_t *ret_subject);

/* A part of `text` as the same part of `original`; ptr NULL stays so. */
sp_str_t sp_subject_part(const sp_subject_t *subject, sp_str_t part);

#endif
