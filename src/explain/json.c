/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/json.h"

#include <signpost/base/buf.h>

#define TEXT_MAX ((size_t)1024 * 1024)

json_t *sp_json_str(sp_str_t text)
{
    json_t *value = json_stringn(text.ptr == NULL ? "" : text.ptr, text.len);
    sp_arena_t arena;
    sp_buf_t buf;

    if (value != NULL) {
        return value;
    }
    sp_arena_init(&arena, NULL, 0, 4 * text.len + 1);
    sp_buf_init(&buf, &arena, TEXT_MAX);
    sp_buf_append_escaped(&buf, text);
    if (buf.status == SP_OK) {
        value = json_stringn(sp_buf_str(&buf).ptr, sp_buf_str(&buf).len);
    }
    sp_arena_clear(&arena);
    return value;
}

sp_status_t sp_json_print(json_t *root, FILE *out)
{
    sp_status_t status = SP_OK;

    if (root == NULL) {
        return SP_NO_MEMORY;
    }
    if (json_dumpf(root, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF) {
        status = SP_IO;
    }
    json_decref(root);
    return status;
}
