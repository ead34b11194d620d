/* SPDX-License-Identifier: Apache-2.0 */
#include "http/write_response.h"

#include "http/read_request.h"

static const struct {
    unsigned status;
    const char *phrase;
} phrases[] = {
    {200, "OK"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {413, "Content Too Large"},
    {417, "Expectation Failed"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
    {508, "Loop Detected"},
};

const char *sp_reason_phrase(unsigned status)
{
    for (size_t i = 0; i != SP_COUNT(phrases); ++i) {
        if (phrases[i].status == status) {
            return phrases[i].phrase;
        }
    }
    return "Unknown";
}

/* Fields that most answers have. The library knows them as tokens: shorter on HTTP/2's wire, and
 * nothing has to be looked up or copied. */
static const struct {
    sp_str_t name;
    h2o_token_t *token;
} frequent[] = {
    {{.ptr = "Location", .len = 8}, H2O_TOKEN_LOCATION},
    {{.ptr = "Content-Type", .len = 12}, H2O_TOKEN_CONTENT_TYPE},
    {{.ptr = "Server", .len = 6}, H2O_TOKEN_SERVER},
    {{.ptr = "Cache-Control", .len = 13}, H2O_TOKEN_CACHE_CONTROL},
};

static h2o_token_t *find_token(sp_str_t name)
{
    for (size_t i = 0; i != SP_COUNT(frequent); ++i) {
        if (sp_str_eq(frequent[i].name, name)) {
            return frequent[i].token;
        }
    }
    return NULL;
}

/* HTTP/2 forbids capital letters in names (RFC 9113, 8.2); HTTP/1 keeps ours as they are. */
static sp_str_t name_for(h2o_req_t *req, sp_str_t name)
{
    h2o_iovec_t lower = {0};

    if (sp_is_http1(req)) {
        return name;
    }
    lower = h2o_strdup(&req->pool, name.ptr, name.len);
    for (size_t i = 0; i != lower.len; ++i) {
        lower.base[i] = sp_to_lower(lower.base[i]);
    }
    return (sp_str_t){.ptr = lower.base, .len = lower.len};
}

static h2o_iovec_t vector_of(sp_str_t text)
{
    return h2o_iovec_init(text.ptr, text.len);
}

/* There is room for it. */
static void add_header(h2o_req_t *req, const sp_header_t *header)
{
    h2o_headers_t *headers = &req->res.headers;
    h2o_token_t *token = find_token(header->name);
    sp_str_t name;

    if (token != NULL) {
        /* As h2o_add_header does, but for its copy of the name. */
        headers->entries[headers->size++] = (h2o_header_t){
            .name = &token->buf, .orig_name = header->name.ptr, .value = vector_of(header->value)};
        return;
    }
    name = name_for(req, header->name);
    h2o_add_header_by_str(&req->pool, headers, name.ptr, name.len, !sp_is_http1(req), NULL,
                          header->value.ptr, header->value.len);
}

static void add_headers(h2o_req_t *req, const sp_outcome_t *outcome)
{
    static const sp_header_t server = {{.ptr = "Server", .len = 6}, {.ptr = "signpost", .len = 8}};
    bool has_server = false;

    h2o_vector_reserve(&req->pool, &req->res.headers, outcome->header_count + 1);
    for (size_t i = 0; i != outcome->header_count; ++i) {
        has_server |= sp_str_eq_nocase(outcome->headers[i].name, server.name);
        add_header(req, &outcome->headers[i]);
    }
    if (!has_server) {
        add_header(req, &server);
    }
}

void sp_write_response(h2o_req_t *req, const sp_outcome_t *outcome, h2o_generator_t *generator)
{
    bool is_head = h2o_memis(req->input.method.base, req->input.method.len, H2O_STRLIT("HEAD"));
    h2o_iovec_t body = vector_of(outcome->body);

    if (req->conn->ctx->shutdown_requested != 0) {
        req->http1_is_persistent = 0;
    }
    req->res.status = outcome->status;
    req->res.reason = sp_reason_phrase(outcome->status);
    /* RFC 9110, 8.6: no Content-Length with 204 */
    req->res.content_length = outcome->status == 204 ? SIZE_MAX : outcome->body.len;
    add_headers(req, outcome);
    h2o_start_response(req, generator);
    /* An empty vector would count as an unfinished write and cost four system calls more. */
    h2o_send(req, &body, is_head || body.len == 0 ? 0 : 1, H2O_SEND_STATE_FINAL);
}
