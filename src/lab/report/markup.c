/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/markup.h"

#include <signpost/base/utf8.h>

/* Octets of the character that `text` (not empty) begins with; 0 when no document may have it. */
static size_t character_len(sp_str_t text)
{
    unsigned char first = (unsigned char)text.ptr[0];

    if ((first < 0x20 && first != '\t' && first != '\n') || first == 0x7f ||
        sp_str_starts_with(text, SP_STR("\xef\xbf\xbe")) ||
        sp_str_starts_with(text, SP_STR("\xef\xbf\xbf"))) {
        return 0;
    }
    return sp_utf8_len(text);
}

void sp_lab_append_text(sp_buf_t *out, sp_str_t text)
{
    size_t begin = 0, at = 0;

    while (at != text.len) {
        size_t len = character_len(sp_str_skip(text, at));

        if (len == 0) {
            sp_buf_append_html(out, sp_str_slice(text, begin, at));
            sp_buf_append(out, SP_STR("\xef\xbf\xbd"));
            begin = at + 1;
            len = 1;
        }
        at += len;
    }
    sp_buf_append_html(out, sp_str_skip(text, begin));
}
