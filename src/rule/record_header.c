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

/* Decodes `value` into `out`, which has room for it; NULL, or why that is no field value. */
static const char *decode(sp_str_t value, char *out, size_t *ret_len)
{
    size_t len = 0;

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
        out[len++] = (char)octet;
    }
    *ret_len = len;
    return NULL;
}

sp_status_t sp_record_header_read(sp_str_t name, sp_str_t value, sp_arena_t *arena,
                                  sp_header_t *ret_field, const char **ret_why)
{
    char *decoded = NULL;
    size_t len = 0;

    *ret_why = NULL;
    if (!is_token(name)) {
        *ret_why = "the header name is not one that HTTP allows";
    } else if (is_reserved(name)) {
        *ret_why = "a record can't set this header";
    }
    if (*ret_why != NULL) {
        return SP_OK;
    }
    decoded = sp_arena_alloc(arena, value.len);
    if (decoded == NULL) {
        return SP_NO_MEMORY;
    }
    *ret_why = decode(value, decoded, &len);
    if (*ret_why == NULL) {
        *ret_field = (sp_header_t){.name = name, .value = {.ptr = decoded, .len = len}};
    }
    return SP_OK;
}
