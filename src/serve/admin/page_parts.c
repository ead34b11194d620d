/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/page.h"

static bool is_plain(char octet)
{
    return (unsigned char)octet >= 0x20 && (unsigned char)octet <= 0x7e;
}

/* RFC 1035, 5.1 */
static void put_octet(sp_buf_t *page, char octet)
{
    sp_buf_printf(page, "\\%03u", (unsigned)(unsigned char)octet);
}

void sp_page_put(sp_buf_t *page, sp_str_t text)
{
    while (text.len != 0) {
        size_t plain = 0;

        while (plain != text.len && is_plain(text.ptr[plain])) {
            ++plain;
        }
        sp_buf_append_html(page, sp_str_slice(text, 0, plain));
        text = sp_str_skip(text, plain);
        if (text.len != 0) {
            put_octet(page, text.ptr[0]);
            text = sp_str_skip(text, 1);
        }
    }
}

void sp_page_put_marked(sp_buf_t *page, sp_str_t text, size_t offset)
{
    sp_page_put(page, sp_str_slice(text, 0, offset));
    if (offset < text.len) {
        sp_buf_append(page, SP_STR("<mark>"));
        sp_page_put(page, sp_str_slice(text, offset, offset + 1));
        sp_buf_append(page, SP_STR("</mark>"));
        sp_page_put(page, sp_str_skip(text, offset + 1));
    } else {
        sp_buf_append(page, SP_STR("<mark class=end>end</mark>"));
    }
}

void sp_page_begin(sp_buf_t *page, sp_str_t title)
{
    sp_buf_append(page, SP_STR("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                               "<meta name=viewport content=\"width=device-width, "
                               "initial-scale=1\">\n<title>"));
    sp_page_put(page, title);
    sp_buf_append(page, SP_STR("</title>\n<link rel=stylesheet href=\"/style.css\">\n</head>\n"
                               "<body>\n<header><a href=\"/\">signpost</a></header>\n<main>\n"));
}

void sp_page_end(sp_buf_t *page)
{
    sp_buf_append(page, SP_STR("</main>\n</body>\n</html>\n"));
}

static void put_method_options(sp_buf_t *page, sp_str_t chosen)
{
    static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"};
    bool is_known = chosen.len == 0;

    for (size_t i = 0; i != SP_COUNT(methods); ++i) {
        bool is_chosen = sp_str_eq(chosen, sp_str_from(methods[i]));

        is_known |= is_chosen;
        sp_buf_printf(page, "<option%s>%s</option>", is_chosen ? " selected" : "", methods[i]);
    }
    if (!is_known) {
        sp_buf_append(page, SP_STR("<option selected>"));
        sp_page_put(page, chosen);
        sp_buf_append(page, SP_STR("</option>"));
    }
}

void sp_page_form(sp_buf_t *page, const sp_page_form_t *form)
{
    static const sp_page_form_t empty = {.url = {"", 0}};
    bool is_open;

    form = form == NULL ? &empty : form;
    is_open = form->headers.len != 0 ||
              (form->method.len != 0 && !sp_str_eq(form->method, SP_STR("GET")));
    sp_buf_append(page, SP_STR("<form action=\"/explain\" method=get>\n"
                               "<label for=url>Where does this URL lead, and why?</label>\n"
                               "<div class=ask><input id=url name=url type=text inputmode=url "
                               "autocapitalize=off autocomplete=off spellcheck=false required "
                               "autofocus placeholder=\"http://www.example.com/\" value=\""));
    sp_page_put(page, form->url);
    sp_buf_append(page, SP_STR("\"> <button>Explain</button></div>\n"));
    sp_buf_append(page, is_open ? SP_STR("<details open>") : SP_STR("<details>"));
    sp_buf_append(page, SP_STR("<summary>Method and headers</summary>\n"
                               "<label for=method>Method</label> <select id=method name=method>"));
    put_method_options(page, form->method);
    sp_buf_append(page, SP_STR("</select>\n<label for=headers>Headers, one a line</label>\n"
                               "<textarea id=headers name=headers rows=3 spellcheck=false "
                               "placeholder=\"Name: value\">\n"));
    sp_buf_append_html(page, form->headers);
    sp_buf_append(page, SP_STR("</textarea>\n</details>\n</form>\n"));
    if (form->url.len != 0) {
        sp_buf_append(page, SP_STR("<p class=other><a href=\"/explain?"));
        sp_page_put(page, form->query);
        sp_buf_append(page, SP_STR("&amp;format=json\">the same as JSON</a></p>\n"));
    }
}

void sp_page_error(sp_buf_t *page, sp_str_t sentence)
{
    sp_buf_append(page, SP_STR("<section class=\"answer bad\" role=alert><p>"));
    sp_page_put(page, sentence);
    sp_buf_append(page, SP_STR("</p></section>\n"));
}
