/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/json_position.h"

/* UTF-8: 10xxxxxx continues a character. */
static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0U) == 0x80U;
}

sp_json_place_t sp_json_place(sp_str_t text, size_t offset)
{
    sp_json_place_t place = {.line = 1, .column = 1};

    for (size_t i = 0; i < offset && i < text.len; ++i) {
        if (text.ptr[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else if (!continues_character(text.ptr[i])) {
            ++place.column;
        }
    }
    return place;
}

size_t sp_json_value_at(sp_str_t text, size_t offset)
{
    while (offset < text.len && sp_is_blank(text.ptr[offset])) {
        ++offset;
    }
    return offset < text.len ? offset : text.len;
}

/* Behind the closing quote of the string that begins at `at`. */
static size_t skip_string(sp_str_t text, size_t at)
{
    for (++at; at < text.len && text.ptr[at] != '"'; ++at) {
        if (text.ptr[at] == '\\') {
            ++at;
        }
    }
    return at < text.len ? at + 1 : text.len;
}

/* Behind a number, true, false or null. */
static size_t skip_word(sp_str_t text, size_t at)
{
    while (at < text.len && !sp_is_blank(text.ptr[at]) && text.ptr[at] != ',' &&
           text.ptr[at] != ']' && text.ptr[at] != '}') {
        ++at;
    }
    return at;
}

/* Behind the value at `at`. Counts brackets instead of calling itself: depth costs no stack. */
static size_t skip_value(sp_str_t text, size_t at)
{
    size_t depth = 0;

    if (at < text.len && text.ptr[at] != '"' && text.ptr[at] != '{' && text.ptr[at] != '[') {
        return skip_word(text, at);
    }
    while (at < text.len) {
        char c = text.ptr[at];

        at = c == '"' ? skip_string(text, at) : at + 1;
        if (c == '{' || c == '[') {
            ++depth;
        } else if (depth != 0 && (c == '}' || c == ']')) {
            --depth;
        }
        if (depth == 0) {
            break;
        }
    }
    return at;
}

bool sp_json_walk_init(sp_json_walk_t *walk, sp_str_t text, size_t offset)
{
    if (offset >= text.len || (text.ptr[offset] != '{' && text.ptr[offset] != '[')) {
        return false;
    }
    *walk = (sp_json_walk_t){.text = text, .at = offset + 1, .in_object = text.ptr[offset] == '{'};
    return true;
}

/* The key and the colon behind it; leaves `walk` at the value. */
static bool read_key(sp_json_walk_t *walk, sp_json_item_t *item)
{
    size_t end;

    if (walk->text.ptr[walk->at] != '"') {
        return false;
    }
    end = skip_string(walk->text, walk->at);
    item->key = sp_str_slice(walk->text, walk->at, end);
    walk->at = sp_json_value_at(walk->text, end);
    if (walk->at == walk->text.len || walk->text.ptr[walk->at] != ':') {
        return false;
    }
    walk->at = sp_json_value_at(walk->text, walk->at + 1);
    return walk->at != walk->text.len;
}

bool sp_json_walk_next(sp_json_walk_t *walk, sp_json_item_t *ret_item)
{
    sp_json_item_t item = {.key = {.ptr = "", .len = 0}};

    walk->at = sp_json_value_at(walk->text, walk->at);
    if (walk->at < walk->text.len && walk->text.ptr[walk->at] == ',') {
        walk->at = sp_json_value_at(walk->text, walk->at + 1);
    }
    if (walk->at == walk->text.len || walk->text.ptr[walk->at] == '}' ||
        walk->text.ptr[walk->at] == ']') {
        return false;
    }
    item.key_at = walk->at;
    if (walk->in_object && !read_key(walk, &item)) {
        return false;
    }
    item.value_at = walk->at;
    walk->at = skip_value(walk->text, walk->at);
    *ret_item = item;
    return walk->at > item.value_at;
}

/* Is the item the one that this part of the pointer names? */
static bool is_named(const sp_json_walk_t *walk, const sp_json_item_t *item, size_t index,
                     sp_str_t name)
{
    uint64_t number;

    if (walk->in_object) {
        return sp_str_eq(sp_str_slice(item->key, 1, item->key.len - 1), name);
    }
    return sp_str_to_uint(name, SIZE_MAX, &number) && number == index;
}

static bool find_item(sp_str_t text, size_t at, sp_str_t name, size_t *ret_offset)
{
    sp_json_walk_t walk;
    sp_json_item_t item;
    bool found = false;

    if (!sp_json_walk_init(&walk, text, at)) {
        return false;
    }
    for (size_t index = 0; sp_json_walk_next(&walk, &item); ++index) {
        if (is_named(&walk, &item, index, name)) {
            *ret_offset = item.value_at;
            found = true;
        }
    }
    return found;
}

bool sp_json_find(sp_str_t text, sp_str_t pointer, size_t *ret_offset)
{
    size_t at = sp_json_value_at(text, 0);
    sp_str_t rest = {.ptr = NULL, .len = 0};

    if (pointer.len != 0) {
        rest = sp_str_skip(pointer, 1);
    }
    while (rest.ptr != NULL) {
        sp_str_t name = sp_str_cut(rest, '/', &rest);

        if (!find_item(text, at, name, &at)) {
            return false;
        }
    }
    if (at == text.len) {
        return false;
    }
    *ret_offset = at;
    return true;
}
