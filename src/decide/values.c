/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/values.h"

#include <signpost/base/buf.h>
#include <signpost/rule/location.h>

static const sp_str_t nothing = {.ptr = NULL, .len = 0};

/* ---- decoding ---- */

/* The octet at text.ptr[*at], decoded; moves *at behind it. */
static char decode_octet(sp_str_t text, size_t *at, bool form)
{
    int octet = sp_percent_octet(text, *at);
    char plain = '\0';

    if (octet >= 0) {
        *at += 3;
        return (char)octet;
    }
    plain = text.ptr[(*at)++];
    return form && plain == '+' ? ' ' : plain;
}

static sp_str_t decode(sp_str_t text, bool form, sp_arena_t *arena)
{
    char *decoded = NULL;
    size_t len = 0;

    if (sp_str_find(text, '%') == text.len && (!form || sp_str_find(text, '+') == text.len)) {
        return text.ptr == NULL ? SP_STR("") : text;
    }
    decoded = sp_arena_alloc(arena, text.len);
    if (decoded == NULL) {
        return nothing;
    }
    for (size_t at = 0; at < text.len;) {
        decoded[len++] = decode_octet(text, &at, form);
    }
    return (sp_str_t){.ptr = decoded, .len = len};
}

sp_str_t sp_path_decode(sp_str_t path, sp_arena_t *arena)
{
    return decode(path, false, arena);
}

bool sp_query_next(sp_str_t *rest, sp_str_t *ret_parameter, sp_str_t *ret_name)
{
    while (rest->ptr != NULL) {
        sp_str_t parameter = sp_str_cut(*rest, '&', rest);

        if (parameter.len != 0) {
            *ret_parameter = parameter;
            *ret_name = sp_str_slice(parameter, 0, sp_str_find(parameter, '='));
            return true;
        }
    }
    return false;
}

bool sp_query_name_is(sp_str_t encoded, sp_str_t name)
{
    size_t at = 0;
    size_t matched = 0;

    while (at < encoded.len && matched < name.len) {
        if (decode_octet(encoded, &at, true) != name.ptr[matched++]) {
            return false;
        }
    }
    return at >= encoded.len && matched == name.len;
}

sp_status_t sp_query_find(sp_str_t query, sp_str_t name, sp_arena_t *arena, sp_str_t *ret_value)
{
    sp_str_t rest = query;
    sp_str_t parameter;
    sp_str_t encoded;

    while (sp_query_next(&rest, &parameter, &encoded)) {
        if (sp_query_name_is(encoded, name)) {
            *ret_value = decode(sp_str_skip(parameter, encoded.len + 1), true, arena);
            return ret_value->ptr == NULL ? SP_NO_MEMORY : SP_OK;
        }
    }
    *ret_value = nothing;
    return SP_OK;
}

/* application/x-www-form-urlencoded, with '~' left alone. */
static sp_status_t form_encode(sp_str_t text, sp_arena_t *arena, sp_str_t *ret_value)
{
    sp_buf_t buf;

    sp_buf_init(&buf, arena, SIZE_MAX / 2);
    for (size_t i = 0; i != text.len; ++i) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (sp_is_alnum((char)c) || c == '-' || c == '_' || c == '.' || c == '~') {
            sp_buf_append_char(&buf, (char)c);
        } else if (c == ' ') {
            sp_buf_append_char(&buf, '+');
        } else {
            sp_url_append_escape(&buf, c);
        }
    }
    *ret_value = sp_buf_str(&buf);
    return buf.status;
}

/* ---- parts of a request ---- */

static sp_str_t label_of(sp_str_t host, unsigned number)
{
    sp_str_t label = nothing;
    sp_str_t rest = host;

    for (unsigned i = 0; i != number && rest.ptr != NULL; ++i) {
        label = sp_str_cut(rest, '.', &rest);
        if (rest.ptr == NULL && i + 1 != number) {
            return nothing;
        }
    }
    return label;
}

/* HTTP/2 clients may send one field per cookie (RFC 9113, 8.2.3). */
static sp_str_t cookie_of(const sp_request_t *request, sp_str_t name)
{
    for (size_t i = 0; i != request->header_count; ++i) {
        sp_str_t rest = request->headers[i].value;

        if (!sp_str_eq_nocase(request->headers[i].name, SP_STR("Cookie"))) {
            continue;
        }
        while (rest.ptr != NULL) {
            sp_str_t pair = sp_str_trim(sp_str_cut(rest, ';', &rest));
            size_t equals = sp_str_find(pair, '=');

            if (equals != pair.len && sp_str_eq(sp_str_trim(sp_str_slice(pair, 0, equals)), name)) {
                return sp_str_trim(sp_str_skip(pair, equals + 1));
            }
        }
    }
    return nothing;
}

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (sp_is_digit(c)) {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The user name of Basic credentials (RFC 7617); nothing where there are none or they are not
 * base64. */
static sp_status_t user_of(const sp_request_t *request, sp_arena_t *arena, sp_str_t *ret_value)
{
    sp_str_t credentials = nothing;
    unsigned bits = 0;
    unsigned collected = 0;
    sp_buf_t user;
    sp_status_t status = sp_request_header(request, SP_STR("Authorization"), arena, &credentials);

    credentials = sp_str_trim(credentials);
    if (status != SP_OK || !sp_str_starts_with_nocase(credentials, SP_STR("Basic "))) {
        return status;
    }
    credentials = sp_str_trim(sp_str_skip(credentials, 6));
    sp_buf_init(&user, arena, SIZE_MAX / 2);
    for (size_t i = 0; i != credentials.len && credentials.ptr[i] != '='; ++i) {
        int value = base64_value(credentials.ptr[i]);

        if (value < 0) {
            return SP_OK;
        }
        collected = ((collected << 6) | (unsigned)value) & 0xfffU;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            sp_buf_append_char(&user, (char)((collected >> bits) & 0xffU));
        }
    }
    *ret_value = sp_str_slice(sp_buf_str(&user), 0, sp_str_find(sp_buf_str(&user), ':'));
    return user.status;
}

