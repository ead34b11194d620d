/* SPDX-License-Identifier: Apache-2.0 */

/* From a decision to the answer (records.md, sections 6 and 7). */

#include <signpost/base/buf.h>

#include "decide/run.h"

/* ---- header fields ---- */

/* An answer being put together. `headers` has room for all. */
typedef struct response {
    sp_header_t *headers;
    size_t count;
} response_t;

static bool has_header(const response_t *response, sp_str_t name)
{
    for (size_t i = 0; i != response->count; ++i) {
        if (sp_str_eq_nocase(response->headers[i].name, name)) {
            return true;
        }
    }
    return false;
}

static void add_header(response_t *response, sp_str_t name, sp_str_t value)
{
    if (!has_header(response, name)) {
        response->headers[response->count++] = (sp_header_t){.name = name, .value = value};
    }
}

static size_t count_record_headers(const sp_met_t *met)
{
    size_t count = 0;

    for (; met != NULL; met = met->outer) {
        for (const sp_record_header_t *h = met->record->headers; h != NULL; h = h->next) {
            ++count;
        }
    }
    return count;
}

/* Those of all records met, the inner ones first: of one name the first that is added stays. */
static void add_record_headers(response_t *response, const sp_met_t *met)
{
    for (; met != NULL; met = met->outer) {
        for (const sp_record_header_t *h = met->record->headers; h != NULL; h = h->next) {
            add_header(response, h->field.name, h->field.value);
        }
    }
}

/* Our own fields are at most this many. */
#define OWN_HEADERS_MAX 5
#define HTTPS_PORT 443

static bool init_response(sp_run_t *run, response_t *response)
{
    size_t room = count_record_headers(run->met) + OWN_HEADERS_MAX;

    *response = (response_t){
        .headers = sp_arena_zalloc(run->arena, room, sizeof(sp_header_t)),
    };
    if (response->headers == NULL) {
        sp_run_out_of_memory(run);
        return false;
    }
    return true;
}

static void settle(sp_run_t *run, const response_t *response, const sp_outcome_t *outcome)
{
    run->decision->outcome = *outcome;
    run->decision->outcome.headers = response->headers;
    run->decision->outcome.header_count = response->count;
    run->settled = true;
}

