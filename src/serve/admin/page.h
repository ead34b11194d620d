/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_PAGE_H
#define SIGNPOST_SERVE_ADMIN_PAGE_H

/* Pages for people: plain HTML that needs no script. Whatever comes from outside is escaped, octets
 * that are no printable ASCII are shown as a zone file would write them. */

#include <signpost/base/buf.h>

#include "explain/run.h"

/* What a form was sent with. */
typedef struct sp_page_form {
    sp_str_t url;
    sp_str_t method;
    sp_str_t headers; /* lines */
    sp_str_t query;   /* as it came: for the link to the same as JSON */
} sp_page_form_t;

void sp_page_begin(sp_buf_t *page, sp_str_t title);
void sp_page_end(sp_buf_t *page);

/* The form that asks for a URL, filled with `form` (NULL: empty). */
void sp_page_form(sp_buf_t *page, const sp_page_form_t *form);

void sp_page_error(sp_buf_t *page, sp_str_t sentence);

/* The answer, and how it came about. The explanation has an outcome. */
void sp_page_explanation(sp_buf_t *page, const sp_explanation_t *explanation);

/* What about its certificate, as a sentence. */
void sp_page_certificate(sp_buf_t *page, sp_str_t sentence);

/* page_parts.c: text from outside; and a record's text with its faulty octet marked. */
void sp_page_put(sp_buf_t *page, sp_str_t text);
void sp_page_put_marked(sp_buf_t *page, sp_str_t text, size_t offset);

/* page_lookup.c: one entry of the story. */
void sp_page_entry(sp_buf_t *page, const sp_explanation_t *explanation,
                   const sp_trace_entry_t *entry);

/* page_style.c */
sp_str_t sp_page_style(void);

#endif
