/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/template.h>
#include <string.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 4096);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(template, .init = start, .fini = finish);

static const sp_template_t *parse(const char *text)
{
    const sp_template_t *parsed = sp_template_parse(sp_str_from(text), &arena);

    cr_assert_not_null(parsed);
    EXPECT_STR(parsed->text, text);
    return parsed;
}

/* The only part of `text`. */
static const sp_template_part_t *only_part(const char *text)
{
    const sp_template_t *parsed = parse(text);

    cr_assert_eq(parsed->part_count, 1, "%s", text);
    return &parsed->parts[0];
}

static void expect_literal(const char *text)
{
    const sp_template_part_t *part = only_part(text);

    cr_expect_eq(part->kind, SP_PH_LITERAL, "%s", text);
    EXPECT_STR(sp_template_part_text(part), text);
}

Test(template, without_braces_is_one_literal)
{
    expect_literal("https://example.com/a?b#c");
}

Test(template, may_be_empty)
{
    cr_expect_eq(parse("")->part_count, 0);
}

Test(template, alternates_literals_and_placeholders)
{
    const sp_template_t *parsed = parse("https://{host}/x{path}{query}");

    cr_assert_eq(parsed->part_count, 5);
    EXPECT_STR(sp_template_part_text(&parsed->parts[0]), "https://");
    cr_expect_eq(parsed->parts[1].kind, SP_PH_HOST);
    EXPECT_STR(sp_template_part_text(&parsed->parts[2]), "/x");
    cr_expect_eq(parsed->parts[3].kind, SP_PH_PATH);
    cr_expect_eq(parsed->parts[4].kind, SP_PH_QUERY);
}

Test(template, knows_every_plain_placeholder)
{
    static const struct {
        const char *text;
        sp_placeholder_t kind;
    } known[] = {{"{uri}", SP_PH_URI},
                 {"{path}", SP_PH_PATH},
                 {"{query}", SP_PH_QUERY},
                 {"{uri_escaped}", SP_PH_URI_ESCAPED},
                 {"{path_escaped}", SP_PH_PATH_ESCAPED},
                 {"{query_escaped}", SP_PH_QUERY_ESCAPED},
                 {"{dir}", SP_PH_DIR},
                 {"{file}", SP_PH_FILE},
                 {"{host}", SP_PH_HOST},
                 {"{hostonly}", SP_PH_HOSTONLY},
                 {"{port}", SP_PH_PORT},
                 {"{scheme}", SP_PH_SCHEME},
                 {"{method}", SP_PH_METHOD},
                 {"{user}", SP_PH_USER},
                 {"{fragment}", SP_PH_FRAGMENT}};

    for (size_t i = 0; i != SP_COUNT(known); ++i) {
        cr_expect_eq(only_part(known[i].text)->kind, known[i].kind, "%s", known[i].text);
    }
}

Test(template, names_are_lower_case)
{
    cr_expect_eq(only_part("{Path}")->kind, SP_PH_GROUP, "only a group could be called so");
}

Test(template, reads_parameters_headers_and_cookies_up_to_the_brace)
{
    EXPECT_STR(sp_template_part_text(only_part("{?a b/c}")), "a b/c");
    cr_expect_eq(only_part("{?key}")->kind, SP_PH_PARAMETER);
    EXPECT_STR(sp_template_part_text(only_part("{>X-Name}")), "X-Name");
    cr_expect_eq(only_part("{>X-Name}")->kind, SP_PH_HEADER);
    EXPECT_STR(sp_template_part_text(only_part("{~id}")), "id");
    cr_expect_eq(only_part("{~id}")->kind, SP_PH_COOKIE);
    expect_literal("{?}");
    expect_literal("{>}");
    expect_literal("{~}");
}

Test(template, numbers_labels)
{
    cr_expect_eq(only_part("{label1}")->kind, SP_PH_LABEL);
    cr_expect_eq(only_part("{label1}")->number, 1);
    cr_expect_eq(only_part("{label65535}")->number, 65535);
    cr_expect_eq(only_part("{label}")->kind, SP_PH_LABEL);
    cr_expect_eq(only_part("{label}")->number, 0, "no usable number");
    cr_expect_eq(only_part("{labelx}")->number, 0);
    cr_expect_eq(only_part("{label0}")->number, 0);
    cr_expect_eq(only_part("{label65536}")->number, 0);
}

Test(template, numbers_values_and_segments)
{
    cr_expect_eq(only_part("{1}")->kind, SP_PH_VALUE);
    cr_expect_eq(only_part("{1}")->number, 1);
    cr_expect_eq(only_part("{$12}")->kind, SP_PH_SEGMENT);
    cr_expect_eq(only_part("{$12}")->number, 12);
    cr_expect_eq(only_part("{99999999999}")->number, 65535, "never there");
}

Test(template, takes_other_words_for_groups)
{
    cr_expect_eq(only_part("{name}")->kind, SP_PH_GROUP);
    EXPECT_STR(sp_template_part_text(only_part("{name}")), "name");
    EXPECT_STR(sp_template_part_text(only_part("{$name_2}")), "$name_2");
    cr_expect_eq(only_part("{$path}")->kind, SP_PH_GROUP);
}

Test(template, keeps_braces_that_are_no_placeholder)
{
    static const char *const literals[] = {"{}",    "{",          "}",        "{path",
                                           "path}", "{a-b}",      "{ path }", "{$}",
                                           "{!x}",  "{\xc3\xbc}", "{{",       "}{"};

    for (size_t i = 0; i != SP_COUNT(literals); ++i) {
        expect_literal(literals[i]);
    }
}

Test(template, takes_the_inner_of_nested_braces)
{
    const sp_template_t *parsed = parse("{a{path}}");

    cr_assert_eq(parsed->part_count, 3);
    EXPECT_STR(sp_template_part_text(&parsed->parts[0]), "{a");
    cr_expect_eq(parsed->parts[1].kind, SP_PH_PATH);
    EXPECT_STR(sp_template_part_text(&parsed->parts[2]), "}");
}

Test(template, of_the_greatest_length_is_read, .timeout = 60)
{
    char *text = sp_arena_zalloc(&arena, 1, UINT16_MAX);
    const sp_template_t *parsed = NULL;

    cr_assert_not_null(text);
    memset(text, '{', UINT16_MAX);
    text[UINT16_MAX - 1] = '}';
    parsed = sp_template_parse((sp_str_t){.ptr = text, .len = UINT16_MAX}, &arena);
    cr_assert_not_null(parsed);
    cr_expect_eq(parsed->part_count, 1);
    cr_expect_eq(parsed->parts[0].len, UINT16_MAX);
}