static sp_status_t host_and_port(const sp_request_t *request, sp_arena_t *arena,
                                 sp_str_t *ret_value)
{
    sp_buf_t buf;

    *ret_value = request->host;
    if (request->port.len == 0) {
        return SP_OK;
    }
    sp_buf_init(&buf, arena, SIZE_MAX / 2);
    sp_buf_append(&buf, request->host);
    sp_buf_append_char(&buf, ':');
    sp_buf_append(&buf, request->port);
    *ret_value = sp_buf_str(&buf);
    return buf.status;
}

/* ---- placeholders, by what they need ---- */

static sp_value_kind_t value_of_match(const sp_template_part_t *part, const sp_values_t *values,
                                      sp_str_t *ret_value)
{
    sp_str_t name = sp_template_part_text(part);

    if (part->kind == SP_PH_SEGMENT) {
        if (part->number != 0 && part->number <= values->segment_count) {
            *ret_value = values->segments[part->number - 1];
        }
        return SP_VALUE_SENT;
    }
    if (part->kind == SP_PH_VALUE) {
        if (part->number != 0 && part->number <= values->numbered_count) {
            *ret_value = values->numbered[part->number - 1];
        }
        return values->numbered_sent ? SP_VALUE_SENT : SP_VALUE_DECODED;
    }
    if (name.ptr[0] == '$') {
        name = sp_str_skip(name, 1);
    }
    for (size_t i = 1; values->regex != NULL && i <= sp_regex_group_count(values->regex); ++i) {
        if (sp_str_eq(sp_regex_group_name(values->regex, i), name)) {
            *ret_value = values->groups[i];
            return SP_VALUE_DECODED;
        }
    }
    return SP_VALUE_NONE;
}

/* Octets of the path up to and with its last slash. */
static size_t length_of_dir(const sp_request_t *request)
{
    return sp_str_find_last(request->path, '/') + 1;
}

static sp_str_t text_of(sp_placeholder_t kind, const sp_request_t *request)
{
    switch ((int)kind) {
    case SP_PH_URI:
    case SP_PH_URI_ESCAPED:
        return request->uri;
    case SP_PH_PATH:
    case SP_PH_PATH_ESCAPED:
        return request->path;
    case SP_PH_QUERY:
    case SP_PH_QUERY_ESCAPED:
        return request->query;
    case SP_PH_DIR:
        return sp_str_slice(request->path, 0, length_of_dir(request));
    case SP_PH_FILE:
        return sp_str_skip(request->path, length_of_dir(request));
    case SP_PH_HOSTONLY:
        return request->host;
    case SP_PH_PORT:
        return request->port;
    case SP_PH_SCHEME:
        return request->scheme;
    case SP_PH_METHOD:
        return request->method;
    default:
        return nothing;
    }
}

static sp_value_kind_t kind_of(sp_placeholder_t kind)
{
    switch ((int)kind) {
    case SP_PH_HOST:
    case SP_PH_HOSTONLY:
    case SP_PH_PORT:
    case SP_PH_LABEL:
        return SP_VALUE_OWN_HOST;
    case SP_PH_URI:
    case SP_PH_PATH:
    case SP_PH_DIR:
        return SP_VALUE_PATH;
    case SP_PH_USER:
    case SP_PH_PARAMETER:
    case SP_PH_HEADER:
    case SP_PH_COOKIE:
        return SP_VALUE_DECODED;
    default:
        return SP_VALUE_SENT;
    }
}

sp_status_t sp_value_of(const sp_template_part_t *part, const sp_request_t *request,
                        const sp_values_t *values, sp_arena_t *arena, sp_value_kind_t *ret_kind,
                        sp_str_t *ret_value)
{
    sp_placeholder_t kind = (sp_placeholder_t)part->kind;

    *ret_kind = kind_of(kind);
    *ret_value = text_of(kind, request);
    switch ((int)kind) {
    case SP_PH_VALUE:
    case SP_PH_SEGMENT:
    case SP_PH_GROUP:
        *ret_kind = value_of_match(part, values, ret_value);
        return SP_OK;
    case SP_PH_LABEL:
        *ret_value = label_of(request->host, part->number);
        *ret_kind = ret_value->len == 0 ? SP_VALUE_FAULTY : SP_VALUE_OWN_HOST;
        return SP_OK;
    case SP_PH_HOST:
        return host_and_port(request, arena, ret_value);
    case SP_PH_URI_ESCAPED:
    case SP_PH_PATH_ESCAPED:
    case SP_PH_QUERY_ESCAPED:
        return form_encode(*ret_value, arena, ret_value);
    case SP_PH_PARAMETER:
        return sp_query_find(request->query, sp_template_part_text(part), arena, ret_value);
    case SP_PH_HEADER:
        return sp_request_header(request, sp_template_part_text(part), arena, ret_value);
    case SP_PH_COOKIE:
        *ret_value = cookie_of(request, sp_template_part_text(part));
        return SP_OK;
    case SP_PH_USER:
        return user_of(request, arena, ret_value);
    default:
        return SP_OK;
    }
}
