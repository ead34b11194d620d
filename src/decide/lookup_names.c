/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/decide/lookup_names.h>

#include <signpost/base/buf.h>

#include <string.h>

static sp_str_t join(sp_str_t a, sp_str_t b, sp_arena_t *arena)
{
    char *name = sp_arena_alloc(arena, a.len + b.len);

    if (name == NULL) {
        return (sp_str_t){.ptr = NULL, .len = 0};
    }
    memcpy(name, a.ptr, a.len);
    if (b.len != 0) {
        memcpy(name + a.len, b.ptr, b.len);
    }
    return (sp_str_t){.ptr = name, .len = a.len + b.len};
}

sp_str_t sp_lookup_name_of_host(sp_str_t host, size_t index, sp_arena_t *arena)
{
    sp_str_t parent = {.ptr = NULL, .len = 0};

    switch (index) {
    case 0:
        return sp_lookup_name_of_zone(host, false, arena);
    case 1:
        return sp_lookup_name_of_zone(host, true, arena);
    default:
        parent = sp_str_skip(host, sp_str_find(host, '.') + 1);
        return parent.len == 0 ? SP_STR("") : sp_lookup_name_of_zone(parent, true, arena);
    }
}

sp_str_t sp_lookup_name_of_zone(sp_str_t zone, bool wildcard, sp_arena_t *arena)
{
    return join(wildcard ? SP_STR("_redirect._.") : SP_STR("_redirect."), zone, arena);
}

sp_str_t sp_lookup_name_of_child(const sp_str_t *labels, size_t count, size_t replaced,
                                 sp_str_t zone, sp_arena_t *arena)
{
    sp_buf_t name;

    sp_buf_init(&name, arena, SIZE_MAX / 2);
    sp_buf_append(&name, SP_STR("_redirect."));
    for (size_t i = 0; i != count; ++i) {
        sp_buf_append(&name, i < replaced ? SP_STR("_") : labels[count - 1 - i]);
        sp_buf_append_char(&name, '.');
    }
    sp_buf_append(&name, zone);
    return name.status == SP_OK ? sp_buf_str(&name) : (sp_str_t){.ptr = NULL, .len = 0};
}

sp_str_t sp_lookup_name_of_number(unsigned number, sp_str_t zone, sp_arena_t *arena)
{
    sp_buf_t name;

    sp_buf_init(&name, arena, SIZE_MAX / 2);
    sp_buf_append(&name, SP_STR("_redirect."));
    sp_buf_append_uint(&name, number);
    sp_buf_append_char(&name, '.');
    sp_buf_append(&name, zone);
    return name.status == SP_OK ? sp_buf_str(&name) : (sp_str_t){.ptr = NULL, .len = 0};
}
