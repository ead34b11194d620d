/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/base/str.h>

#include <string.h>

sp_str_t sp_str_from(const char *text)
{
    return (sp_str_t){.ptr = text, .len = text == NULL ? 0 : strlen(text)};
}

int sp_str_compare(sp_str_t a, sp_str_t b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);

    if (order == 0 && a.len != b.len) {
        order = a.len < b.len ? -1 : 1;
    }
    return order;
}

bool sp_str_starts_with_nocase(sp_str_t text, sp_str_t prefix)
{
    if (text.len < prefix.len) {
        return false;
    }
    for (size_t i = 0; i != prefix.len; ++i) {
        if (sp_to_lower(text.ptr[i]) != sp_to_lower(prefix.ptr[i])) {
            return false;
        }
    }
    return true;
}

bool sp_str_ends_with(sp_str_t text, sp_str_t suffix)
{
    return text.len >= suffix.len && sp_str_eq(sp_str_skip(text, text.len - suffix.len), suffix);
}

size_t sp_str_find(sp_str_t text, char octet)
{
    const char *found = text.len == 0 ? NULL : memchr(text.ptr, octet, text.len);

    return found == NULL ? text.len : (size_t)(found - text.ptr);
}

size_t sp_str_find_last(sp_str_t text, char octet)
{
    for (size_t i = text.len; i != 0; --i) {
        if (text.ptr[i - 1] == octet) {
            return i - 1;
        }
    }
    return text.len;
}

size_t sp_str_search(sp_str_t text, sp_str_t needle)
{
    for (size_t i = 0; i + needle.len <= text.len; ++i) {
        if (sp_str_starts_with(sp_str_skip(text, i), needle)) {
            return i;
        }
    }
    return text.len;
}

sp_str_t sp_str_cut(sp_str_t text, char separator, sp_str_t *ret_rest)
{
    size_t at = sp_str_find(text, separator);
    sp_str_t part = sp_str_slice(text, 0, at);

    *ret_rest = at == text.len ? (sp_str_t){.ptr = NULL, .len = 0} : sp_str_skip(text, at + 1);
    return part;
}

sp_str_t sp_str_trim(sp_str_t text)
{
    while (text.len != 0 && sp_is_blank(text.ptr[text.len - 1])) {
        --text.len;
    }
    while (text.len != 0 && sp_is_blank(text.ptr[0])) {
        text = sp_str_skip(text, 1);
    }
    return text;
}

bool sp_str_is_ascii(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

bool sp_str_to_uint(sp_str_t text, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (text.len == 0) {
        return false;
    }
    for (size_t i = 0; i != text.len; ++i) {
        uint64_t digit = 0;

        if (!sp_is_digit(text.ptr[i])) {
            return false;
        }
        digit = (uint64_t)(text.ptr[i] - '0');
        if (value > (max - digit) / 10 || digit > max) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret_value = value;
    return true;
}

int sp_hex_value(char c)
{
    if (sp_is_digit(c)) {
        return c - '0';
    }
    c = sp_to_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int sp_percent_octet(sp_str_t text, size_t at)
{
    int high = 0;
    int low = 0;

    if (at + 2 >= text.len || text.ptr[at] != '%') {
        return -1;
    }
    high = sp_hex_value(text.ptr[at + 1]);
    low = sp_hex_value(text.ptr[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}
