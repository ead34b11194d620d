/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/name.h"

#include <signpost/rule/hostname.h>

static bool is_number(sp_str_t label)
{
    for (size_t i = 0; i != label.len; ++i) {
        if (!sp_is_digit(label.ptr[i])) {
            return false;
        }
    }
    return true;
}

bool sp_tls_name_read(sp_str_t text, char out[SP_TLS_NAME_MAX], sp_str_t *ret_name)
{
    sp_str_t rest = {.ptr = NULL, .len = 0};
    sp_str_t label = {.ptr = "", .len = 0};

    if (text.len != 0 && text.ptr[text.len - 1] == '.') {
        --text.len; /* forbidden there, and sent all the same */
    }
    if (text.len == 0 || text.len > SP_TLS_NAME_MAX) {
        return false;
    }
    for (rest = text; rest.ptr != NULL;) {
        label = sp_str_cut(rest, '.', &rest);
        if (!sp_label_is_valid(label)) {
            return false;
        }
    }
    if (is_number(label)) {
        return false;
    }
    for (size_t i = 0; i != text.len; ++i) {
        out[i] = sp_to_lower(text.ptr[i]);
    }
    *ret_name = (sp_str_t){.ptr = out, .len = text.len};
    return true;
}
