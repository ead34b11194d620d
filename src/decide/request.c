/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/decide/request.h>

#include <signpost/base/buf.h>
#include <signpost/rule/hostname.h>

#include "decide/forwarded.h"

static sp_status_t check_octets(sp_str_t target, sp_error_t *err)
{
    for (size_t i = 0; i != target.len; ++i) {
        unsigned char c = (unsigned char)target.ptr[i];

        if (c <= 0x20 || c == 0x7f) {
            return sp_fail(err, SP_BAD_VALUE, i,
                           "the request target contains a blank or a control character");
        }
    }
    return SP_OK;
}

/* Splits "http://authority/path?query" (RFC 9112, 3.2.2). */
static bool read_absolute_form(sp_str_t target, sp_str_t *ret_authority, sp_str_t *ret_uri)
{
    sp_str_t rest = {.ptr = NULL, .len = 0};
    size_t end = 0;

    if (sp_str_starts_with_nocase(target, SP_STR("http://"))) {
        rest = sp_str_skip(target, 7);
    } else if (sp_str_starts_with_nocase(target, SP_STR("https://"))) {
        rest = sp_str_skip(target, 8);
    } else {
        return false;
    }
    while (end != rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?' &&
           rest.ptr[end] != '#') {
        ++end;
    }
    *ret_authority = sp_str_slice(rest, 0, end);
    *ret_uri = sp_str_skip(rest, end);
    return true;
}

static sp_status_t set_uri(sp_request_t *request, sp_str_t uri, sp_arena_t *arena)
{
    size_t mark = 0;

    if (uri.len == 0 || uri.ptr[0] != '/') {
        /* Only an absolute form leaves the path out: it is "/" then. */
        char *with_slash = sp_arena_alloc(arena, uri.len + 1);

        if (with_slash == NULL) {
            return SP_NO_MEMORY;
        }
        with_slash[0] = '/';
        for (size_t i = 0; i != uri.len; ++i) {
            with_slash[i + 1] = uri.ptr[i];
        }
        uri = (sp_str_t){.ptr = with_slash, .len = uri.len + 1};
    }
    mark = sp_str_find(uri, '?');
    request->uri = uri;
    request->path = sp_str_slice(uri, 0, mark);
    request->has_query = mark != uri.len;
    request->query = sp_str_skip(uri, mark + 1);
    return SP_OK;
}

static sp_status_t read_target(const sp_raw_request_t *raw, sp_arena_t *arena,
                               sp_request_t *request, sp_str_t *ret_authority, sp_error_t *err)
{
    sp_str_t uri = raw->target;
    sp_status_t status = check_octets(raw->target, err);

    *ret_authority = (sp_str_t){.ptr = NULL, .len = 0};
    if (status != SP_OK) {
        return status;
    }
    if (sp_str_eq(raw->method, SP_STR("CONNECT")) ||
        (!sp_str_starts_with(uri, SP_STR("/")) &&
         !read_absolute_form(raw->target, ret_authority, &uri))) {
        return sp_fail(err, SP_BAD_SYNTAX, 0,
                       "the request target must be a path or an http URL (RFC 9112, 3.2)");
    }
    return set_uri(request, uri, arena);
}

static sp_status_t read_host(const sp_raw_request_t *raw, sp_str_t authority, sp_arena_t *arena,
                             sp_request_t *request, sp_error_t *err)
{
    sp_host_t host;
    sp_status_t status = SP_OK;

    if (raw->host_count > 1) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "the request has more than one Host header");
    }
    request->raw_host = raw->host_count == 0 ? (sp_str_t){.ptr = NULL, .len = 0} : raw->hosts[0];
    if (authority.ptr == NULL) {
        if (raw->host_count == 0) {
            return sp_fail(err, SP_BAD_SYNTAX, 0, "the request names no host");
        }
        authority = sp_str_trim(raw->hosts[0]);
    }
    status = sp_host_read(authority, arena, &host, err);
    if (status == SP_OK) {
        request->host = host.name;
        request->port = host.port;
        request->is_address = host.is_address;
    }
    return status;
}

/* REQ-7. A proxy's word replaces what the connection says. */
static sp_status_t read_forwarded(sp_request_t *request, sp_arena_t *arena, sp_error_t *err)
{
    sp_forwarded_t forwarded;
    sp_host_t host;
    sp_status_t status = sp_forwarded_read(request, arena, &forwarded);

    if (status != SP_OK) {
        return status;
    }
    if (sp_str_eq_nocase(forwarded.proto, SP_STR("https"))) {
        request->scheme = SP_STR("https");
    } else if (sp_str_eq_nocase(forwarded.proto, SP_STR("http"))) {
        request->scheme = SP_STR("http");
    }
    request->client = forwarded.client;
    if (forwarded.host.len == 0) {
        return SP_OK;
    }
    status = sp_host_read(forwarded.host, arena, &host, err);
    if (status == SP_OK) {
        request->host = host.name;
        request->port = host.port;
        request->is_address = host.is_address;
    }
    return status;
}

sp_status_t sp_request_read(const sp_raw_request_t *raw, sp_arena_t *arena,
                            sp_request_t *ret_request, sp_error_t *err)
{
    sp_request_t request = {
        .method = raw->method,
        .scheme = raw->scheme,
        .headers = raw->headers,
        .header_count = raw->header_count,
        .https_port = raw->https_port,
    };
    sp_str_t authority = {.ptr = NULL, .len = 0};
    sp_status_t status = read_target(raw, arena, &request, &authority, err);

    if (status == SP_OK) {
        status = read_host(raw, authority, arena, &request, err);
    }
    if (status == SP_OK && raw->trusted_peer) {
        status = read_forwarded(&request, arena, err);
    }
    if (status == SP_OK) {
        *ret_request = request;
    }
    return status;
}

sp_status_t sp_request_header(const sp_request_t *request, sp_str_t name, sp_arena_t *arena,
                              sp_str_t *ret_value)
{
    sp_buf_t joined;
    sp_str_t only = {.ptr = NULL, .len = 0};
    size_t found = 0;

    sp_buf_init(&joined, arena, SIZE_MAX / 2);
    for (size_t i = 0; i != request->header_count; ++i) {
        sp_str_t value = request->headers[i].value;

        if (!sp_str_eq_nocase(request->headers[i].name, name)) {
            continue;
        }
        if (found == 1) {
            sp_buf_append(&joined, only);
        }
        if (found++ == 0) {
            only = value.ptr == NULL ? SP_STR("") : value;
            continue;
        }
        sp_buf_append_char(&joined, ',');
        sp_buf_append(&joined, value);
    }
    if (found == 0 && sp_str_eq_nocase(name, SP_STR("host"))) {
        only = request->raw_host;
    }
    *ret_value = found < 2 ? only : sp_buf_str(&joined);
    return joined.status;
}
