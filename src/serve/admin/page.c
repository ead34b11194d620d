/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/page.h"

#include "http/write_response.h"

#define BODY_SHOWN_MAX 4096 /* octets of a page that is the answer */

static bool is_web_url(sp_str_t url)
{
    return sp_str_starts_with_nocase(url, SP_STR("http://")) ||
           sp_str_starts_with_nocase(url, SP_STR("https://"));
}

static void put_location(sp_buf_t *page, sp_str_t location)
{
    sp_buf_append(page, SP_STR(" <span class=to>&rarr; "));
    if (is_web_url(location)) {
        sp_buf_append(page, SP_STR("<a rel=noreferrer href=\""));
        sp_page_put(page, location);
        sp_buf_append(page, SP_STR("\">"));
        sp_page_put(page, location);
        sp_buf_append(page, SP_STR("</a>"));
    } else {
        sp_page_put(page, location);
    }
    sp_buf_append(page, SP_STR("</span>"));
}

static void put_request(sp_buf_t *page, const sp_explanation_t *explanation)
{
    const sp_raw_request_t *raw = explanation->raw;
    const sp_request_t *request = &explanation->request;
    bool is_readable = explanation->readable;

    sp_buf_append(page, SP_STR("<p class=request><code>"));
    sp_page_put(page, raw->method);
    sp_buf_append_char(page, ' ');
    sp_page_put(page, is_readable ? request->scheme : raw->scheme);
    sp_buf_append(page, SP_STR("://"));
    if (is_readable) {
        sp_page_put(page, request->host);
    } else if (raw->host_count != 0) {
        sp_page_put(page, raw->hosts[0]);
    }
    if (is_readable && request->port.len != 0) {
        sp_buf_append_char(page, ':');
        sp_page_put(page, request->port);
    }
    sp_page_put(page, is_readable ? request->uri : raw->target);
    sp_buf_append(page, SP_STR("</code></p>\n"));
}

static void put_decision(sp_buf_t *page, const sp_outcome_t *outcome)
{
    sp_buf_printf(page, "<section class=\"answer %s\">\n<h2>%u %s",
                  outcome->status < 400 ? "good" : "bad", (unsigned)outcome->status,
                  sp_reason_phrase(outcome->status));
    if (outcome->location.len != 0) {
        put_location(page, outcome->location);
    }
    sp_buf_printf(page, "</h2>\n<p><span class=kind>%s</span>",
                  sp_outcome_kind_name(outcome->kind));
    if (outcome->record.len != 0) {
        sp_buf_append(page, SP_STR(", decided by <code>"));
        sp_page_put(page, outcome->record);
        sp_buf_append(page, SP_STR("</code>"));
    }
    sp_buf_append(page, SP_STR("</p>\n<p class=reason>"));
    sp_page_put(page, outcome->reason);
    sp_buf_append(page, SP_STR("</p>\n</section>\n"));
}

static void put_story(sp_buf_t *page, const sp_explanation_t *explanation)
{
    const sp_trace_t *trace = explanation->trace;

    if (trace == NULL || trace->count == 0) {
        return;
    }
    sp_buf_append(page, SP_STR("<h2>What was asked</h2>\n<ol class=story>\n"));
    for (size_t i = 0; i != trace->count; ++i) {
        sp_page_entry(page, explanation, &trace->entries[i]);
    }
    sp_buf_append(page, SP_STR("</ol>\n"));
}

static bool is_text(const sp_outcome_t *outcome)
{
    for (size_t i = 0; i != outcome->header_count; ++i) {
        if (sp_str_eq_nocase(outcome->headers[i].name, SP_STR("Content-Type"))) {
            return sp_str_starts_with(outcome->headers[i].value, SP_STR("text/")) ||
                   sp_str_starts_with(outcome->headers[i].value, SP_STR("application/json"));
        }
    }
    return false;
}

/* The page of a Go import path or of a registry, whose content is the answer. */
static void put_body(sp_buf_t *page, const sp_outcome_t *outcome)
{
    sp_str_t rest = sp_str_slice(outcome->body, 0, BODY_SHOWN_MAX);

    if (outcome->kind != SP_OUTCOME_PAGE || !is_text(outcome) || rest.len == 0) {
        return;
    }
    sp_buf_append(page, SP_STR("<h2>Body</h2>\n<pre class=txt>"));
    while (rest.ptr != NULL) {
        sp_page_put(page, sp_str_cut(rest, '\n', &rest));
        sp_buf_append_char(page, '\n');
    }
    sp_buf_append(page, SP_STR("</pre>\n"));
}

static void put_headers(sp_buf_t *page, const sp_outcome_t *outcome)
{
    sp_buf_append(page, SP_STR("<h2>What is sent</h2>\n<table class=fields><tbody>\n"));
    for (size_t i = 0; i != outcome->header_count; ++i) {
        sp_buf_append(page, SP_STR("<tr><th scope=row>"));
        sp_page_put(page, outcome->headers[i].name);
        sp_buf_append(page, SP_STR("</th><td>"));
        sp_page_put(page, outcome->headers[i].value);
        sp_buf_append(page, SP_STR("</td></tr>\n"));
    }
    sp_buf_append(page, SP_STR("</tbody></table>\n"));
}

void sp_page_certificate(sp_buf_t *page, sp_str_t sentence)
{
    sp_buf_append(page, SP_STR("<h2>Certificate</h2>\n<p>"));
    sp_page_put(page, sentence);
    sp_buf_append(page, SP_STR("</p>\n"));
}

void sp_page_explanation(sp_buf_t *page, const sp_explanation_t *explanation)
{
    put_request(page, explanation);
    put_decision(page, explanation->outcome);
    put_story(page, explanation);
    put_headers(page, explanation->outcome);
    put_body(page, explanation->outcome);
}
