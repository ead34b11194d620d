/* SPDX-License-Identifier: Apache-2.0 */
#include "load/http1.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_ROOM_MIN ((size_t)1024)
#define CHUNK_DIGITS_MAX 15

void sp_http1_reader_clear(sp_http1_reader_t *reader)
{
    free(reader->kept);
    *reader = (sp_http1_reader_t){.place = SP_HTTP1_IN_HEAD};
}

void sp_http1_reader_restart(sp_http1_reader_t *reader)
{
    reader->place = SP_HTTP1_IN_HEAD;
    reader->interim = 0;
    reader->kept_len = 0;
}

/* False when memory is out. */
static bool keep(sp_http1_reader_t *reader, sp_str_t octets)
{
    size_t wanted = reader->kept_len + octets.len;

    if (wanted > reader->kept_room) {
        size_t room = wanted < KEPT_ROOM_MIN ? KEPT_ROOM_MIN : 2 * wanted;
        char *grown = realloc(reader->kept, room);

        if (grown == NULL) {
            return false;
        }
        reader->kept = grown;
        reader->kept_room = room;
    }
    if (octets.len != 0) {
        memcpy(reader->kept + reader->kept_len, octets.ptr, octets.len);
        reader->kept_len = wanted;
    }
    return true;
}

/* Length of a head up to and with its empty line, looked for from `from` on; 0: not complete. */
static size_t head_length(sp_str_t text, size_t from)
{
    while (from < text.len) {
        const char *end = memchr(text.ptr + from, '\n', text.len - from);

        if (end == NULL) {
            return 0;
        }
        from = (size_t)(end - text.ptr) + 1;
        if (from >= 4 && memcmp(end - 3, "\r\n\r\n", 4) == 0) {
            return from;
        }
    }
    return 0;
}

static void begin_body(sp_http1_reader_t *reader)
{
    reader->line = 0;
    reader->digits = 0;
    reader->left = 0;
    reader->previous = '\0';
    switch (reader->answer.framing) {
    case SP_HTTP1_NO_BODY:
        reader->place = SP_HTTP1_AT_END;
        break;
    case SP_HTTP1_LENGTH:
        reader->place = SP_HTTP1_IN_LENGTH;
        reader->left = reader->answer.length;
        break;
    case SP_HTTP1_CHUNKED:
        reader->place = SP_HTTP1_IN_CHUNK_LINE;
        break;
    case SP_HTTP1_UNTIL_CLOSE:
        reader->place = SP_HTTP1_IN_REST;
        break;
    }
}

static sp_http1_step_t end_head(sp_http1_reader_t *reader, sp_str_t head)
{
    if (head.len > SP_HTTP1_HEAD_MAX || !sp_http1_head_read(head, &reader->answer)) {
        return SP_HTTP1_BAD;
    }
    if (reader->answer.status < 200) {
        reader->kept_len = 0;
        return ++reader->interim > SP_HTTP1_INTERIM_MAX ? SP_HTTP1_BAD : SP_HTTP1_MORE;
    }
    begin_body(reader);
    return SP_HTTP1_MORE;
}

/* Something that can't become a status line need not be waited for. */
static bool may_be_head(sp_str_t text)
{
    sp_str_t begin = SP_STR("HTTP/1.");

    return sp_str_starts_with(sp_str_slice(begin, 0, text.len), sp_str_slice(text, 0, begin.len));
}

/* A head in one piece is read where it lies; pieces are put together first. */
static sp_http1_step_t feed_head(sp_http1_reader_t *reader, sp_str_t octets, size_t *used)
{
    size_t before = reader->kept_len;
    size_t len = 0;

    if (before == 0) {
        len = head_length(octets, 0);
        if (len != 0) {
            *used = len;
            return end_head(reader, sp_str_slice(octets, 0, len));
        }
    }
    *used = octets.len;
    if (before + octets.len > 2 * SP_HTTP1_HEAD_MAX) {
        octets = sp_str_slice(octets, 0, 2 * SP_HTTP1_HEAD_MAX - before);
    }
    if (!keep(reader, octets)) {
        return SP_HTTP1_NO_MEMORY;
    }
    if (!may_be_head((sp_str_t){reader->kept, reader->kept_len})) {
        return SP_HTTP1_BAD;
    }
    len = head_length((sp_str_t){reader->kept, reader->kept_len}, before);
    if (len == 0) {
        return reader->kept_len >= SP_HTTP1_HEAD_MAX ? SP_HTTP1_BAD : SP_HTTP1_MORE;
    }
    *used = len - before;
    return end_head(reader, (sp_str_t){reader->kept, len});
}

static size_t take_left(sp_http1_reader_t *reader, size_t len, sp_http1_place_t next)
{
    size_t used = len < reader->left ? len : (size_t)reader->left;

    reader->left -= used;
    if (reader->left == 0) {
        reader->place = next;
    }
    return used;
}

static sp_http1_step_t end_chunk_line(sp_http1_reader_t *reader)
{
    if (reader->digits == 0 || reader->previous != '\r') {
        return SP_HTTP1_BAD;
    }
    reader->place = reader->left == 0 ? SP_HTTP1_IN_TRAILER : SP_HTTP1_IN_CHUNK;
    reader->line = 0;
    reader->digits = 0;
    reader->previous = '\n';
    reader->blank = true;
    return SP_HTTP1_MORE;
}

