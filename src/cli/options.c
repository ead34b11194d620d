/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"

#define SUGGEST_MAX 32

static const sp_option_t help_option = {"help", 'h', NULL, "print this help"};

static const sp_option_t *find_long(const sp_command_t *command, sp_str_t name)
{
    if (sp_str_eq(name, sp_str_from(help_option.name))) {
        return &help_option;
    }
    for (size_t i = 0; i != command->option_count; ++i) {
        if (command->options[i].name != NULL &&
            sp_str_eq(name, sp_str_from(command->options[i].name))) {
            return &command->options[i];
        }
    }
    return NULL;
}

static const sp_option_t *find_letter(const sp_command_t *command, char letter)
{
    if (letter == help_option.letter) {
        return &help_option;
    }
    for (size_t i = 0; i != command->option_count; ++i) {
        if (command->options[i].letter != 0 && command->options[i].letter == letter) {
            return &command->options[i];
        }
    }
    return NULL;
}

static sp_status_t fail_unknown(const sp_command_t *command, sp_str_t name, sp_error_t *err)
{
    const char *known[SUGGEST_MAX] = {help_option.name};
    size_t count = 1;
    const char *near = NULL;

    for (size_t i = 0; i != command->option_count && count != SUGGEST_MAX; ++i) {
        if (command->options[i].name != NULL) {
            known[count++] = command->options[i].name;
        }
    }
    near = sp_suggest(name, known, count);
    if (near != NULL) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "unknown option --%.*s; did you mean --%s?",
                       (int)name.len, name.ptr, near);
    }
    return sp_fail(err, SP_BAD_SYNTAX, 0, "unknown option --%.*s", (int)name.len, name.ptr);
}

typedef struct words {
    char *const *list;
    int count;
    int at; /* of the next word */
} words_t;

/* Pairs ret_argument->option, as written in `name`, with its value: the text behind it in the same
 * word (ptr NULL when there is none), else the next word. */
static sp_status_t take_value(sp_str_t name, sp_str_t inside, words_t *words,
                              sp_argument_t *ret_argument, sp_error_t *err)
{
    const char *value = ret_argument->option->value;

    if (value == NULL && inside.ptr != NULL) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "option %.*s takes no value", (int)name.len,
                       name.ptr);
    }
    if (value != NULL && inside.ptr == NULL && words->at == words->count) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "option %.*s needs a value: %s", (int)name.len,
                       name.ptr, value);
    }
    ret_argument->value = inside.ptr;
    if (value != NULL && inside.ptr == NULL) {
        ret_argument->value = words->list[words->at++];
    }
    return SP_OK;
}

static sp_status_t read_long(const sp_command_t *command, const char *word, words_t *words,
                             sp_argument_t *ret_argument, sp_error_t *err)
{
    sp_str_t inside;
    sp_str_t name = sp_str_cut(sp_str_from(word), '=', &inside);

    ret_argument->option = find_long(command, sp_str_skip(name, 2));
    if (ret_argument->option == NULL) {
        return fail_unknown(command, sp_str_skip(name, 2), err);
    }
    return take_value(name, inside, words, ret_argument, err);
}

static sp_status_t read_short(const sp_command_t *command, const char *word, words_t *words,
                              sp_argument_t *ret_argument, sp_error_t *err)
{
    sp_str_t name = {.ptr = word, .len = 2};
    sp_str_t inside = sp_str_from(word[2] == '\0' ? NULL : word + 2);

    ret_argument->option = find_letter(command, word[1]);
    if (ret_argument->option == NULL) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "unknown option -%c", word[1]);
    }
    return take_value(name, inside, words, ret_argument, err);
}

static sp_status_t read_all(const sp_command_t *command, words_t *words, sp_arguments_t *arguments,
                            sp_error_t *err)
{
    bool options_end = false;

    while (words->at != words->count) {
        const char *word = words->list[words->at++];
        sp_argument_t argument = {NULL, word};
        sp_status_t status = SP_OK;

        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (!options_end && word[0] == '-' && word[1] != '\0') {
            status = word[1] == '-' ? read_long(command, word, words, &argument, err)
                                    : read_short(command, word, words, &argument, err);
        }
        if (status != SP_OK) {
            return status;
        }
        arguments->help = arguments->help || argument.option == &help_option;
        arguments->list[arguments->count++] = argument;
    }
    return SP_OK;
}

static bool takes(const sp_action_t *action, const sp_option_t *option)
{
    sp_str_t name = option->name != NULL ? sp_str_from(option->name)
                                         : (sp_str_t){.ptr = &option->letter, .len = 1};

    for (sp_str_t rest = sp_str_from(action->options); rest.ptr != NULL;) {
        if (sp_str_eq(sp_str_cut(rest, ' ', &rest), name)) {
            return true;
        }
    }
    return false;
}

static const sp_action_t *find_action(const sp_command_t *command, const sp_arguments_t *arguments)
{
    size_t at = 0;
    const char *word = sp_arguments_next(arguments, NULL, &at);

    for (size_t i = 0; word != NULL && i != command->action_count; ++i) {
        if (strcmp(command->actions[i].name, word) == 0) {
            return &command->actions[i];
        }
    }
    return NULL;
}

