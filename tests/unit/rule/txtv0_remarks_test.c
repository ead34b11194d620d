/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/record.h>
#include <stdio.h>
#include <string.h>

static char codes[1024]; /* "code@offset " of each remark, in order */
static char messages[4096];

static void listen(void *arg, const sp_remark_t *remark)
{
    size_t len = strlen(codes);

    (void)arg;
    (void)snprintf(codes + len, sizeof(codes) - len, "%s@%zu ", remark->code, remark->offset);
    len = strlen(messages);
    (void)snprintf(messages + len, sizeof(messages) - len, "%s|%s\n", remark->message,
                   remark->advice);
}

/* What is remarked about `text`, which reads well or not. */
static const char *remarks_about(const char *text)
{
    sp_arena_t arena;
    sp_record_t record = {.re = NULL};

    codes[0] = '\0';
    messages[0] = '\0';
    sp_arena_init(&arena, NULL, 0, 1024);
    (void)sp_dialect_txtv0.parse(sp_str_from(text), &arena, listen, NULL, &record, NULL);
    sp_record_clear(&record);
    sp_arena_clear(&arena);
    return codes;
}

Test(remarks, there_are_none_about_a_proper_record)
{
    cr_expect_str_eq(remarks_about("v=txtv0;to=https://example.com{uri};code=301"), "");
    cr_expect_str_eq(remarks_about("v=txtv0;type=path;re=(?P<a>x);root=/a;>X-A=1"), "");
    cr_expect_str_eq(remarks_about("v=txtv0;use=_redirect.example.com"), "");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/a/b.html"), "");
    cr_expect_str_eq(remarks_about("v=txtv0;to=./b.html"), "");
    cr_expect_str_eq(remarks_about("v=txtv0;to={scheme}://example.com/"), "");
}

Test(remarks, tell_of_quotes_and_backslashes)
{
    cr_expect_str_eq(remarks_about("\"v=txtv0;to=/\""), "quotes-in-data@0 ");
    cr_expect_str_eq(remarks_about("v=txtv0\\;to=/"), "backslash-in-data@7 ");
}

Test(remarks, tell_of_ignored_fields)
{
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;word"), "no-equals-sign@13 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;colour=red"), "unknown-key@13 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;>X=%zz"), "header-ignored@14 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;>Date=now"), "header-ignored@14 ");
}

Test(remarks, guess_what_a_misspelt_key_was_meant_to_be)
{
    static const struct {
        const char *text;
        const char *guess;
    } typos[] = {{"v=txtv0;to=/;cod=301", "'code='"},
                 {"v=txtv0;to=/;codes=301", "'code='"},
                 {"v=txtv0;to=/;kode=301", "'code='"},
                 {"v=txtv0;to=/;CODE=301", "'code='"},
                 {"v=txtv0;to=/;webseite=/", "'website='"}};

    for (size_t i = 0; i != SP_COUNT(typos); ++i) {
        cr_expect_str_eq(remarks_about(typos[i].text), "unknown-key@13 ");
        cr_expect_not_null(strstr(messages, typos[i].guess), "%s", messages);
    }
    (void)remarks_about("v=txtv0;to=/;colour=red");
    cr_expect_null(strstr(messages, "did you mean"));
}

Test(remarks, tell_of_repeated_keys)
{
    cr_expect_str_eq(remarks_about("v=txtv0;to=/a;to=/b"), "repeated-key@14 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;>A=1;>a=2"), "repeated-key@19 ");
    cr_expect_str_eq(remarks_about("v=txtv0;use=_redirect.a;use=_redirect.b"), "");
}

Test(remarks, tell_of_a_use_that_names_no_record)
{
    cr_expect_str_eq(remarks_about("v=txtv0;use=example.com"), "bad-use@12 ");
    cr_expect_str_eq(remarks_about("v=txtv0;use=_redirect."), "bad-use@12 ");
}

Test(remarks, tell_of_an_expression_that_is_not_valid)
{
    cr_expect_str_eq(remarks_about("v=txtv0;type=path;re=(a"), "bad-regex@21 ");
}

Test(remarks, tell_of_likely_slips_in_targets)
{
    cr_expect_str_eq(remarks_about("v=txtv0;to=example.com"), "missing-scheme@11 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=example.com:80/a"), "missing-scheme@11 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=https:/example.com"), "no-host@11 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=https://"), "no-host@11 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=https:///a"), "no-host@11 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=ftp://example.com"), "bad-scheme@11 ");
    cr_expect_str_eq(remarks_about("v=txtv0;type=path;root=mailto:a"), "bad-scheme@23 ");
}

Test(remarks, tell_of_braces_that_are_no_placeholder)
{
    cr_expect_str_eq(remarks_about("v=txtv0;to=/{a-b}"), "unknown-placeholder@12 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/{path"), "unknown-placeholder@12 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/{label0}"), "bad-label@13 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/{name}"), "group-placeholder@13 ");
}

Test(remarks, tell_of_fields_that_the_type_does_not_read)
{
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;root=/a"), "ignored-key@18 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;website=/a"), "ignored-key@21 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;from=/$1"), "ignored-key@18 ");
    cr_expect_str_eq(remarks_about("v=txtv0;type=gometa;to=https://a.example;root=/"),
                     "ignored-key@46 ");
}

Test(remarks, tell_of_fields_that_exclude_each_other)
{
    cr_expect_str_eq(remarks_about("v=txtv0;type=path;re=a;from=/$1"), "re-and-from@28 ");
    cr_expect_str_eq(remarks_about("v=txtv0;to=/;use=_redirect.a"), "to-beside-use@11 ");
}

Test(remarks, tell_of_a_missing_version)
{
    cr_expect_str_eq(remarks_about("to=/"), "no-version@0 ");
}

Test(remarks, are_printable_whatever_the_record_holds)
{
    (void)remarks_about("v=txtv0;to=/;\x1b[31m\xff\n\x01x=1;\x7f;to=/{\x02}");
    for (const char *c = messages; *c != '\0'; ++c) {
        cr_expect(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    }
    cr_expect_neq(messages[0], '\0');
}

Test(remarks, give_offsets_in_the_text_as_it_was_given)
{
    cr_expect_str_eq(remarks_about("\"v=txtv0\\;to=/\\;word\""),
                     "quotes-in-data@0 backslash-in-data@8 no-equals-sign@16 ");
}
