/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <criterion/criterion.h>
#include <string.h>

static int do_nothing(const sp_arguments_t *arguments)
{
    (void)arguments;
    return SP_EXIT_DONE;
}

static const sp_option_t options[] = {
    {"listen", 0, "ADDR:PORT", "listen here"},
    {"no-cache", 0, NULL, "no cache"},
    {NULL, 'H', "'Name: value'", "a header"},
};
static const sp_command_t command = {
    .name = "serve",
    .summary = "run",
    .usage = "[--listen ADDR:PORT]",
    .about = "Runs.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost serve",
    .failure = "it can't run",
    .run = do_nothing,
};

static const sp_option_t work_options[] = {
    {"quick", 0, NULL, "run: soon"},
    {"lab", 0, "DIR", "list, run: there"},
    {NULL, 'o', "FILE", "report: where"},
};
static const sp_action_t actions[] = {{"list", "lab"}, {"run", "quick lab"}, {"report", "o"}};
static const sp_command_t work = {
    .name = "work",
    .summary = "work",
    .usage = "list|run|report",
    .about = "Works.",
    .options = work_options,
    .option_count = SP_COUNT(work_options),
    .actions = actions,
    .action_count = SP_COUNT(actions),
    .examples = "  signpost work list",
    .failure = "it can't",
    .run = do_nothing,
};

/* Parses words separated by blanks. */
static sp_status_t parse_for(const sp_command_t *whose, const char *line, sp_arguments_t *arguments,
                             sp_error_t *err)
{
    static char text[256];
    char *words[16];
    int count = 0;

    (void)strncpy(text, line, sizeof(text) - 1);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    return sp_arguments_parse(whose, count, words, arguments, err);
}

static sp_status_t parse(const char *line, sp_arguments_t *arguments, sp_error_t *err)
{
    return parse_for(&command, line, arguments, err);
}

static void expect_message(const char *line, const char *message)
{
    sp_arguments_t arguments;
    sp_error_t err;

    cr_assert_eq(parse(line, &arguments, &err), SP_BAD_SYNTAX, "%s", line);
    cr_expect_str_eq(err.message, message);
}

Test(options, take_a_value_from_the_next_word_or_behind_an_equals_sign)
{
    sp_arguments_t arguments;
    size_t at = 0;

    cr_assert_eq(parse("--listen a --listen=b --listen=", &arguments, NULL), SP_OK);
    cr_expect_eq(sp_arguments_count(&arguments, "listen"), 3);
    cr_expect_str_eq(sp_arguments_next(&arguments, "listen", &at), "a");
    cr_expect_str_eq(sp_arguments_next(&arguments, "listen", &at), "b");
    cr_expect_str_eq(sp_arguments_next(&arguments, "listen", &at), "");
    cr_expect_null(sp_arguments_next(&arguments, "listen", &at));
    cr_expect_str_eq(sp_arguments_value(&arguments, "listen"), "");
    sp_arguments_clear(&arguments);
}

Test(options, take_a_value_of_a_letter_joined_or_apart)
{
    sp_arguments_t arguments;
    size_t at = 0;

    cr_assert_eq(parse("-HA:1 -H B:2", &arguments, NULL), SP_OK);
    cr_expect_str_eq(sp_arguments_next(&arguments, "H", &at), "A:1");
    cr_expect_str_eq(sp_arguments_next(&arguments, "H", &at), "B:2");
    sp_arguments_clear(&arguments);
}