static bool request_has_header(const sp_request_t *request, sp_str_t name)
{
    for (size_t i = 0; i != request->header_count; ++i) {
        if (sp_str_eq_nocase(request->headers[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* The field `ref` of the deciding record; `met` is NULL when none decided. */
static void add_referer(const sp_run_t *run, response_t *response, const sp_met_t *met)
{
    if (met != NULL && met->record->ref && !request_has_header(run->request, SP_STR("Referer"))) {
        add_header(response, SP_STR("Referer"), run->request->host);
    }
}

/* ---- redirects ---- */

/* What comes before the link on the page of a redirect. */
static sp_str_t link_page_begin(uint16_t code)
{
    switch (code) {
    case 301:
        return SP_STR("<!doctype html><title>Moved Permanently</title><p><a href=\"");
    case 303:
        return SP_STR("<!doctype html><title>See Other</title><p><a href=\"");
    case 307:
        return SP_STR("<!doctype html><title>Temporary Redirect</title><p><a href=\"");
    case 308:
        return SP_STR("<!doctype html><title>Permanent Redirect</title><p><a href=\"");
    default:
        return SP_STR("<!doctype html><title>Found</title><p><a href=\"");
    }
}

/* A short page with the link, for those who don't follow it by themselves (RFC 9110, 15.4). */
static sp_str_t link_page(sp_run_t *run, sp_str_t location, uint16_t code)
{
    sp_buf_t body;
    size_t begin = 0;
    size_t len = 0;

    sp_buf_init(&body, run->arena, (size_t)16 * SP_LOCATION_MAX);
    sp_buf_reserve(&body, 2 * location.len + 96);
    sp_buf_append(&body, link_page_begin(code));
    begin = body.len;
    sp_buf_append_html(&body, location);
    len = body.len - begin;
    sp_buf_append(&body, SP_STR("\">"));
    sp_buf_append(&body, sp_str_slice(sp_buf_str(&body), begin, begin + len));
    sp_buf_append(&body, SP_STR("</a></p>\n"));
    return body.status == SP_OK ? sp_buf_str(&body) : SP_STR("");
}

static bool wants_body(const sp_request_t *request)
{
    return sp_str_eq(request->method, SP_STR("GET")) || sp_str_eq(request->method, SP_STR("HEAD"));
}

void sp_redirect_to(sp_run_t *run, const sp_met_t *met, sp_str_t location, uint16_t code)
{
    response_t response;
    sp_outcome_t outcome = {
        .kind = met == NULL ? SP_OUTCOME_FALLBACK : SP_OUTCOME_REDIRECT,
        .status = code,
        .location = location,
        .record = met == NULL ? SP_STR("") : met->name,
        .reason = met == NULL ? SP_STR("the configured fallback") : SP_STR("the record's target"),
    };

    if (!init_response(run, &response)) {
        return;
    }
    add_header(&response, SP_STR("Location"), location);
    add_record_headers(&response, run->met);
    if (met != NULL && (code == 301 || code == 308)) {
        add_header(&response, SP_STR("Cache-Control"), SP_STR("max-age=604800"));
    }
    add_referer(run, &response, met);
    if (wants_body(run->request)) {
        add_header(&response, SP_STR("Content-Type"), SP_STR("text/html; charset=utf-8"));
        outcome.body = link_page(run, location, code);
    }
    settle(run, &response, &outcome);
}

bool sp_redirect(sp_run_t *run, const sp_met_t *met, const sp_template_t *target, uint16_t code,
                 const sp_values_t *values)
{
    sp_target_t finished;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = sp_target_finish(
        target, &(sp_expansion_t){.request = run->request, .values = values, .arena = run->arena},
        SP_TARGET_LOCATION, &finished, &err);

    if (status == SP_NO_MEMORY) {
        sp_run_out_of_memory(run);
        return true;
    }
    if (status != SP_OK) {
        sp_run_fault(run, met->name, err.message);
        return false;
    }
    sp_redirect_to(run, met, finished.text, code);
    return true;
}

/* ---- other answers ---- */

void sp_page(sp_run_t *run, const sp_met_t *met, sp_str_t content_type, sp_str_t body,
             sp_header_t extra)
{
    response_t response;

    if (!init_response(run, &response)) {
        return;
    }
    add_record_headers(&response, run->met);
    if (extra.name.len != 0) {
        add_header(&response, extra.name, extra.value);
    }
    add_header(&response, SP_STR("Content-Type"), content_type);
    add_referer(run, &response, met);
    settle(run, &response,
           &(sp_outcome_t){.kind = SP_OUTCOME_PAGE,
                           .status = 200,
                           .body = body,
                           .record = met == NULL ? SP_STR("") : met->name,
                           .reason = SP_STR("a page of its own")});
}

static sp_str_t status_line(uint16_t status)
{
    switch (status) {
    case 400:
        return SP_STR("400 Bad Request");
    case 404:
        return SP_STR("404 Not Found");
    case 508:
        return SP_STR("508 Loop Detected");
    default:
        return SP_STR("503 Service Unavailable");
    }
}

static sp_str_t plain_page(sp_arena_t *arena, uint16_t status, sp_str_t sentence)
{
    sp_buf_t body;

    sp_buf_init(&body, arena, 4096);
    sp_buf_append(&body, status_line(status));
    sp_buf_append(&body, SP_STR("\n\n"));
    sp_buf_append_escaped(&body, sentence);
    sp_buf_append_char(&body, '\n');
    return body.status == SP_OK ? sp_buf_str(&body) : SP_STR("");
}

void sp_refuse(sp_run_t *run, sp_outcome_kind_t kind, uint16_t status, const char *sentence)
{
    response_t response;
    sp_str_t reason = sp_arena_copy(run->arena, sp_str_from(sentence));

    if (reason.ptr == NULL) {
        sp_run_out_of_memory(run);
        return;
    }
    run->met = NULL;
    if (!init_response(run, &response)) {
        return;
    }
    add_header(&response, SP_STR("Content-Type"), SP_STR("text/plain; charset=utf-8"));
    if (status >= 500) {
        add_header(&response, SP_STR("Cache-Control"), SP_STR("no-store"));
    }
    if (status == 503) {
        add_header(&response, SP_STR("Retry-After"), SP_STR("5"));
    }
    settle(run, &response,
           &(sp_outcome_t){.kind = kind,
                           .status = status,
                           .body = plain_page(run->arena, status, reason),
                           .reason = reason});
}

void sp_run_out_of_memory(sp_run_t *run)
{
    static const sp_header_t headers[] = {
        {.name = {.ptr = "Content-Type", .len = 12}, .value = {.ptr = "text/plain", .len = 10}},
        {.name = {.ptr = "Cache-Control", .len = 13}, .value = {.ptr = "no-store", .len = 8}},
        {.name = {.ptr = "Retry-After", .len = 11}, .value = {.ptr = "5", .len = 1}},
    };

    run->decision->outcome = (sp_outcome_t){
        .kind = SP_OUTCOME_LIMITED,
        .status = 503,
        .headers = headers,
        .header_count = SP_COUNT(headers),
        .body = SP_STR("503 Service Unavailable\n\nOut of memory.\n"),
        .reason = SP_STR("out of memory"),
    };
    run->settled = true;
}

/* ---- fallback ---- */

static bool accepts_html(sp_run_t *run)
{
    sp_str_t accept = {.ptr = NULL, .len = 0};

    /* Short of memory, plain text will do. */
    return sp_request_header(run->request, SP_STR("Accept"), run->arena, &accept) == SP_OK &&
           sp_str_search(accept, SP_STR("text/html")) != accept.len;
}

static void answer_not_found(sp_run_t *run)
{
    bool html = accepts_html(run);
    const char *sentence = run->record_was_faulty
                               ? "There is a redirect record for this URL, but it can't be used."
                               : "There is no redirect for this URL.";
    response_t response;

    if (!init_response(run, &response)) {
        return;
    }
    add_record_headers(&response, run->met);
    add_header(&response, SP_STR("Content-Type"),
               html ? SP_STR("text/html; charset=utf-8") : SP_STR("text/plain; charset=utf-8"));
    settle(run, &response,
           &(sp_outcome_t){
               .kind = run->record_was_faulty ? SP_OUTCOME_RECORD_ERROR : SP_OUTCOME_NOT_FOUND,
               .status = 404,
               .body = html ? sp_not_found_html(run, sentence) : sp_not_found_text(run, sentence),
               .record = run->record_was_faulty ? run->fault_name : SP_STR(""),
               .reason = sp_str_from(sentence)});
}

static bool redirect_to_www(sp_run_t *run)
{
    sp_str_t host = run->request->host;
    sp_buf_t location;

    if (!run->policy->fallback_www || run->request->is_address ||
        sp_str_starts_with(host, SP_STR("www."))) {
        return false;
    }
    sp_buf_init(&location, run->arena, SP_LOCATION_MAX);
    sp_buf_append(&location, SP_STR("https://www."));
    sp_buf_append(&location, host);
    if (run->request->https_port != 0 && run->request->https_port != HTTPS_PORT) {
        sp_buf_printf(&location, ":%u", (unsigned)run->request->https_port);
    }
    if (location.status != SP_OK) {
        sp_run_out_of_memory(run);
        return true;
    }
    sp_redirect_to(run, NULL, sp_buf_str(&location), run->policy->fallback_code);
    return true;
}

static bool redirect_to_configured(sp_run_t *run)
{
    sp_target_t target;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    if (run->policy->fallback_redirect.len == 0) {
        return false;
    }
    status = sp_target_finish_text(run->policy->fallback_redirect, run->request, run->arena,
                                   &target, &err);
    if (status == SP_NO_MEMORY) {
        sp_run_out_of_memory(run);
        return true;
    }
    if (status != SP_OK) {
        sp_run_note(run, SP_STR("fallback.redirect"), "can't be used: %s", err.message);
        return false;
    }
    sp_redirect_to(run, NULL, target.text, run->policy->fallback_code);
    return true;
}

void sp_fall_back_globally(sp_run_t *run)
{
    if (!redirect_to_www(run) && !redirect_to_configured(run)) {
        answer_not_found(run);
    }
}

void sp_fall_back(sp_run_t *run, const sp_level_t *level)
{
    for (; level != NULL; level = level->parent) {
        const sp_record_t *record = level->met->record;
        const sp_template_t *target = record->to != NULL        ? record->to
                                      : record->website != NULL ? record->website
                                                                : record->root;

        if (target != NULL) {
            sp_run_note(run, level->met->name, "nothing fits below it: its own target is used");
            if (sp_redirect(run, level->met, target, record->code, &level->values)) {
                return;
            }
        }
    }
    sp_fall_back_globally(run);
}

/* ---- by type ---- */

static void answer_host_type(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    static const sp_values_t none = {.numbered = NULL};

    if (!sp_redirect(run, met, met->record->to, met->record->code,
                     level == NULL ? &none : &level->values)) {
        sp_fall_back(run, level);
    }
}

void sp_answer_record(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    switch (met->record->type) {
    case SP_TYPE_HOST:
        answer_host_type(run, met, level);
        return;
    case SP_TYPE_PATH:
        sp_answer_path(run, met, level);
        return;
    case SP_TYPE_GOMETA:
        sp_answer_gometa(run, met, level);
        return;
    case SP_TYPE_DOCKERV2:
        sp_answer_dockerv2(run, met, level);
        return;
    case SP_TYPE_COUNT:
        return;
    }
}

const sp_outcome_t *sp_outcome_bad_request(const sp_error_t *err, sp_arena_t *arena)
{
    static const sp_header_t headers[] = {
        {.name = {.ptr = "Content-Type", .len = 12},
         .value = {.ptr = "text/plain; charset=utf-8", .len = 25}},
    };
    static const sp_outcome_t bare = {
        .kind = SP_OUTCOME_BAD_REQUEST,
        .status = 400,
        .headers = headers,
        .header_count = SP_COUNT(headers),
        .body = {.ptr = "400 Bad Request\n", .len = 16},
    };
    sp_outcome_t *outcome = sp_arena_alloc(arena, sizeof(*outcome));
    sp_str_t reason = sp_arena_copy(arena, sp_str_from(err->message));

    if (outcome == NULL || reason.ptr == NULL) {
        return &bare;
    }
    *outcome = bare;
    outcome->reason = reason;
    outcome->body = plain_page(arena, 400, reason);
    return outcome;
}
