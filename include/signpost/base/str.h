/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_BASE_STR_H
#define SIGNPOST_BASE_STR_H

/* Slices: a pointer and a length. Whatever comes from DNS, HTTP or a file is passed around as one,
 * by value; the octets are borrowed, never modified, and do not end in NUL. */

#include <stddef.h>
#include <string.h>

#include <signpost/base/octet.h>

typedef struct sp_str {
    const char *ptr;
    size_t len;
} sp_str_t;

#define SP_STR(literal) ((sp_str_t){.ptr = "" literal, .len = sizeof(literal) - 1})
#define SP_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A slice of a NUL-terminated text; NULL gives the empty slice. */
sp_str_t sp_str_from(const char *text);

/* Octet for octet. An empty slice may have no pointer at all. */
static inline bool sp_str_eq(sp_str_t a, sp_str_t b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool sp_str_starts_with_nocase(sp_str_t text, sp_str_t prefix);

/* Equal when ASCII letters are compared without case. */
static inline bool sp_str_eq_nocase(sp_str_t a, sp_str_t b)
{
    return a.len == b.len && sp_str_starts_with_nocase(a, b);
}

/* <0, 0, >0: bytewise order, a prefix before the longer text. */
int sp_str_compare(sp_str_t a, sp_str_t b);

static inline bool sp_str_starts_with(sp_str_t text, sp_str_t prefix)
{
    return text.len >= prefix.len &&
           (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

bool sp_str_ends_with(sp_str_t text, sp_str_t suffix);

/* Position of an octet or a text; text.len when it does not occur. */
size_t sp_str_find(sp_str_t text, char octet);
size_t sp_str_find_last(sp_str_t text, char octet);
size_t sp_str_search(sp_str_t text, sp_str_t needle);

/* What lies behind the first `count` octets, and what lies between `from` and `to`; both clamp. */
static inline sp_str_t sp_str_skip(sp_str_t text, size_t count)
{
    size_t skipped = count < text.len ? count : text.len;

    return skipped == 0 ? text : (sp_str_t){.ptr = text.ptr + skipped, .len = text.len - skipped};
}

static inline sp_str_t sp_str_slice(sp_str_t text, size_t from, size_t to)
{
    return sp_str_skip((sp_str_t){.ptr = text.ptr, .len = to < text.len ? to : text.len}, from);
}

/* The part before the first `separator`; *ret_rest is what follows it (ptr NULL when there was
 * none). Iterate with: for (rest = text; rest.ptr != NULL;) { part = sp_str_cut(rest, ';', &rest);
 * … } */
sp_str_t sp_str_cut(sp_str_t text, char separator, sp_str_t *ret_rest);

/* Without blanks, tabs, CR and LF on both sides. */
sp_str_t sp_str_trim(sp_str_t text);

/* No octet beyond 0x7f. */
bool sp_str_is_ascii(sp_str_t text);

/* Decimal digits only, at least one; false when it is none or exceeds `max`. */
bool sp_str_to_uint(sp_str_t text, uint64_t max, uint64_t *ret_value);

/* 0…15, or -1. */
int sp_hex_value(char c);

/* The octet that "%XX" at `text.ptr[at]` stands for, or -1 where there is no such escape. */
int sp_percent_octet(sp_str_t text, size_t at);

#endif
