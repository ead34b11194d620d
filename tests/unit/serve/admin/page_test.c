/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/page.h"

#include <criterion/criterion.h>
#include <string.h>

#define TEXT_MAX ((size_t)65536)

typedef struct page {
    sp_arena_t arena;
    sp_buf_t buf;
} page_t;

static void begin(page_t *page)
{
    sp_arena_init(&page->arena, NULL, 0, 4096);
    sp_buf_init(&page->buf, &page->arena, TEXT_MAX);
}

/* Ends the page and says what it was. */
static const char *text_of(page_t *page)
{
    sp_buf_append_char(&page->buf, '\0');
    cr_assert_eq(page->buf.status, SP_OK);
    return sp_buf_str(&page->buf).ptr;
}

Test(page, escapes_what_comes_from_outside)
{
    page_t page;

    begin(&page);
    sp_page_put(&page.buf, SP_STR("<b a=\"x\" c='y'>&\n\xc3\xbc"));
    cr_expect_str_eq(text_of(&page), "&lt;b a=&#34;x&#34; c=&#39;y&#39;&gt;&amp;\\010\\195\\188");
    sp_arena_clear(&page.arena);
}

static void expect_marked(sp_str_t text, size_t offset, const char *expected)
{
    page_t page;

    begin(&page);
    sp_page_put_marked(&page.buf, text, offset);
    cr_expect_str_eq(text_of(&page), expected);
    sp_arena_clear(&page.arena);
}

Test(page, marks_the_faulty_octet)
{
    expect_marked(SP_STR("code=x"), 5, "code=<mark>x</mark>");
    expect_marked(SP_STR("a<b"), 1, "a<mark>&lt;</mark>b");
    expect_marked(SP_STR("a\xff"), 1, "a<mark>\\255</mark>");
    expect_marked(SP_STR("abc"), 3, "abc<mark class=end>end</mark>");
}

Test(page, fills_the_form_with_what_it_was_sent_with)
{
    sp_page_form_t form = {.url = SP_STR("http://a/\"><script>"),
                           .method = SP_STR("POST"),
                           .headers = SP_STR("A: </textarea>\nB: 2"),
                           .query = SP_STR("url=x&\"y")};
    page_t page;
    const char *text = NULL;

    begin(&page);
    sp_page_form(&page.buf, &form);
    text = text_of(&page);
    cr_expect_not_null(strstr(text, "value=\"http://a/&#34;&gt;&lt;script&gt;\""));
    cr_expect_not_null(strstr(text, "<details open>"));
    cr_expect_not_null(strstr(text, "<option selected>POST</option>"));
    cr_expect_not_null(strstr(text, "A: &lt;/textarea&gt;\nB: 2</textarea>"));
    cr_expect_not_null(strstr(text, "href=\"/explain?url=x&amp;&#34;y&amp;format=json\""));
    cr_expect_null(strstr(text, "<script"));
    sp_arena_clear(&page.arena);
}

Test(page, leaves_an_empty_form_closed)
{
    page_t page;
    const char *text = NULL;

    begin(&page);
    sp_page_form(&page.buf, NULL);
    text = text_of(&page);
    cr_expect_not_null(strstr(text, "value=\"\""));
    cr_expect_not_null(strstr(text, "<details>"));
    cr_expect_null(strstr(text, "format=json"));
    sp_arena_clear(&page.arena);
}
