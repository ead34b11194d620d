/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/forwarded.h"

/* Length of the part before `separator`; quoted strings are passed over. */
static size_t part_length(sp_str_t text, char separator)
{
    bool quoted = false;

    for (size_t i = 0; i != text.len; ++i) {
        if (quoted && text.ptr[i] == '\\' && i + 1 != text.len) {
            ++i;
        } else if (text.ptr[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && text.ptr[i] == separator) {
            return i;
        }
    }
    return text.len;
}

/* A token, or what a quoted string stands for (RFC 9110, 5.6.4). ptr NULL when memory is out. */
static sp_str_t unquote(sp_str_t value, sp_arena_t *arena)
{
    char *plain = NULL;
    size_t len = 0;

    if (value.len < 2 || value.ptr[0] != '"' || value.ptr[value.len - 1] != '"') {
        return value;
    }
    value = sp_str_slice(value, 1, value.len - 1);
    plain = sp_arena_alloc(arena, value.len);
    if (plain == NULL) {
        return (sp_str_t){.ptr = NULL, .len = 0};
    }
    for (size_t i = 0; i != value.len; ++i) {
        if (value.ptr[i] == '\\' && i + 1 != value.len) {
            ++i;
        }
        plain[len++] = value.ptr[i];
    }
    return (sp_str_t){.ptr = plain, .len = len};
}

/* "192.0.2.1:80" and "[2001:db8::1]:80" without port and brackets; a bare IPv6 address stays. */
static sp_str_t address_of(sp_str_t node)
{
    size_t colon = sp_str_find(node, ':');

    if (node.len != 0 && node.ptr[0] == '[') {
        return sp_str_slice(node, 1, sp_str_find(node, ']'));
    }
    return colon == sp_str_find_last(node, ':') ? sp_str_slice(node, 0, colon) : node;
}

static sp_status_t read_element(sp_str_t element, sp_arena_t *arena, sp_forwarded_t *forwarded)
{
    while (element.len != 0) {
        size_t end = part_length(element, ';');
        sp_str_t pair = sp_str_slice(element, 0, end);
        sp_str_t value = {.ptr = NULL, .len = 0};
        sp_str_t name = sp_str_trim(sp_str_cut(pair, '=', &value));

        element = sp_str_skip(element, end + 1);
        if (value.ptr == NULL) {
            continue;
        }
        value = unquote(sp_str_trim(value), arena);
        if (value.ptr == NULL) {
            return SP_NO_MEMORY;
        }
        if (sp_str_eq_nocase(name, SP_STR("proto"))) {
            forwarded->proto = value;
        } else if (sp_str_eq_nocase(name, SP_STR("host"))) {
            forwarded->host = value;
        } else if (sp_str_eq_nocase(name, SP_STR("for"))) {
            forwarded->client = address_of(value);
        }
    }
    return SP_OK;
}

/* The first element of the first header of that name: ptr NULL when there is none. */
static sp_str_t first_element(const sp_request_t *request, sp_str_t name)
{
    for (size_t i = 0; i != request->header_count; ++i) {
        if (sp_str_eq_nocase(request->headers[i].name, name)) {
            sp_str_t value = request->headers[i].value;

            return sp_str_trim(sp_str_slice(value, 0, part_length(value, ',')));
        }
    }
    return (sp_str_t){.ptr = NULL, .len = 0};
}

static bool is_http(sp_str_t proto)
{
    return sp_str_eq_nocase(proto, SP_STR("http")) || sp_str_eq_nocase(proto, SP_STR("https"));
}

sp_status_t sp_forwarded_read(const sp_request_t *request, sp_arena_t *arena,
                              sp_forwarded_t *ret_forwarded)
{
    sp_forwarded_t forwarded = {.proto = {.ptr = NULL, .len = 0}};
    sp_status_t status =
        read_element(first_element(request, SP_STR("Forwarded")), arena, &forwarded);

    if (status != SP_OK) {
        return status;
    }
    if (!is_http(forwarded.proto)) {
        forwarded.proto = first_element(request, SP_STR("X-Forwarded-Proto"));
    }
    if (forwarded.host.len == 0) {
        forwarded.host = first_element(request, SP_STR("X-Forwarded-Host"));
    }
    if (forwarded.client.len == 0) {
        forwarded.client = address_of(first_element(request, SP_STR("X-Forwarded-For")));
    }
    *ret_forwarded = forwarded;
    return SP_OK;
}
