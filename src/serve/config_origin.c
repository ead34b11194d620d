/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_origin.h"

#include "serve/json_position.h"

#include <string.h>

sp_status_t sp_config_origin_set(sp_config_t *config, const char *file, sp_str_t text,
                                 const sp_config_faults_t *faults)
{
    size_t count = faults == NULL ? 0 : faults->count;
    sp_str_t name = sp_arena_copy(&config->arena, (sp_str_t){.ptr = file, .len = strlen(file) + 1});
    size_t *bad_at = sp_arena_zalloc(&config->arena, count + 1, sizeof(*bad_at));
    sp_str_t copy = sp_arena_copy(&config->arena, text);

    if (name.ptr == NULL || bad_at == NULL || copy.ptr == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; i != count; ++i) {
        bad_at[i] = faults->items[i].offset;
    }
    config->origin =
        (sp_config_origin_t){.file = name.ptr, .text = copy, .bad_at = bad_at, .bad_count = count};
    return SP_OK;
}

/* Where the value is, else the innermost of what it would be in. False: nothing of it is there. */
static bool locate(sp_str_t text, sp_str_t pointer, size_t *ret_at)
{
    while (!sp_json_find(text, pointer, ret_at)) {
        if (pointer.len == 0) {
            return false;
        }
        pointer = sp_str_slice(pointer, 0, sp_str_find_last(pointer, '/'));
    }
    return true;
}

bool sp_config_knows(const sp_config_t *config, const char *pointer)
{
    const sp_config_origin_t *origin = &config->origin;
    size_t at = 0;
    bool is_good = true;

    if (origin->file == NULL) {
        return true;
    }
    if (!locate(origin->text, sp_str_from(pointer), &at)) {
        return false;
    }
    for (size_t i = 0; i != origin->bad_count; ++i) {
        is_good = is_good && origin->bad_at[i] != at;
    }
    return is_good;
}

void sp_config_tell(const sp_config_t *config, const char *pointer, const char *message,
                    sp_config_fault_fn *on_fault, void *arg)
{
    const sp_config_origin_t *origin = &config->origin;
    sp_config_fault_t fault = {.source = origin->file == NULL ? "configuration" : origin->file,
                               .message = message};
    size_t at = 0;

    if (origin->file != NULL && locate(origin->text, sp_str_from(pointer), &at)) {
        sp_json_place_t place = sp_json_place(origin->text, at);

        fault.line = place.line;
        fault.column = place.column;
    }
    on_fault(arg, &fault);
}
