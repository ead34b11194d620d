/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/reply.h"

#include <stdarg.h>
#include <stdio.h>

#include "explain/json.h"

#define HEADERS_MAX 6
#define SENTENCE_MAX 400

#define HEADER(name, value)                                                                        \
    {                                                                                              \
        {(name), sizeof(name) - 1},                                                                \
        {                                                                                          \
            (value), sizeof(value) - 1                                                             \
        }                                                                                          \
    }

static const sp_header_t no_store = HEADER("Cache-Control", "no-store");
static const sp_header_t no_sniff = HEADER("X-Content-Type-Options", "nosniff");
static const sp_header_t no_referrer = HEADER("Referrer-Policy", "no-referrer");
static const sp_header_t policy =
    HEADER("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; "
                                      "base-uri 'none'; frame-ancestors 'none'");

static const sp_outcome_t no_memory = {.kind = SP_OUTCOME_LIMITED, .status = 503};

static void answer(sp_call_t *call, unsigned status, sp_str_t type, sp_str_t body, sp_str_t allow)
{
    sp_arena_t *arena = sp_call_arena(call);
    sp_outcome_t *outcome = sp_arena_zalloc(arena, 1, sizeof(*outcome));
    sp_header_t *headers = sp_arena_zalloc(arena, HEADERS_MAX, sizeof(*headers));
    size_t count = 0;

    if (outcome == NULL || headers == NULL) {
        sp_call_answer(call, &no_memory);
        return;
    }
    headers[count++] = no_store;
    headers[count++] = no_sniff;
    if (type.len != 0) {
        headers[count++] = (sp_header_t){.name = SP_STR("Content-Type"), .value = type};
    }
    if (sp_str_starts_with(type, SP_STR("text/html"))) {
        headers[count++] = policy;
        headers[count++] = no_referrer;
    }
    if (allow.len != 0) {
        headers[count++] = (sp_header_t){.name = SP_STR("Allow"), .value = allow};
    }
    outcome->status = (uint16_t)status;
    outcome->headers = headers;
    outcome->header_count = count;
    outcome->body = body;
    sp_call_answer(call, outcome);
}

void sp_reply_begin(sp_call_t *call, sp_buf_t *ret_body)
{
    sp_buf_init(ret_body, sp_call_arena(call), SP_REPLY_MAX);
}

void sp_reply_body(sp_call_t *call, unsigned status, sp_str_t type, const sp_buf_t *body)
{
    if (body->status != SP_OK) {
        sp_call_answer(call, &no_memory);
        return;
    }
    answer(call, status, type, sp_buf_str(body), SP_STR(""));
}

static int append(const char *text, size_t len, void *arg)
{
    sp_buf_t *body = arg;

    sp_buf_append(body, (sp_str_t){.ptr = text, .len = len});
    return body->status == SP_OK ? 0 : -1;
}

static void answer_json_own(sp_call_t *call, unsigned status, json_t *root, sp_str_t allow)
{
    sp_buf_t body;

    sp_reply_begin(call, &body);
    if (root == NULL || json_dump_callback(root, append, &body, JSON_INDENT(2)) != 0) {
        json_decref(root);
        sp_call_answer(call, &no_memory);
        return;
    }
    json_decref(root);
    sp_buf_append_char(&body, '\n');
    if (body.status != SP_OK) {
        sp_call_answer(call, &no_memory);
        return;
    }
    answer(call, status, SP_STR("application/json"), sp_buf_str(&body), allow);
}

void sp_reply_json_own(sp_call_t *call, unsigned status, json_t *root)
{
    answer_json_own(call, status, root, SP_STR(""));
}

void sp_reply_error(sp_call_t *call, unsigned status, const char *format, ...)
{
    char text[SENTENCE_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sp_reply_json_own(call, status, json_pack("{so}", "error", sp_json_str(sp_str_from(text))));
}

void sp_reply_nothing(sp_call_t *call)
{
    answer(call, 204, SP_STR(""), SP_STR(""), SP_STR(""));
}

void sp_reply_not_allowed(sp_call_t *call, sp_str_t allow)
{
    answer_json_own(call, 405, json_pack("{ss}", "error", "this method is not allowed here"),
                    allow);
}

bool sp_reply_wants_html(const sp_call_t *call)
{
    sp_str_t accept = sp_call_accept(call);

    return sp_str_search(accept, SP_STR("text/html")) != accept.len;
}
