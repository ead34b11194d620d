/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/field.h"

#include <math.h>
#include <string.h>

json_t *sp_lab_field(json_t *object, const char *path)
{
    json_t *value = object;

    while (value != NULL && *path != '\0') {
        size_t len = strcspn(path, ".");

        value = json_object_getn(value, path, len);
        path += len;
        path += *path == '.' ? 1 : 0;
    }
    return value;
}

double sp_lab_value(json_t *value, double otherwise)
{
    double number = json_is_number(value) ? json_number_value(value) : (double)NAN;

    return fabs(number) <= SP_LAB_NUMBER_MAX ? number : otherwise;
}

double sp_lab_number(json_t *object, const char *path)
{
    return sp_lab_value(sp_lab_field(object, path), NAN);
}

const char *sp_lab_text(json_t *object, const char *path, const char *otherwise)
{
    const char *text = json_string_value(sp_lab_field(object, path));

    return text == NULL ? otherwise : text;
}

bool sp_lab_flag(json_t *object, const char *path)
{
    return json_is_true(sp_lab_field(object, path));
}
