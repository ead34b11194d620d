/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/position.h"

typedef struct reader {
    sp_str_t text;
    size_t at;
    sp_lint_place_t place;
    bool quoted;
} reader_t;

/* False where the source has no such place. */
static bool seek(reader_t *reader, const sp_lint_zone_t *zone, const sp_lint_record_t *record)
{
    if (record->line == 0 || record->line > zone->line_count || record->column == 0) {
        return false;
    }
    reader->place = (sp_lint_place_t){record->line, record->column};
    reader->at = zone->line_starts[record->line - 1] + record->column - 1;
    return reader->at < reader->text.len;
}

static void advance(reader_t *reader, size_t count)
{
    reader->at += count;
    reader->place.column += count;
}

/* Goes past one octet of the file that stands for none of the data. */
static void pass_layout(reader_t *reader)
{
    char c = reader->text.ptr[reader->at];

    if (c == '\n') {
        ++reader->at;
        ++reader->place.line;
        reader->place.column = 1;
    } else if (c == ';') {
        advance(reader, sp_str_find(sp_str_skip(reader->text, reader->at), '\n'));
    } else {
        reader->quoted = c == '"' ? !reader->quoted : reader->quoted;
        advance(reader, 1);
    }
}

static bool is_layout(const reader_t *reader)
{
    char c = reader->text.ptr[reader->at];

    if (reader->quoted) {
        return c == '"';
    }
    return sp_is_blank(c) || c == ';' || c == '(' || c == ')' || c == '"';
}

/* How many octets of the file the next octet of the data takes, and which it is. */
static size_t read_octet(const reader_t *reader, char *ret_octet)
{
    sp_str_t rest = sp_str_skip(reader->text, reader->at);
    uint64_t value = 0;

    if (rest.ptr[0] != '\\' || rest.len == 1) {
        *ret_octet = rest.ptr[0];
        return 1;
    }
    if (rest.len >= 4 && sp_str_to_uint(sp_str_slice(rest, 1, 4), 255, &value)) {
        *ret_octet = (char)value;
        return 4;
    }
    *ret_octet = rest.ptr[1];
    return 2;
}

sp_lint_place_t sp_lint_locate(const sp_lint_zone_t *zone, const sp_lint_record_t *record,
                               size_t offset)
{
    sp_lint_place_t start = {record->line, record->column};
    reader_t reader = {.text = zone->source};
    size_t known = 0; /* octets of the text found so far */

    if (zone->source.ptr == NULL) {
        /* A record by itself: its text is all there is. */
        start.column += offset <= record->text.len ? offset : 0;
        return start;
    }
    if (offset > record->text.len || !seek(&reader, zone, record)) {
        return start;
    }
    while (reader.at < reader.text.len) {
        char octet = 0;
        size_t taken = 0;

        if (known == record->text.len || !is_layout(&reader)) {
            if (known == offset) {
                return reader.place;
            }
            taken = read_octet(&reader, &octet);
            if (octet != record->text.ptr[known]) {
                return start; /* another file, or no data where we looked */
            }
            ++known;
            advance(&reader, taken);
        } else {
            pass_layout(&reader);
        }
    }
    return start;
}
