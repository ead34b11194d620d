/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/request.h"

/* RFC 9110, 5.6.2 */
static bool is_token(sp_str_t text)
{
    static const sp_str_t marks = {"!#$%&'*+-.^_`|~", 15};

    for (size_t i = 0; i != text.len; ++i) {
        if (!sp_is_alnum(text.ptr[i]) && sp_str_find(marks, text.ptr[i]) == marks.len) {
            return false;
        }
    }
    return text.len != 0;
}

static size_t authority_end(sp_str_t text)
{
    size_t end = 0;

    while (end != text.len && text.ptr[end] != '/' && text.ptr[end] != '?' &&
           text.ptr[end] != '#') {
        ++end;
    }
    return end;
}

/* "http" or "https"; *ret_rest is what follows "://". */
static sp_status_t read_scheme(sp_str_t url, sp_str_t *ret_scheme, sp_str_t *ret_rest,
                               sp_error_t *err)
{
    size_t at = sp_str_search(url, SP_STR("://"));
    sp_str_t scheme = sp_str_slice(url, 0, at);

    if (at == url.len || authority_end(url) < at) {
        *ret_scheme = SP_STR("http");
        *ret_rest = url;
        return SP_OK;
    }
    if (sp_str_eq_nocase(scheme, SP_STR("http"))) {
        *ret_scheme = SP_STR("http");
    } else if (sp_str_eq_nocase(scheme, SP_STR("https"))) {
        *ret_scheme = SP_STR("https");
    } else {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "the URL must begin with http:// or https://, not %.*s", (int)scheme.len,
                       scheme.ptr);
    }
    *ret_rest = sp_str_skip(url, at + 3);
    return SP_OK;
}

/* The request target in origin form: path and query, "/" in front when the URL has no path. */
static sp_status_t read_target(sp_str_t rest, sp_arena_t *arena, sp_str_t *ret_target)
{
    sp_str_t target = sp_str_slice(rest, 0, sp_str_find(rest, '#'));
    char *text = NULL;

    if (target.len != 0 && target.ptr[0] == '/') {
        *ret_target = target;
        return SP_OK;
    }
    text = sp_arena_alloc(arena, target.len + 1);
    if (text == NULL) {
        return SP_NO_MEMORY;
    }
    text[0] = '/';
    for (size_t i = 0; i != target.len; ++i) {
        text[i + 1] = target.ptr[i];
    }
    *ret_target = (sp_str_t){.ptr = text, .len = target.len + 1};
    return SP_OK;
}

static sp_status_t read_url(sp_str_t url, sp_arena_t *arena, sp_raw_request_t *raw,
                            sp_str_t *ret_host, sp_error_t *err)
{
    sp_str_t rest = SP_STR("");
    sp_status_t status = read_scheme(url, &raw->scheme, &rest, err);

    if (status != SP_OK) {
        return status;
    }
    *ret_host = sp_str_slice(rest, 0, authority_end(rest));
    if (ret_host->len == 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the URL has no host; expected http://HOST/PATH");
    }
    if (sp_str_find(*ret_host, '@') != ret_host->len) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "the URL has user information, which is no part of a request; give it as "
                       "-H 'Authorization: Basic ...'");
    }
    return read_target(sp_str_skip(rest, ret_host->len), arena, &raw->target);
}

static sp_status_t read_fields(const sp_explain_input_t *input, sp_raw_request_t *raw,
                               sp_str_t *hosts, sp_header_t *headers, sp_error_t *err)
{
    for (size_t i = 0; i != input->field_count; ++i) {
        sp_str_t value;
        sp_str_t name = sp_str_cut(sp_str_from(input->fields[i]), ':', &value);

        if (value.ptr == NULL || !is_token(name)) {
            return sp_fail(err, SP_BAD_VALUE, 0, "a header is given as 'Name: value', not '%s'",
                           input->fields[i]);
        }
        value = sp_str_trim(value);
        if (sp_str_eq_nocase(name, SP_STR("Host"))) {
            hosts[raw->host_count++] = value;
        } else {
            headers[raw->header_count++] = (sp_header_t){.name = name, .value = value};
        }
    }
    return SP_OK;
}

sp_status_t sp_explain_request(const sp_explain_input_t *input, sp_arena_t *arena,
                               sp_raw_request_t *ret_raw, sp_error_t *err)
{
    sp_str_t *hosts = sp_arena_zalloc(arena, input->field_count + 1, sizeof(*hosts));
    sp_header_t *headers = sp_arena_zalloc(arena, input->field_count + 1, sizeof(*headers));
    sp_raw_request_t raw = {.method = sp_str_from(input->method == NULL ? "GET" : input->method)};
    sp_status_t status = SP_OK;

    if (hosts == NULL || headers == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    if (!is_token(raw.method)) {
        return sp_fail(err, SP_BAD_VALUE, 0, "'%s' is no request method", input->method);
    }
    status = read_url(sp_str_from(input->url), arena, &raw, &hosts[0], err);
    if (status == SP_OK) {
        status = read_fields(input, &raw, hosts, headers, err);
    }
    if (status != SP_OK) {
        return status;
    }
    if (raw.host_count == 0) {
        raw.host_count = 1;
    }
    raw.hosts = hosts;
    raw.headers = headers;
    *ret_raw = raw;
    return SP_OK;
}
