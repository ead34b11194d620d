/* SPDX-License-Identifier: Apache-2.0 */
#include "http/request_head.h"

#include <string.h>

typedef struct reader {
    sp_str_t rest; /* what has not been read yet */
    size_t offset; /* of `rest` in the input, for messages */
    sp_error_t *err;
} reader_t;

/* The next line without its CRLF. */
static inline sp_status_t read_line(reader_t *reader, sp_str_t *ret_line)
{
    size_t len = sp_str_find(reader->rest, '\n');

    if (len >= reader->rest.len) {
        return sp_fail(reader->err, SP_BAD_SYNTAX, reader->offset,
                       "the request's head must end with an empty line");
    }
    if (len == 0 || reader->rest.ptr[len - 1] != '\r') {
        return sp_fail(reader->err, SP_BAD_SYNTAX, reader->offset + len,
                       "each line of the request's head must end with CRLF, not with LF alone");
    }
    *ret_line = sp_str_slice(reader->rest, 0, len - 1);
    reader->rest = sp_str_skip(reader->rest, len + 1);
    reader->offset += len + 1;
    return SP_OK;
}

/* One empty line ahead is ignored (RFC 9112, 2.2). */
static sp_status_t read_request_line(reader_t *reader, sp_str_t *ret_line)
{
    sp_status_t status = read_line(reader, ret_line);

    if (status == SP_OK && ret_line->len == 0) {
        status = read_line(reader, ret_line);
    }
    return status;
}

static sp_str_t trim_value(sp_str_t value)
{
    while (value.len != 0 && (value.ptr[0] == ' ' || value.ptr[0] == '\t')) {
        value = sp_str_skip(value, 1);
    }
    while (value.len != 0 &&
           (value.ptr[value.len - 1] == ' ' || value.ptr[value.len - 1] == '\t')) {
        --value.len;
    }
    return value;
}

static sp_status_t read_field(sp_str_t line, size_t offset, sp_header_t *ret_field, sp_error_t *err)
{
    const char *colon = memchr(line.ptr, ':', line.len);
    size_t name_len = 0;

    if (line.ptr[0] == ' ' || line.ptr[0] == '\t') {
        return sp_fail(err, SP_BAD_SYNTAX, offset,
                       "a header field must stand on one line (RFC 9112, 5.2)");
    }
    if (colon == NULL || colon == line.ptr) {
        return sp_fail(err, SP_BAD_SYNTAX, offset,
                       "a header field must be of the form Name: value");
    }
    name_len = (size_t)(colon - line.ptr);
    if (line.ptr[name_len - 1] == ' ' || line.ptr[name_len - 1] == '\t') {
        return sp_fail(err, SP_BAD_SYNTAX, offset + name_len,
                       "no blank may stand between a header field's name and the colon");
    }
    ret_field->name = sp_str_slice(line, 0, name_len);
    ret_field->value = trim_value(sp_str_skip(line, name_len + 1));
    return SP_OK;
}

/* Counts the lines up to the empty one; bounds what must be allocated. */
static size_t count_fields(sp_str_t text)
{
    size_t count = 0;
    const char *end = text.ptr + text.len;
    const char *at = text.ptr;

    while (at != end && *at != '\r' && *at != '\n') {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));

        ++count;
        if (line_end == NULL) {
            break;
        }
        at = line_end + 1;
    }
    return count;
}

typedef struct fields {
    sp_header_t *others;
    size_t other_count;
    sp_str_t *hosts;
    size_t host_count;
    size_t length_count;   /* Content-Length fields */
    size_t encoding_count; /* Transfer-Encoding fields */
} fields_t;

static void keep_field(fields_t *fields, const sp_header_t *field)
{
    if (sp_str_eq_nocase(field->name, SP_STR("host"))) {
        fields->hosts[fields->host_count++] = field->value;
        return;
    }
    fields->others[fields->other_count++] = *field;
    if (sp_str_eq_nocase(field->name, SP_STR("content-length"))) {
        ++fields->length_count;
    } else if (sp_str_eq_nocase(field->name, SP_STR("transfer-encoding"))) {
        ++fields->encoding_count;
    }
}

/* Up to and with the empty line. */
static sp_status_t read_fields(reader_t *reader, fields_t *fields)
{
    for (;;) {
        size_t offset = reader->offset;
        sp_str_t line = {0};
        sp_header_t field = {0};
        sp_status_t status = read_line(reader, &line);

        if (status != SP_OK || line.len == 0) {
            return status;
        }
        status = read_field(line, offset, &field, reader->err);
        if (status != SP_OK) {
            return status;
        }
        keep_field(fields, &field);
    }
}

static sp_status_t allocate(sp_arena_t *arena, size_t count, fields_t *ret_fields)
{
    size_t header_bytes = 0;
    size_t host_bytes = 0;

    if (!sp_array_size(count, sizeof(sp_header_t), &header_bytes) ||
        !sp_array_size(count, sizeof(sp_str_t), &host_bytes)) {
        return SP_NO_MEMORY;
    }
    ret_fields->others = sp_arena_alloc(arena, header_bytes);
    ret_fields->hosts = sp_arena_alloc(arena, host_bytes);
    return ret_fields->others == NULL || ret_fields->hosts == NULL ? SP_NO_MEMORY : SP_OK;
}

static sp_status_t too_long(sp_error_t *err)
{
    return sp_fail(err, SP_TOO_LONG, SP_HEAD_SIZE_MAX,
                   "the request line and header fields together may have at most %zu octets",
                   SP_HEAD_SIZE_MAX);
}

/* Where the body ends must be beyond doubt, or its rest passes for another request (RFC 9112, 6.1
 * to 6.3). */
static sp_status_t check_framing(const fields_t *fields, sp_str_t request_line, sp_error_t *err)
{
    if (fields->length_count != 0 && fields->encoding_count != 0) {
        return sp_fail(err, SP_BAD_SYNTAX, 0,
                       "a request may have Content-Length or Transfer-Encoding, not both");
    }
    if (fields->length_count > 1 || fields->encoding_count > 1) {
        return sp_fail(err, SP_BAD_SYNTAX, 0,
                       "a request may have Content-Length or Transfer-Encoding only once");
    }
    if (fields->encoding_count != 0 && sp_str_ends_with(request_line, SP_STR("HTTP/1.0"))) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "HTTP/1.0 knows no Transfer-Encoding");
    }
    return SP_OK;
}

sp_status_t sp_request_head_read(sp_str_t input, sp_arena_t *arena, sp_request_head_t *ret_head,
                                 sp_error_t *err)
{
    bool is_cut = input.len > SP_HEAD_SIZE_MAX;
    reader_t reader = {.rest = sp_str_slice(input, 0, SP_HEAD_SIZE_MAX), .err = err};
    fields_t fields = {0};
    sp_str_t line = {0};
    sp_status_t status = read_request_line(&reader, &line);

    if (status == SP_OK) {
        status = allocate(arena, count_fields(reader.rest), &fields);
    }
    if (status == SP_OK) {
        status = read_fields(&reader, &fields);
    }
    if (status == SP_BAD_SYNTAX && is_cut && sp_str_find(reader.rest, '\n') == reader.rest.len) {
        return too_long(err); /* the fault is the cut, not the line */
    }
    if (status != SP_OK) {
        return status;
    }
    status = check_framing(&fields, line, err);
    if (status != SP_OK) {
        return status;
    }
    *ret_head = (sp_request_head_t){.hosts = fields.hosts,
                                    .host_count = fields.host_count,
                                    .headers = fields.others,
                                    .header_count = fields.other_count};
    return SP_OK;
}
