/* SPDX-License-Identifier: Apache-2.0 */
#include "load/http1.h"

#include <string.h>

#define VERSION_LEN 8 /* HTTP/1.1 */
#define STATUS_LINE_MIN 13

typedef struct head {
    sp_http1_answer_t answer;
    size_t length_count;
    bool is_chunked;
    bool is_coded; /* in a way that no body can be told apart */
    bool wants_close, wants_keep;
} head_t;

/* Visible octets, blanks and tabs, and those beyond ASCII (RFC 9110, 5.5). */
static bool is_field_text(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        unsigned char c = (unsigned char)text.ptr[i];

        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_token(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (!sp_octet_is(text.ptr[i], SP_OCTET_TOKEN)) {
            return false;
        }
    }
    return text.len != 0;
}

/* The next line without its CRLF; false when it does not end in one. */
static bool take_line(sp_str_t *rest, sp_str_t *ret_line)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->ptr, '\n', rest->len);
    size_t len = 0;

    if (end == NULL || end == rest->ptr || end[-1] != '\r') {
        return false;
    }
    len = (size_t)(end - rest->ptr);
    *ret_line = (sp_str_t){rest->ptr, len - 1};
    *rest = sp_str_skip(*rest, len + 1);
    return true;
}

static bool read_status_line(sp_str_t line, head_t *head)
{
    uint64_t status = 0;

    if (line.len < STATUS_LINE_MIN || !sp_str_starts_with(line, SP_STR("HTTP/1.")) ||
        (line.ptr[VERSION_LEN - 1] != '0' && line.ptr[VERSION_LEN - 1] != '1') ||
        line.ptr[VERSION_LEN] != ' ' || line.ptr[VERSION_LEN + 4] != ' ' ||
        !sp_str_to_uint(sp_str_slice(line, VERSION_LEN + 1, VERSION_LEN + 4), 599, &status) ||
        status < 100 || !is_field_text(line)) {
        return false;
    }
    head->answer.status = (unsigned)status;
    head->answer.keep_alive = line.ptr[VERSION_LEN - 1] == '1';
    return true;
}

static bool read_length(sp_str_t value, head_t *head)
{
    uint64_t length = 0;

    if (!sp_str_to_uint(value, UINT64_MAX >> 1, &length) ||
        (head->length_count != 0 && head->answer.length != length)) {
        return false;
    }
    ++head->length_count;
    head->answer.length = length;
    return true;
}

/* Only `chunked` itself, once: nothing else was offered to the server (RFC 9112, 6.1). */
static bool read_coding(sp_str_t value, head_t *head)
{
    if (head->is_chunked || !sp_str_eq_nocase(value, SP_STR("chunked"))) {
        return false;
    }
    head->is_chunked = true;
    return true;
}

static void read_connection(sp_str_t value, head_t *head)
{
    for (sp_str_t rest = value; rest.ptr != NULL;) {
        sp_str_t option = sp_str_trim(sp_str_cut(rest, ',', &rest));

        if (sp_str_eq_nocase(option, SP_STR("close"))) {
            head->wants_close = true;
        } else if (sp_str_eq_nocase(option, SP_STR("keep-alive"))) {
            head->wants_keep = true;
        }
    }
}

static bool read_value(sp_str_t name, sp_str_t value, head_t *head)
{
    switch (name.len) {
    case 8:
        if (sp_str_eq_nocase(name, SP_STR("location")) && head->answer.location_count++ == 0) {
            head->answer.location = value;
        }
        return true;
    case 10:
        if (sp_str_eq_nocase(name, SP_STR("connection"))) {
            read_connection(value, head);
        }
        return true;
    case 14:
        return !sp_str_eq_nocase(name, SP_STR("content-length")) || read_length(value, head);
    case 17:
        return !sp_str_eq_nocase(name, SP_STR("transfer-encoding")) || read_coding(value, head);
    default:
        return true;
    }
}

/* No blank before the colon, and no line that continues the one before it. */
static bool read_field(sp_str_t line, head_t *head)
{
    size_t colon = sp_str_find(line, ':');
    sp_str_t name = sp_str_slice(line, 0, colon);
    sp_str_t value = sp_str_trim(sp_str_skip(line, colon + 1));

    return colon != line.len && is_token(name) && is_field_text(line) &&
           read_value(name, value, head);
}

static bool conclude(head_t *head)
{
    sp_http1_answer_t *answer = &head->answer;

    if ((head->is_chunked && head->length_count != 0) || answer->status == 101) {
        return false;
    }
    if (answer->status < 200 || answer->status == 204 || answer->status == 304) {
        answer->framing = SP_HTTP1_NO_BODY;
    } else if (head->is_chunked) {
        answer->framing = SP_HTTP1_CHUNKED;
    } else if (head->length_count != 0) {
        answer->framing = answer->length == 0 ? SP_HTTP1_NO_BODY : SP_HTTP1_LENGTH;
    } else {
        answer->framing = SP_HTTP1_UNTIL_CLOSE;
    }
    answer->keep_alive = (answer->keep_alive || head->wants_keep) && !head->wants_close &&
                         answer->framing != SP_HTTP1_UNTIL_CLOSE;
    return true;
}

bool sp_http1_head_read(sp_str_t text, sp_http1_answer_t *ret_answer)
{
    head_t head = {.answer = {.status = 0}};
    sp_str_t line;

    if (!take_line(&text, &line) || !read_status_line(line, &head)) {
        return false;
    }
    while (take_line(&text, &line)) {
        if (line.len == 0) {
            if (text.len != 0 || !conclude(&head)) {
                return false;
            }
            *ret_answer = head.answer;
            return true;
        }
        if (!read_field(line, &head)) {
            return false;
        }
    }
    return false;
}
