/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/match.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "unit/rule/expect_str.h"

static sp_regex_t *compile(const char *pattern)
{
    sp_regex_t *regex = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_regex_compile(sp_str_from(pattern), &regex, &err), SP_OK, "%s: %s", pattern,
                 err.message);
    return regex;
}

static bool compiles(const char *pattern)
{
    sp_regex_t *regex = NULL;
    sp_status_t status = sp_regex_compile(sp_str_from(pattern), &regex, NULL);

    sp_regex_destroy(regex);
    return status == SP_OK;
}

static bool matches(const char *pattern, sp_str_t subject)
{
    sp_regex_t *regex = compile(pattern);
    bool found = sp_regex_search(regex, subject, 0, NULL, 0);

    sp_regex_destroy(regex);
    return found;
}

/* All matches as "[a][b]…". */
static const char *all(const char *pattern, const char *subject)
{
    static char text[4096];
    sp_regex_t *regex = compile(pattern);
    sp_regex_cursor_t cursor = {0};
    sp_str_t groups[1];
    size_t len = 0;

    while (sp_regex_next(regex, sp_str_from(subject), &cursor, groups, 1)) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "[%.*s]", (int)groups[0].len,
                                groups[0].ptr);
    }
    text[len] = '\0';
    sp_regex_destroy(regex);
    return text;
}

Test(regex, finds_the_leftmost_match_with_its_groups)
{
    sp_regex_t *regex = compile("/(v[0-9]+)/(x)?(.*)");
    sp_str_t subject = SP_STR("/a/v12/rest");
    sp_str_t groups[4];

    cr_assert(sp_regex_search(regex, subject, 0, groups, 4));
    EXPECT_STR(groups[0], "/v12/rest");
    EXPECT_STR(groups[1], "v12");
    cr_expect_null(groups[2].ptr, "took no part");
    EXPECT_STR(groups[3], "rest");
    cr_expect_eq(groups[1].ptr, subject.ptr + 3, "groups lie in the subject");
    sp_regex_destroy(regex);
}

Test(regex, prefers_the_first_alternative_as_go_does)
{
    cr_expect_str_eq(all("a|ab", "ab"), "[a]");
    cr_expect_str_eq(all("a+?", "aa"), "[a][a]");
}

Test(regex, searches_from_an_offset_with_what_precedes_it_in_view)
{
    sp_regex_t *regex = compile("^a|\\bb");
    sp_str_t group;

    cr_expect_not(sp_regex_search(regex, SP_STR("aab"), 1, &group, 1));
    cr_expect(sp_regex_search(regex, SP_STR("aa-b"), 1, &group, 1));
    cr_expect_not(sp_regex_search(regex, SP_STR("a"), 2, &group, 1), "beyond the end");
    sp_regex_destroy(regex);
}

Test(regex, steps_through_matches_as_go_does)
{
    cr_expect_str_eq(all("[a-z]+", "/ab/cd"), "[ab][cd]");
    cr_expect_str_eq(all("a*", "baaac"), "[][aaa][]", "no empty match right behind another");
    cr_expect_str_eq(all("", "ab"), "[][][]");
    cr_expect_str_eq(all("$", "ab"), "[]");
    cr_expect_str_eq(all("x", "ab"), "");
    cr_expect_str_eq(all("a*?", "aa"), "[][][]");
    cr_expect_str_eq(all("", ""), "[]");
}

Test(regex, steps_over_whole_utf8_characters)
{
    cr_expect_str_eq(all("", "\xc3\xbc"), "[][]");
    cr_expect_str_eq(all("", "\xf0\x9f\x98\x80\xe2\x82\xac"), "[][][]");
    cr_expect_str_eq(all("", "\xc3"), "[][]", "half a character is one step");
    cr_expect_str_eq(all("", "\xe2\x28\xa1"), "[][][][]");
    cr_expect_str_eq(all("\\B", "\xc3\xbc"), "[][]", "nothing begins inside a character");
}

Test(regex, counts_and_names_its_groups)
{
    sp_regex_t *regex = compile("(a)(?P<one>b)(?:c)(?<two>d)");

    cr_expect_eq(sp_regex_group_count(regex), 3);
    EXPECT_STR(sp_regex_group_name(regex, 1), "");
    EXPECT_STR(sp_regex_group_name(regex, 2), "one");
    EXPECT_STR(sp_regex_group_name(regex, 3), "two");
    cr_expect(sp_regex_has_names(regex));
    sp_regex_destroy(regex);
    regex = compile("(a)");
    cr_expect_not(sp_regex_has_names(regex));
    sp_regex_destroy(regex);
}

Test(regex, may_have_one_name_for_two_groups_as_in_go)
{
    sp_regex_t *regex = compile("(?P<n>a)(?<n>b)");

    EXPECT_STR(sp_regex_group_name(regex, 1), "n");
    EXPECT_STR(sp_regex_group_name(regex, 2), "n");
    sp_regex_destroy(regex);
}

Test(regex, leaves_what_only_looks_like_a_named_group)
{
    cr_expect(matches("[(?<]x", SP_STR("<x")));
    cr_expect_not(matches("[(?<]x", SP_STR("Px")));
    cr_expect(matches("\\(?<x", SP_STR("(<x")));
    cr_expect(matches("\\Q(?<\\E", SP_STR("(?<")));
    cr_expect(matches("[]](?<n>a)", SP_STR("]a")));
    cr_expect(matches("[^]](?<n>a)", SP_STR("xa")));
    cr_expect(matches("[\\]](?<n>a)", SP_STR("]a")));
    cr_expect_not(matches("[[:digit:](?<]x", SP_STR("Px")));
    cr_expect(matches("[[:digit:](?<]x", SP_STR("7x")));
}