Test(options, read_whole_numbers_up_to_a_limit)
{
    sp_arguments_t arguments;
    uint64_t number = 7;

    cr_assert_eq(parse("--no-cache", &arguments, NULL), SP_OK);
    cr_expect(sp_arguments_uint(&arguments, "listen", 9, &number));
    cr_expect_eq(number, 7, "it was not given");
    sp_arguments_clear(&arguments);
    cr_assert_eq(parse("--listen=10 --listen 9", &arguments, NULL), SP_OK);
    cr_expect(sp_arguments_uint(&arguments, "listen", 9, &number));
    cr_expect_eq(number, 9, "the last counts");
    cr_expect_not(sp_arguments_uint(&arguments, "listen", 8, &number));
    sp_arguments_clear(&arguments);
    for (size_t i = 0; i != 3; ++i) {
        static const char *const wrong[] = {"--listen=", "--listen=-1", "--listen=1x"};

        cr_assert_eq(parse(wrong[i], &arguments, NULL), SP_OK);
        cr_expect_not(sp_arguments_uint(&arguments, "listen", 9, &number), "%s", wrong[i]);
        sp_arguments_clear(&arguments);
    }
}

Test(options, keep_operands_apart)
{
    sp_arguments_t arguments;
    size_t at = 0;

    cr_assert_eq(parse("one --no-cache - -- --listen", &arguments, NULL), SP_OK);
    cr_expect(sp_arguments_has(&arguments, "no-cache"));
    cr_expect_not(sp_arguments_has(&arguments, "listen"));
    cr_expect_eq(sp_arguments_count(&arguments, NULL), 3);
    cr_expect_str_eq(sp_arguments_next(&arguments, NULL, &at), "one");
    cr_expect_str_eq(sp_arguments_next(&arguments, NULL, &at), "-");
    cr_expect_str_eq(sp_arguments_next(&arguments, NULL, &at), "--listen");
    sp_arguments_clear(&arguments);
}

Test(options, notice_help_among_others)
{
    sp_arguments_t arguments;

    cr_assert_eq(parse("--listen a -h", &arguments, NULL), SP_OK);
    cr_expect(arguments.help);
    sp_arguments_clear(&arguments);
    cr_assert_eq(parse("--listen a", &arguments, NULL), SP_OK);
    cr_expect_not(arguments.help);
    sp_arguments_clear(&arguments);
}

Test(options, suggest_what_an_unknown_option_may_have_been_meant_for)
{
    expect_message("--listne a", "unknown option --listne; did you mean --listen?");
    expect_message("--nocache", "unknown option --nocache; did you mean --no-cache?");
    expect_message("--verbose", "unknown option --verbose");
    expect_message("-q", "unknown option -q");
}

Test(options, say_what_is_wrong_with_a_value)
{
    expect_message("--listen", "option --listen needs a value: ADDR:PORT");
    expect_message("--no-cache=yes", "option --no-cache takes no value");
    expect_message("-H", "option -H needs a value: 'Name: value'");
}

Test(options, accept_no_words_at_all)
{
    sp_arguments_t arguments;

    cr_assert_eq(parse("", &arguments, NULL), SP_OK);
    cr_expect_eq(arguments.count, 0);
    cr_expect_null(sp_arguments_value(&arguments, "listen"));
    sp_arguments_clear(&arguments);
}

Test(options, of_another_action_are_refused)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"list --quick", "--quick is an option of 'work run', not of 'work list'"},
        {"--lab=x report a",
         "--lab is an option of 'work list' and 'work run', not of 'work report'"},
        {"run -o x E1", "-o is an option of 'work report', not of 'work run'"},
    };

    for (size_t i = 0; i != SP_COUNT(cases); ++i) {
        sp_arguments_t arguments;
        sp_error_t err;

        cr_assert_eq(parse_for(&work, cases[i].line, &arguments, &err), SP_BAD_SYNTAX, "%s",
                     cases[i].line);
        cr_expect_str_eq(err.message, cases[i].message);
    }
}

Test(options, of_the_action_are_taken_and_what_is_no_action_is_left_to_the_command)
{
    static const char *const lines[] = {"run --quick --lab x E1", "report -o x a", "walk --quick",
                                        "--quick", "list --quick --help"};

    for (size_t i = 0; i != SP_COUNT(lines); ++i) {
        sp_arguments_t arguments;

        cr_assert_eq(parse_for(&work, lines[i], &arguments, NULL), SP_OK, "%s", lines[i]);
        sp_arguments_clear(&arguments);
    }
}