/* "--quick is an option of 'lab run', not of 'lab list'" */
static sp_status_t fail_misplaced(const sp_command_t *command, const sp_action_t *action,
                                  const sp_option_t *option, sp_error_t *err)
{
    const char letter[2] = {option->letter, '\0'};
    char takers[64] = "";
    size_t len = 0;

    for (size_t i = 0; i != command->action_count && len < sizeof(takers); ++i) {
        if (takes(&command->actions[i], option)) {
            len +=
                (size_t)snprintf(takers + len, sizeof(takers) - len, "%s'%s %s'",
                                 len == 0 ? "" : " and ", command->name, command->actions[i].name);
        }
    }
    return sp_fail(err, SP_BAD_SYNTAX, 0, "%s%s is an option of %s, not of '%s %s'",
                   option->name != NULL ? "--" : "-", option->name != NULL ? option->name : letter,
                   takers, command->name, action->name);
}

static sp_status_t check_action(const sp_command_t *command, const sp_arguments_t *arguments,
                                sp_error_t *err)
{
    const sp_action_t *action = find_action(command, arguments);

    for (size_t i = 0; action != NULL && i != arguments->count; ++i) {
        const sp_option_t *option = arguments->list[i].option;

        if (option != NULL && option != &help_option && !takes(action, option)) {
            return fail_misplaced(command, action, option, err);
        }
    }
    return SP_OK;
}

sp_status_t sp_arguments_parse(const sp_command_t *command, int count, char *const *words,
                               sp_arguments_t *ret_arguments, sp_error_t *err)
{
    words_t input = {words, count, 0};
    sp_arguments_t arguments = {.help = false, .list = NULL, .count = 0};
    sp_status_t status = SP_OK;

    arguments.list = calloc((size_t)count + 1, sizeof(*arguments.list));
    if (arguments.list == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = read_all(command, &input, &arguments, err);
    if (status == SP_OK && !arguments.help) {
        status = check_action(command, &arguments, err);
    }
    if (status != SP_OK) {
        sp_arguments_clear(&arguments);
        return status;
    }
    *ret_arguments = arguments;
    return SP_OK;
}

void sp_arguments_clear(sp_arguments_t *arguments)
{
    free(arguments->list);
    *arguments = (sp_arguments_t){.help = false, .list = NULL, .count = 0};
}

static bool is_named(const sp_argument_t *argument, const char *name)
{
    if (name == NULL || argument->option == NULL) {
        return name == NULL && argument->option == NULL;
    }
    if (argument->option->name != NULL) {
        return strcmp(argument->option->name, name) == 0;
    }
    return argument->option->letter == name[0] && name[1] == '\0';
}

bool sp_arguments_has(const sp_arguments_t *arguments, const char *name)
{
    return sp_arguments_count(arguments, name) != 0;
}

const char *sp_arguments_value(const sp_arguments_t *arguments, const char *name)
{
    const char *last = NULL;
    size_t at = 0;

    for (const char *value = NULL; (value = sp_arguments_next(arguments, name, &at)) != NULL;) {
        last = value;
    }
    return last;
}

bool sp_arguments_uint(const sp_arguments_t *arguments, const char *name, uint64_t max,
                       uint64_t *number)
{
    const char *value = sp_arguments_value(arguments, name);

    return value == NULL || sp_str_to_uint(sp_str_from(value), max, number);
}

const char *sp_arguments_next(const sp_arguments_t *arguments, const char *name, size_t *at)
{
    while (*at < arguments->count) {
        const sp_argument_t *argument = &arguments->list[(*at)++];

        if (is_named(argument, name) && argument->value != NULL) {
            return argument->value;
        }
    }
    return NULL;
}

size_t sp_arguments_count(const sp_arguments_t *arguments, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i != arguments->count; ++i) {
        count += is_named(&arguments->list[i], name) ? 1U : 0U;
    }
    return count;
}

static void print_option(const sp_option_t *option, FILE *out)
{
    char left[48];
    char letter[4] = "";

    if (option->letter != 0) {
        letter[0] = '-';
        letter[1] = option->letter;
    }
    (void)snprintf(left, sizeof(left), "%s%s%s%s%s%s", letter,
                   letter[0] != '\0' && option->name != NULL ? ", " : "",
                   option->name != NULL ? "--" : "", option->name != NULL ? option->name : "",
                   option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
    (void)fprintf(out, "  %-28s %s\n", left, option->help);
}

void sp_command_print_help(const sp_command_t *command, FILE *out)
{
    (void)fprintf(out, "Usage: signpost %s %s\n\n%s\n\nOptions:\n", command->name, command->usage,
                  command->about);
    for (size_t i = 0; i != command->option_count; ++i) {
        print_option(&command->options[i], out);
    }
    print_option(&help_option, out);
    (void)fprintf(out, "\nExamples:\n%s\n", command->examples);
    (void)fprintf(out, "\nExit status:\n  0  done\n  1  %s\n  2  bad usage or bad configuration\n",
                  command->failure);
}

int sp_usage_error(const char *command, const char *format, ...)
{
    va_list args;

    (void)fprintf(stderr, "signpost%s%s: ", command[0] == '\0' ? "" : " ", command);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fprintf(stderr, "; see 'signpost %s%s--help'\n", command, command[0] == '\0' ? "" : " ");
    return SP_EXIT_USAGE;
}
