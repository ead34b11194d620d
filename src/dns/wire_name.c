/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/wire_name.h"

/* A name has at most 127 labels; more jumps than that are an attack on our time. */
#define JUMPS_MAX 127

sp_str_t sp_wire_name_str(const sp_wire_name_t *name)
{
    return (sp_str_t){name->text, name->len};
}

static void put_octet(sp_wire_name_t *name, uint8_t octet)
{
    char *out = name->text + name->len;

    if (octet > 0x20 && octet < 0x7f && octet != '.' && octet != '\\') {
        out[0] = sp_to_lower((char)octet);
        name->len += 1;
        return;
    }
    out[0] = '\\';
    out[1] = (char)('0' + octet / 100);
    out[2] = (char)('0' + octet / 10 % 10);
    out[3] = (char)('0' + octet % 10);
    name->len += 4;
}

static void put_label(sp_wire_name_t *name, const uint8_t *octets, size_t len)
{
    if (name->len != 0) {
        name->text[name->len++] = '.';
    }
    for (size_t i = 0; i != len; ++i) {
        put_octet(name, octets[i]);
    }
}

/* Follows the pointer at *pos when there is one. A pointer leads before the place where the part
 * of the name that holds it began, so that no loop is possible. */
static bool follow_pointers(sp_str_t message, size_t *pos, size_t *began, size_t *jumps,
                            size_t *after)
{
    const uint8_t *octets = (const uint8_t *)message.ptr;

    while (*pos < message.len && (octets[*pos] & 0xc0) == 0xc0) {
        size_t target;

        if (*pos + 1 >= message.len || ++*jumps > JUMPS_MAX) {
            return false;
        }
        target = ((size_t)(octets[*pos] & 0x3f) << 8) | octets[*pos + 1];
        if (*after == 0) {
            *after = *pos + 2;
        }
        if (target >= *began) {
            return false;
        }
        *pos = target;
        *began = target;
    }
    return *pos < message.len;
}

bool sp_wire_name_read(sp_str_t message, size_t *at, sp_wire_name_t *ret_name)
{
    const uint8_t *octets = (const uint8_t *)message.ptr;
    size_t pos = *at;
    size_t began = pos;
    size_t after = 0; /* behind the first pointer, once there was one */
    size_t jumps = 0;
    size_t wire_len = 1;

    ret_name->len = 0;
    while (follow_pointers(message, &pos, &began, &jumps, &after)) {
        size_t len = octets[pos++];

        if (len == 0) {
            *at = after != 0 ? after : pos;
            return true;
        }
        wire_len += len + 1;
        if (len > 63 || wire_len > SP_WIRE_NAME_MAX || len > message.len - pos) {
            return false;
        }
        put_label(ret_name, octets + pos, len);
        pos += len;
    }
    return false;
}

/* One octet of a text, escapes undone; -1 when the escape is none. */
static int take_octet(sp_str_t *text)
{
    unsigned value = 0;

    if (text->ptr[0] != '\\') {
        int octet = (unsigned char)text->ptr[0];

        *text = sp_str_skip(*text, 1);
        return octet;
    }
    if (text->len < 4) {
        return -1;
    }
    for (size_t i = 1; i != 4; ++i) {
        if (!sp_is_digit(text->ptr[i])) {
            return -1;
        }
        value = value * 10 + (unsigned)(text->ptr[i] - '0');
    }
    *text = sp_str_skip(*text, 4);
    return value <= 255 ? (int)value : -1;
}

/* Cuts one label with its dot off *text. */
static bool write_label(sp_str_t *text, uint8_t *wire, size_t *len)
{
    size_t length_at = (*len)++;

    while (text->len != 0 && text->ptr[0] != '.') {
        int octet = take_octet(text);

        if (octet < 0 || *len + 1 >= SP_WIRE_NAME_MAX || *len - length_at > 63) {
            return false;
        }
        wire[(*len)++] = (uint8_t)octet;
    }
    wire[length_at] = (uint8_t)(*len - length_at - 1);
    if (wire[length_at] == 0) {
        return false;
    }
    if (text->len != 0) {
        *text = sp_str_skip(*text, 1);
        return text->len != 0;
    }
    return true;
}

bool sp_wire_name_write(sp_str_t text, uint8_t *ret_wire, size_t *ret_len)
{
    size_t len = 0;

    while (text.len != 0) {
        if (len + 1 >= SP_WIRE_NAME_MAX || !write_label(&text, ret_wire, &len)) {
            return false;
        }
    }
    ret_wire[len++] = 0;
    *ret_len = len;
    return true;
}

sp_str_t sp_name_parent(sp_str_t name)
{
    return sp_str_skip(name, sp_str_find(name, '.') + 1);
}

bool sp_name_is_within(sp_str_t name, sp_str_t apex)
{
    if (apex.len == 0 || sp_str_eq(name, apex)) {
        return true;
    }
    return name.len > apex.len && sp_str_ends_with(name, apex) &&
           name.ptr[name.len - apex.len - 1] == '.';
}