Test(regex, that_is_not_valid_says_why)
{
    static const char *const bad[] = {"(",     ")",       "a**", "[a",   "\\",        "a{2,1}",
                                      "(?=a)", "(?<!a)b", "\\1", "(?<n", "[[:nope:]]"};
    sp_regex_t *regex = NULL;
    sp_error_t err;

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        err.message[0] = '\0';
        cr_expect_eq(sp_regex_compile(sp_str_from(bad[i]), &regex, &err), SP_BAD_SYNTAX, "%s",
                     bad[i]);
        cr_expect_null(regex);
        cr_expect_neq(err.message[0], '\0');
    }
}

/* `count` empty groups. */
static const char *groups_pattern(size_t count)
{
    static char pattern[4 * SP_REGEX_GROUPS_MAX];

    pattern[0] = '\0';
    for (size_t i = 0; i != count; ++i) {
        strcat(pattern, "()");
    }
    return pattern;
}

Test(regex, has_99_groups_at_most)
{
    sp_regex_t *regex = NULL;
    sp_str_t groups[SP_REGEX_GROUPS_MAX];
    sp_error_t err;

    regex = compile(groups_pattern(SP_REGEX_GROUPS_MAX - 1));
    cr_expect_eq(sp_regex_group_count(regex), SP_REGEX_GROUPS_MAX - 1);
    cr_assert(sp_regex_search(regex, SP_STR("a"), 0, groups, SP_REGEX_GROUPS_MAX));
    cr_expect_not_null(groups[SP_REGEX_GROUPS_MAX - 1].ptr);
    sp_regex_destroy(regex);
    cr_expect_eq(sp_regex_compile(sp_str_from(groups_pattern(SP_REGEX_GROUPS_MAX)), &regex, &err),
                 SP_TOO_LONG);
}

Test(regex, fills_slots_beyond_its_groups_with_nothing)
{
    sp_regex_t *regex = compile("a");
    sp_str_t groups[SP_REGEX_GROUPS_MAX + 2];

    memset(groups, 0xff, sizeof(groups));
    cr_assert(sp_regex_search(regex, SP_STR("a"), 0, groups, SP_COUNT(groups)));
    cr_expect_null(groups[1].ptr);
    cr_expect_null(groups[SP_REGEX_GROUPS_MAX + 1].ptr);
    sp_regex_destroy(regex);
}

Test(regex, matches_nothing_in_a_subject_over_8192_octets)
{
    static char text[SP_REGEX_SUBJECT_MAX + 1];

    memset(text, 'a', sizeof(text));
    cr_expect(matches("a", (sp_str_t){.ptr = text, .len = SP_REGEX_SUBJECT_MAX}));
    cr_expect_not(matches("a", (sp_str_t){.ptr = text, .len = SP_REGEX_SUBJECT_MAX + 1}));
}

Test(regex, wants_the_query_when_its_text_says_so)
{
    static const struct {
        const char *pattern;
        bool wanted;
    } patterns[] = {
        {"\\?query=(.*)", true}, {"query", false}, {"a?query", true}, {"[?]query", false}};

    for (size_t i = 0; i != SP_COUNT(patterns); ++i) {
        sp_regex_t *regex = compile(patterns[i].pattern);

        cr_expect_eq(sp_regex_wants_query(regex), patterns[i].wanted, "%s", patterns[i].pattern);
        sp_regex_destroy(regex);
    }
}

Test(regex, survives_any_octets)
{
    char pattern[2] = {0};

    for (int c = 1; c != 256; ++c) {
        sp_regex_t *regex = NULL;

        pattern[0] = (char)c;
        if (sp_regex_compile(sp_str_from(pattern), &regex, NULL) == SP_OK) {
            (void)sp_regex_search(regex, SP_STR("\x00\xff(\n"), 0, NULL, 0);
        }
        sp_regex_destroy(regex);
    }
    sp_regex_destroy(NULL);
}

Test(regex, that_would_take_too_much_memory_is_refused)
{
    cr_expect_not(compiles("((a{100}){100}){100}"));
    cr_expect_not(compiles("(((\\pL{50}){50}){50}){50}"));
    cr_expect(compiles("\\pL+"));
}

static double milliseconds_of_cpu(void)
{
    return (double)clock() * 1000 / CLOCKS_PER_SEC;
}

/* The classic runaways: exponential for a backtracking matcher. Generous limits, for sanitizers and
 * busy machines: a matcher that backtracks would not end at all. */
Test(regex, runs_in_bounded_time, .timeout = 60)
{
    static const char *const patterns[] = {"(a+)+$",       "(a|aa)+$",       "(a*)*b",
                                           "(.*)*x(.*)*y", "(a?){50}a{50}$", "(x+x+)+y"};
    static char text[4097];
    double begin = milliseconds_of_cpu();

    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '!';
    for (size_t i = 0; i != SP_COUNT(patterns); ++i) {
        cr_expect_not(matches(patterns[i], (sp_str_t){.ptr = text, .len = sizeof(text)}), "%s",
                      patterns[i]);
    }
    cr_expect_lt(milliseconds_of_cpu() - begin, 5000);
}

Test(regex, costs_more_for_longer_subjects_and_programs)
{
    sp_regex_t *small = compile("a");
    sp_regex_t *large = compile("(abc|def){20}");

    cr_expect_lt(sp_regex_cost(small, 10), sp_regex_cost(small, 100));
    cr_expect_lt(sp_regex_cost(small, 10), sp_regex_cost(large, 10));
    cr_expect_gt(sp_regex_cost(small, 0), 0);
    cr_expect_lt(sp_regex_bytes(small), sp_regex_bytes(large));
    sp_regex_destroy(small);
    sp_regex_destroy(large);
}
