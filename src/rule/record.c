/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/record.h>

static const char *const type_names[SP_TYPE_COUNT] = {
    [SP_TYPE_HOST] = "host",
    [SP_TYPE_PATH] = "path",
    [SP_TYPE_GOMETA] = "gometa",
    [SP_TYPE_DOCKERV2] = "dockerv2",
};

void sp_record_clear(sp_record_t *record)
{
    sp_regex_destroy(record->re);
    record->re = NULL;
}

const char *sp_record_type_name(sp_record_type_t type)
{
    return type < SP_TYPE_COUNT ? type_names[type] : "unknown";
}

sp_record_type_t sp_record_type_from(sp_str_t name)
{
    for (size_t i = 0; i != SP_TYPE_COUNT; ++i) {
        if (sp_str_eq(name, sp_str_from(type_names[i]))) {
            return (sp_record_type_t)i;
        }
    }
    return SP_TYPE_COUNT;
}

bool sp_field_next(sp_str_t *rest, sp_field_t *ret_field)
{
    while (rest->ptr != NULL) {
        sp_str_t field = sp_str_trim(sp_str_cut(*rest, ';', rest));
        size_t equals = sp_str_find(field, '=');

        if (field.len == 0) {
            continue;
        }
        if (equals == field.len) {
            *ret_field = (sp_field_t){.key = {.ptr = field.ptr, .len = 0}, .value = field};
        } else {
            ret_field->has_equals = true;
            ret_field->key = sp_str_trim(sp_str_slice(field, 0, equals));
            ret_field->value = sp_str_trim(sp_str_skip(field, equals + 1));
        }
        return true;
    }
    return false;
}
