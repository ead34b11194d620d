/* SPDX-License-Identifier: Apache-2.0 */
#include "rule/record_header.h"

static bool is_token(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (!sp_octet_is(text.ptr[i], SP_OCTET_TOKEN)) {
            return false;
        }
    }
    return text.len != 0;
}

/* What frames the message or ends at the next hop, and what the outcome itself decides. */
static bool is_reserved(sp_str_t name)
{
    static const char *const reserved[] = {
        "location", "content-length", "date",    "connection",        "keep-alive",
        "te",       "trailer",        "upgrade", "transfer-encoding",
    };

    for (size_t i = 0; i != SP_COUNT(reserved); ++i) {
        if (sp_str_eq_nocase(name, sp_str_from(reserved[i]))) {
            return true;
        }
    }
    return sp_str_starts_with_nocase(name, SP_STR("proxy-"));
}

/* HTAB, printable ASCII and obs-text (RFC 9110, 5.5). */
static bool may_be_in_a_value(unsigned char c)
{
    return c == '\t' || (c >= 0x20 && c != 0x7f);
}

const char *sp_record_header_read(sp_str_t name, sp_str_t value, sp_arena_t *arena,
                                  sp_header_t *ret_field)
{
    char *decoded = NULL;
    size_t len = 0;

    if (!is_token(name)) {
        return "the header name is not one that HTTP allows";
    }
    if (is_reserved(name)) {
        return "a record can't set this header";
    }
    decoded = sp_arena_alloc(arena, value.len);
    if (decoded == NULL) {
        return "out of memory";
    }
    for (size_t i = 0; i < value.len; ++i) {
        int octet = (unsigned char)value.ptr[i];

        if (octet == '%') {
            octet = sp_percent_octet(value, i);
            i += 2;
        }
        if (octet < 0) {
            return "'%' without two hexadecimal digits behind it";
        }
        if (!may_be_in_a_value((unsigned char)octet)) {
            return "the value contains a control character";
        }
        decoded[len++] = (char)octet;
    }
    *ret_field = (sp_header_t){.name = name, .value = {.ptr = decoded, .len = len}};
    return NULL;
}
