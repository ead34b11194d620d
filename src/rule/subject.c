/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/subject.h>

#include <signpost/base/utf8.h>

#include <string.h>

static const sp_str_t replacement = {.ptr = "\xef\xbf\xbd", .len = 3}; /* U+FFFD */

/* Octets that `text` has once each bad octet is three. */
static size_t count_octets(sp_str_t text)
{
    size_t count = 0;

    for (size_t at = 0; at < text.len;) {
        size_t len = sp_utf8_len(sp_str_skip(text, at));

        count += len == 0 ? replacement.len : len;
        at += len == 0 ? 1 : len;
    }
    return count;
}

/* Fills `text`, and `offsets` with one more entry than it has octets. */
static void translate(sp_str_t original, char *text, size_t *offsets)
{
    size_t out = 0;
    size_t at = 0;

    while (at < original.len) {
        size_t len = sp_utf8_len(sp_str_skip(original, at));
        sp_str_t character = len == 0 ? replacement : sp_str_slice(original, at, at + len);

        memcpy(text + out, character.ptr, character.len);
        for (size_t i = 0; i != character.len; ++i) {
            offsets[out + i] = len == 0 ? at : at + i;
        }
        out += character.len;
        at += len == 0 ? 1 : len;
    }
    offsets[out] = at;
}

sp_status_t sp_subject_init(sp_str_t original, sp_arena_t *arena, sp_subject_t *ret_subject)
{
    size_t count = count_octets(original);
    char *text = NULL;
    size_t *offsets = NULL;

    if (count == original.len) {
        *ret_subject = (sp_subject_t){.text = original, .original = original};
        return SP_OK;
    }
    text = sp_arena_alloc(arena, count);
    offsets = sp_arena_zalloc(arena, count + 1, sizeof(*offsets));
    if (text == NULL || offsets == NULL) {
        return SP_NO_MEMORY;
    }
    translate(original, text, offsets);
    *ret_subject = (sp_subject_t){
        .text = {.ptr = text, .len = count}, .original = original, .offsets = offsets};
    return SP_OK;
}

sp_str_t sp_subject_part(const sp_subject_t *subject, sp_str_t part)
{
    size_t begin = 0;

    if (subject->offsets == NULL || part.ptr == NULL) {
        return part;
    }
    begin = (size_t)(part.ptr - subject->text.ptr);
    return sp_str_slice(subject->original, subject->offsets[begin],
                        subject->offsets[begin + part.len]);
}
