/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/base/utf8.h>

/* Of the sequences that begin with an octet from `first` to `last`: their length, and what the
 * second octet may be (RFC 3629, section 4). */
static const struct {
    unsigned char first;
    unsigned char last;
    unsigned char second_min;
    unsigned char second_max;
    size_t len;
} sequences[] = {
    {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static unsigned char octet_at(sp_str_t text, size_t at)
{
    return (unsigned char)text.ptr[at];
}

static bool has_good_tail(sp_str_t text, size_t len)
{
    for (size_t i = 2; i < len; ++i) {
        if (octet_at(text, i) < 0x80 || octet_at(text, i) > 0xbf) {
            return false;
        }
    }
    return true;
}

size_t sp_utf8_len(sp_str_t text)
{
    for (size_t i = 0; i != SP_COUNT(sequences); ++i) {
        size_t len = sequences[i].len;

        if (octet_at(text, 0) < sequences[i].first || octet_at(text, 0) > sequences[i].last) {
            continue;
        }
        if (len == 1) {
            return 1;
        }
        return text.len >= len && octet_at(text, 1) >= sequences[i].second_min &&
                       octet_at(text, 1) <= sequences[i].second_max && has_good_tail(text, len)
                   ? len
                   : 0;
    }
    return 0;
}
