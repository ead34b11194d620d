/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_BASE_OCTET_H
#define SIGNPOST_BASE_OCTET_H

/* What an octet may be part of, by one table: ASCII only, independent of the locale. */

#include <stdbool.h>
#include <stdint.h>

enum {
    SP_OCTET_DIGIT = 1,
    SP_OCTET_ALPHA = 2,
    SP_OCTET_LABEL = 4,    /* letters, digits, '-' and '_': labels of names that are asked */
    SP_OCTET_URL = 8,      /* reserved and unreserved (RFC 3986, 2.2 and 2.3) */
    SP_OCTET_HTML = 16,    /* & < > " ' */
    SP_OCTET_SEGMENT = 32, /* of a path segment that becomes a label (records.md PATH-2) */
    SP_OCTET_TOKEN = 64,   /* RFC 9110, 5.6.2 */
    SP_OCTET_PLAIN = 128   /* printable ASCII but '"' and '\\': needs no escape in JSON */
};

extern const uint8_t sp_octet_classes[256];

/* Is `c` in one of these classes? */
static inline bool sp_octet_is(char c, unsigned classes)
{
    return (sp_octet_classes[(unsigned char)c] & classes) != 0;
}

static inline bool sp_is_digit(char c)
{
    return sp_octet_is(c, SP_OCTET_DIGIT);
}

static inline bool sp_is_alpha(char c)
{
    return sp_octet_is(c, SP_OCTET_ALPHA);
}

static inline bool sp_is_alnum(char c)
{
    return sp_octet_is(c, SP_OCTET_DIGIT | SP_OCTET_ALPHA);
}

/* Blank, tab, CR, LF. */
static inline bool sp_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline char sp_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