/* Hexadecimal size, then nothing or an extension, which begins with ';' and means nothing here. */
static sp_http1_step_t chunk_line_octet(sp_http1_reader_t *reader, char c)
{
    int digit = sp_hex_value(c);

    if (++reader->line > SP_HTTP1_CHUNK_LINE_MAX) {
        return SP_HTTP1_BAD;
    }
    if (c == '\n') {
        return end_chunk_line(reader);
    }
    if (reader->line == reader->digits + 1 && digit >= 0) {
        reader->left = (reader->left << 4) | (unsigned)digit;
        reader->previous = c;
        return ++reader->digits > CHUNK_DIGITS_MAX ? SP_HTTP1_BAD : SP_HTTP1_MORE;
    }
    if (reader->digits == 0 || (reader->line > 1 && reader->previous == '\r') ||
        (c != '\r' && c != '\t' && (unsigned char)c < ' ') ||
        (reader->line == reader->digits + 1 && c != ';' && c != '\r' && c != ' ' && c != '\t')) {
        return SP_HTTP1_BAD;
    }
    reader->previous = c;
    return SP_HTTP1_MORE;
}

static sp_http1_step_t chunk_end_octet(sp_http1_reader_t *reader, char c)
{
    if (c != (reader->line == 0 ? '\r' : '\n')) {
        return SP_HTTP1_BAD;
    }
    if (++reader->line == 2) {
        reader->place = SP_HTTP1_IN_CHUNK_LINE;
        reader->line = 0;
        reader->previous = '\0';
    }
    return SP_HTTP1_MORE;
}

/* Trailer fields are passed over; what ends them is an empty line. */
static sp_http1_step_t trailer_octet(sp_http1_reader_t *reader, char c)
{
    char previous = reader->previous;

    reader->previous = c;
    if (++reader->line > SP_HTTP1_HEAD_MAX || (previous == '\r') != (c == '\n') || c == '\0') {
        return SP_HTTP1_BAD;
    }
    if (c == '\n') {
        if (reader->blank) {
            reader->place = SP_HTTP1_AT_END;
        }
        reader->blank = true;
    } else if (c != '\r') {
        reader->blank = false;
    }
    return SP_HTTP1_MORE;
}

static sp_http1_step_t feed_place(sp_http1_reader_t *reader, sp_str_t octets, size_t *used)
{
    *used = 1;
    switch (reader->place) {
    case SP_HTTP1_IN_HEAD:
        return feed_head(reader, octets, used);
    case SP_HTTP1_IN_LENGTH:
        *used = take_left(reader, octets.len, SP_HTTP1_AT_END);
        return SP_HTTP1_MORE;
    case SP_HTTP1_IN_CHUNK:
        *used = take_left(reader, octets.len, SP_HTTP1_IN_CHUNK_END);
        return SP_HTTP1_MORE;
    case SP_HTTP1_IN_REST:
        *used = octets.len;
        return SP_HTTP1_MORE;
    case SP_HTTP1_IN_CHUNK_LINE:
        return chunk_line_octet(reader, octets.ptr[0]);
    case SP_HTTP1_IN_CHUNK_END:
        return chunk_end_octet(reader, octets.ptr[0]);
    case SP_HTTP1_IN_TRAILER:
        return trailer_octet(reader, octets.ptr[0]);
    case SP_HTTP1_AT_END:
        *used = 0;
        return SP_HTTP1_DONE;
    }
    return SP_HTTP1_BAD;
}

/* Before the octets go away in which the Location lies. */
static sp_http1_step_t keep_location(sp_http1_reader_t *reader)
{
    sp_http1_answer_t *answer = &reader->answer;

    if (reader->kept_len == 0) {
        if (!keep(reader, answer->location)) {
            return SP_HTTP1_NO_MEMORY;
        }
        answer->location.ptr = reader->kept;
    }
    return SP_HTTP1_MORE;
}

sp_http1_step_t sp_http1_reader_feed(sp_http1_reader_t *reader, sp_str_t octets, size_t *ret_used)
{
    sp_http1_place_t before = reader->place;
    size_t at = 0;

    *ret_used = 0;
    while (at != octets.len && reader->place != SP_HTTP1_AT_END) {
        size_t used = 0;
        sp_http1_step_t step = feed_place(reader, sp_str_skip(octets, at), &used);

        at += used;
        *ret_used = at;
        if (step != SP_HTTP1_MORE) {
            return step;
        }
    }
    if (reader->place == SP_HTTP1_AT_END) {
        return SP_HTTP1_DONE;
    }
    return before == SP_HTTP1_IN_HEAD && reader->place != SP_HTTP1_IN_HEAD ? keep_location(reader)
                                                                           : SP_HTTP1_MORE;
}

sp_http1_step_t sp_http1_reader_end(sp_http1_reader_t *reader)
{
    if (reader->place == SP_HTTP1_IN_REST) {
        reader->place = SP_HTTP1_AT_END;
    }
    return reader->place == SP_HTTP1_AT_END ? SP_HTTP1_DONE : SP_HTTP1_MORE;
}
