/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_place.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
    return is_space(c) || c == '\n' || c == '(' || c == ')' || c == ';';
}

static size_t line_end(sp_str_t text, size_t at)
{
    return at + sp_str_find(sp_str_skip(text, at), '\n');
}

/* Behind blanks and parentheses, and, where a parenthesis is open, behind line ends and comments.
 */
static size_t skip_gap(sp_str_t text, size_t at, int *depth)
{
    for (; at < text.len; ++at) {
        char c = text.ptr[at];

        if (c == '(') {
            ++*depth;
        } else if (c == ')') {
            --*depth;
        } else if (c == ';' && *depth > 0) {
            at = line_end(text, at);
        } else if (!is_space(c) && (c != '\n' || *depth <= 0)) {
            break;
        }
    }
    return at < text.len ? at : text.len;
}

static size_t word_end(sp_str_t text, size_t at)
{
    bool quoted = false;

    for (; at < text.len && text.ptr[at] != '\n'; ++at) {
        if (text.ptr[at] == '"') {
            quoted = !quoted;
        } else if (text.ptr[at] == '\\' && at + 1 < text.len && text.ptr[at + 1] != '\n') {
            ++at;
        } else if (!quoted && ends_word(text.ptr[at])) {
            break;
        }
    }
    return at;
}

/* The class names of RFC 1035, and every TTL, come before the type, in any order. */
static bool precedes_type(sp_str_t word)
{
    return sp_is_digit(word.ptr[0]) || sp_str_eq_nocase(word, SP_STR("IN")) ||
           (sp_str_starts_with_nocase(word, SP_STR("CLASS")) && word.len > 5 &&
            sp_is_digit(word.ptr[5]));
}

static bool is_entry(sp_str_t text, size_t start)
{
    size_t at = start;

    while (at < text.len && is_space(text.ptr[at])) {
        ++at;
    }
    return at < text.len && text.ptr[at] != '\n' && text.ptr[at] != ';' && text.ptr[start] != '$';
}

static size_t entry_start(sp_str_t text, size_t from)
{
    size_t start = from;

    if (from != 0 && from < text.len && text.ptr[from] == '\n') {
        start = from + 1;
    }
    while (start < text.len && !is_entry(text, start)) {
        start = line_end(text, start) + 1;
    }
    return start < text.len ? start : text.len;
}

sp_zone_entry_t sp_zone_entry_find(sp_str_t text, size_t from)
{
    sp_zone_entry_t entry = {.start = entry_start(text, from)};
    bool has_owner = entry.start < text.len && !is_space(text.ptr[entry.start]);
    int depth = 0;
    size_t at = has_owner ? word_end(text, entry.start) : entry.start;

    for (;;) {
        entry.type = skip_gap(text, at, &depth);
        entry.type_end = word_end(text, entry.type);
        if (entry.type == entry.type_end ||
            !precedes_type(sp_str_slice(text, entry.type, entry.type_end))) {
            break;
        }
        at = entry.type_end;
    }
    entry.data = skip_gap(text, entry.type_end, &depth);
    if (entry.data == text.len || text.ptr[entry.data] == '\n' || text.ptr[entry.data] == ';') {
        entry.data = entry.type;
    }
    return entry;
}

sp_str_t sp_zone_word_at(sp_str_t text, size_t offset)
{
    size_t from = offset < text.len ? offset : text.len;
    size_t to = from;

    while (from != 0 && !ends_word(text.ptr[from - 1])) {
        --from;
    }
    while (to != text.len && !ends_word(text.ptr[to])) {
        ++to;
    }
    return sp_str_slice(text, from, to);
}

void sp_zone_place_move(sp_zone_place_t *place, sp_str_t text, size_t offset)
{
    size_t at;

    if (place->line == 0 || offset < place->line_start) {
        *place = (sp_zone_place_t){.line = 1};
    }
    for (at = line_end(text, place->line_start); at < offset && at < text.len;
         at = line_end(text, at + 1)) {
        place->line += 1;
        place->line_start = at + 1;
    }
    place->offset = offset;
    place->column = offset - place->line_start + 1;
}
