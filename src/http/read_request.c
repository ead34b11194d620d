/* SPDX-License-Identifier: Apache-2.0 */
#include "http/read_request.h"

#include "http/request_head.h"

static sp_str_t slice(h2o_iovec_t vector)
{
    return (sp_str_t){.ptr = vector.base, .len = vector.len};
}

bool sp_is_http1(const h2o_req_t *req)
{
    return req->conn->callbacks->log_.http1.request_index != NULL;
}

sp_str_t sp_host_of(const h2o_req_t *req)
{
    sp_str_t host = slice(req->input.authority);

    if (host.ptr == req->hostconf->authority.hostport.base) {
        host = sp_str_from(NULL); /* the library's stand-in for a host that is not there */
    }
    return host;
}

/* HTTP/1: the head still stands at the front of the socket's input while the handler runs, also
 * with a body, and until the response is complete. */
static sp_status_t read_head(h2o_req_t *req, sp_arena_t *arena, sp_raw_request_t *raw,
                             sp_error_t *err)
{
    h2o_buffer_t *input = req->conn->callbacks->get_socket(req->conn)->input;
    sp_request_head_t head = {0};
    sp_status_t status = sp_request_head_read((sp_str_t){.ptr = input->bytes, .len = input->size},
                                              arena, &head, err);

    if (status == SP_OK) {
        raw->hosts = head.hosts;
        raw->host_count = head.host_count;
        raw->headers = head.headers;
        raw->header_count = head.header_count;
    }
    return status;
}

void sp_correct_library(void)
{
    H2O_TOKEN_HOST->http2_should_reject = 0;
    H2O_TOKEN_UPGRADE->is_init_header_special = 0;
}

typedef struct fields {
    sp_header_t *headers;
    size_t header_count;
    sp_str_t *hosts;
    size_t host_count;
    size_t size; /* of all names and values */
} fields_t;

static sp_status_t keep_field(fields_t *fields, const h2o_header_t *field, sp_error_t *err)
{
    sp_header_t header = {.name = slice(*field->name), .value = slice(field->value)};

    if (header.name.len == 0) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "a header field must have a name");
    }
    fields->size += header.name.len + header.value.len;
    if (field->name != &H2O_TOKEN_HOST->buf) {
        fields->headers[fields->header_count++] = header;
    } else if (fields->host_count == 0 || !sp_str_eq_nocase(fields->hosts[0], header.value)) {
        fields->hosts[fields->host_count++] = header.value; /* another than :authority */
    }
    return SP_OK;
}

static sp_status_t keep_fields(fields_t *fields, const h2o_req_t *req, sp_error_t *err)
{
    sp_status_t status = SP_OK;
    sp_str_t authority = sp_host_of(req);

    if (authority.ptr != NULL) {
        fields->hosts[fields->host_count++] = authority;
    }
    for (size_t i = 0; status == SP_OK && i != req->headers.size; ++i) {
        status = keep_field(fields, &req->headers.entries[i], err);
    }
    if (status == SP_OK && fields->size > SP_HEAD_SIZE_MAX) {
        return sp_fail(err, SP_TOO_LONG, SP_HEAD_SIZE_MAX,
                       "the header fields together may have at most %zu octets", SP_HEAD_SIZE_MAX);
    }
    return status;
}

/* HTTP/2. */
static sp_status_t read_fields(const h2o_req_t *req, sp_arena_t *arena, sp_raw_request_t *raw,
                               sp_error_t *err)
{
    size_t count = req->headers.size + 1; /* :authority too */
    fields_t fields = {
        .headers = sp_arena_zalloc(arena, count, sizeof(sp_header_t)),
        .hosts = sp_arena_zalloc(arena, count, sizeof(sp_str_t)),
        .size = raw->method.len + raw->target.len + req->input.authority.len,
    };
    sp_status_t status = SP_NO_MEMORY;

    if (fields.headers != NULL && fields.hosts != NULL) {
        status = keep_fields(&fields, req, err);
    }
    if (status == SP_OK) {
        raw->hosts = fields.hosts;
        raw->host_count = fields.host_count;
        raw->headers = fields.headers;
        raw->header_count = fields.header_count;
    }
    return status;
}

static bool is_visible(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == '\x7f') {
            return false;
        }
    }
    return true;
}

static sp_status_t check_line(const sp_raw_request_t *raw, sp_error_t *err)
{
    if (sp_str_eq(raw->method, SP_STR("CONNECT"))) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "this server is no proxy: CONNECT is not possible");
    }
    if (raw->method.len == 0 || !is_visible(raw->method) || !is_visible(raw->target)) {
        return sp_fail(
            err, SP_BAD_SYNTAX, 0,
            "the request's method and target must not have blanks or control characters");
    }
    return SP_OK;
}

sp_status_t sp_read_request(h2o_req_t *req, sp_arena_t *arena, sp_raw_request_t *ret_raw,
                            sp_error_t *err)
{
    sp_raw_request_t raw = {
        .method = slice(req->input.method),
        .target = slice(req->input.path),
        .scheme = req->input.scheme == &H2O_URL_SCHEME_HTTPS ? SP_STR("https") : SP_STR("http"),
    };
    sp_status_t status =
        sp_is_http1(req) ? read_head(req, arena, &raw, err) : read_fields(req, arena, &raw, err);

    if (status == SP_OK) {
        status = check_line(&raw, err);
    }
    if (status == SP_OK) {
        *ret_raw = raw;
    }
    return status;
}
