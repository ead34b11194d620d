/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/query.h"

static sp_str_t decode(sp_str_t text, sp_arena_t *arena)
{
    char *out = sp_arena_alloc(arena, text.len + 1);
    size_t len = 0;

    if (out == NULL) {
        return (sp_str_t){0};
    }
    for (size_t i = 0; i != text.len; ++i) {
        int octet = sp_percent_octet(text, i);

        if (octet >= 0) {
            out[len++] = (char)octet;
            i += 2;
        } else {
            out[len++] = text.ptr[i] == '+' ? ' ' : text.ptr[i];
        }
    }
    out[len] = '\0';
    return (sp_str_t){.ptr = out, .len = len};
}

sp_str_t sp_query_value(sp_str_t query, sp_str_t key, size_t index, sp_arena_t *arena)
{
    while (query.ptr != NULL) {
        sp_str_t pair = sp_str_cut(query, '&', &query);
        sp_str_t value;
        sp_str_t name = sp_str_cut(pair, '=', &value);

        if (!sp_str_eq(name, key)) {
            continue;
        }
        if (index == 0) {
            return decode(value.ptr == NULL ? SP_STR("") : value, arena);
        }
        --index;
    }
    return (sp_str_t){0};
}
