/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/template.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *two[] = {"one", "two"};

typedef struct fixture {
    sp_arena_t arena;
    sp_lab_variables_t variables;
    sp_buf_t out;
    sp_error_t err;
} fixture_t;

static void init(fixture_t *fixture)
{
    memset(fixture, 0, sizeof(*fixture));
    sp_arena_init(&fixture->arena, NULL, 0, 1024);
    cr_assert_eq(sp_lab_variables_set(&fixture->variables, "port", "53"), SP_OK);
    cr_assert_eq(sp_lab_variables_set(&fixture->variables, "yes", "yes"), SP_OK);
    cr_assert_eq(sp_lab_variables_set(&fixture->variables, "no", "no"), SP_OK);
    cr_assert_eq(sp_lab_variables_set(&fixture->variables, "empty", ""), SP_OK);
    cr_assert_eq(sp_lab_variables_set_list(&fixture->variables, "list",
                                           (sp_lab_texts_t){.list = two, .count = 2}),
                 SP_OK);
    cr_assert_eq(sp_lab_variables_set_list(&fixture->variables, "none",
                                           (sp_lab_texts_t){.list = NULL, .count = 0}),
                 SP_OK);
}

static sp_status_t fill(fixture_t *fixture, const char *text)
{
    sp_buf_init(&fixture->out, &fixture->arena, 1000);
    return sp_lab_template_fill(sp_str_from(text), "t.in", &fixture->variables, &fixture->out,
                                &fixture->err);
}

static void must_give(const char *text, const char *expected)
{
    fixture_t fixture;
    sp_str_t got;

    init(&fixture);
    cr_assert_eq(fill(&fixture, text), SP_OK, "%s: %s", text, fixture.err.message);
    got = sp_buf_str(&fixture.out);
    cr_expect(sp_str_eq(got, sp_str_from(expected)), "'%s' gave '%.*s'", text, (int)got.len,
              got.ptr);
    sp_arena_clear(&fixture.arena);
}

static void must_refuse(const char *text, const char *place, const char *words)
{
    fixture_t fixture;

    init(&fixture);
    cr_assert_eq(fill(&fixture, text), SP_BAD_SYNTAX, "%s", text);
    cr_expect(strncmp(fixture.err.message, place, strlen(place)) == 0, "%s", fixture.err.message);
    cr_expect(strstr(fixture.err.message, words) != NULL, "%s", fixture.err.message);
    sp_arena_clear(&fixture.arena);
}

Test(lab_template, puts_values_in_place)
{
    must_give("", "");
    must_give("plain { text } }}", "plain { text } }}");
    must_give("port: {{port}};", "port: 53;");
    must_give("{{list}}", "one two");
    must_give("[{{none}}][{{empty}}]", "[][]");
}

Test(lab_template, repeats_for_each_of_a_list)
{
    must_give("{{#list}}<{{.}}>{{/list}}", "<one><two>");
    must_give("{{#none}}<{{.}}>{{/none}}|", "|");
    must_give("{{#list}}{{.}}:{{port}} {{/list}}", "one:53 two:53 ");
    must_give("{{#list}}{{#list}}{{.}}{{/list}};{{/list}}", "onetwo;onetwo;");
}

Test(lab_template, takes_flags_that_hold)
{
    must_give("{{?yes}}a{{/yes}}{{^yes}}b{{/yes}}", "a");
    must_give("{{?no}}a{{/no}}{{^no}}b{{/no}}", "b");
    must_give("{{?empty}}a{{/empty}}{{^empty}}b{{/empty}}", "b");
    must_give("{{?absent}}a{{/absent}}{{^absent}}b{{/absent}}", "b");
    must_give("{{?list}}a{{/list}}{{?none}}b{{/none}}", "a");
    must_give("{{?no}}{{?yes}}a{{/yes}}{{absent}}{{/no}}z", "z");
}

Test(lab_template, leaves_no_line_of_a_tag_alone)
{
    must_give("a\n{{?yes}}\nb\n{{/yes}}\nc\n", "a\nb\nc\n");
    must_give("a\n  {{#list}}\n  {{.}}\n  {{/list}}\nc\n", "a\n  one\n  two\nc\n");
    must_give("a\n{{?no}}\nb\n{{/no}}\nc\n", "a\nc\n");
    must_give("x {{?yes}}\ny{{/yes}}\n", "x \ny\n");
}

Test(lab_template, says_where_the_fault_is)
{
    must_refuse("a\n b {{absent}}", "t.in:2:4: ", "nothing has the name 'absent'");
    must_refuse("{{#absent}}{{/absent}}", "t.in:1:1: ", "no list");
    must_refuse("{{.}}", "t.in:1:1: ", "outside a list");
    must_refuse("{{?yes}}", "t.in:1:1: ", "never closed");
    must_refuse("{{/yes}}", "t.in:1:1: ", "nothing is open");
    must_refuse("{{?yes}}{{#list}}{{/yes}}{{/list}}", "t.in:1:18: ", "nothing is open");
    must_refuse("{{port", "t.in:1:1: ", "never closed");
    must_refuse("{{}}", "t.in:1:1: ", "expected a name");
    must_refuse("{{a b}}", "t.in:1:1: ", "expected a name");
}

Test(lab_template, nests_to_its_limit)
{
    char text[512] = "";
    char closing[256] = "";

    for (int i = 0; i != SP_LAB_TEMPLATE_DEPTH; ++i) {
        (void)strcat(text, "{{?yes}}");
        (void)strcat(closing, "{{/yes}}");
    }
    (void)strcat(text, "x");
    (void)strcat(text, closing);
    must_give(text, "x");
    (void)snprintf(text + strlen(text), 64, "%s", "");
    memmove(text + 8, text, strlen(text) + 1);
    memcpy(text, "{{?yes}}", 8);
    (void)strcat(text, "{{/yes}}");
    must_refuse(text, "t.in:1:65: ", "too deep");
}

Test(lab_template, stops_at_the_room_that_there_is)
{
    fixture_t fixture;

    init(&fixture);
    sp_buf_init(&fixture.out, &fixture.arena, 4);
    cr_expect_eq(sp_lab_template_fill(SP_STR("12345"), "t.in", &fixture.variables, &fixture.out,
                                      &fixture.err),
                 SP_TOO_LONG);
    sp_arena_clear(&fixture.arena);
}

Test(lab_template, holds_so_many_variables_and_no_more)
{
    static char names[SP_LAB_VARIABLES_MAX + 1][16];
    sp_lab_variables_t variables = {.count = 0};

    for (size_t i = 0; i != SP_LAB_VARIABLES_MAX; ++i) {
        (void)snprintf(names[i], sizeof(names[i]), "v%zu", i);
        cr_assert_eq(sp_lab_variables_set(&variables, names[i], "1"), SP_OK);
    }
    cr_expect_eq(sp_lab_variables_set(&variables, "v0", "2"), SP_OK);
    cr_expect_eq(sp_lab_variables_set(&variables, "more", "1"), SP_TOO_LONG);
}
