/* SPDX-License-Identifier: Apache-2.0 */

/* The way from the command line to a subcommand. */

#include <string.h>

#include "cli/commands.h"
#include "cli/suggest.h"

#define NAMES_MAX 32

/* What one command starts another for: not for people. */
static const sp_command_t *const helpers[] = {
    &sp_command_lab_delay,
    &sp_command_lab_lookups,
    &sp_command_lab_relay,
};

static const sp_command_t *find_among(const sp_command_t *const *list, size_t count,
                                      const char *name)
{
    for (size_t i = 0; i != count; ++i) {
        if (strcmp(list[i]->name, name) == 0) {
            return list[i];
        }
    }
    return NULL;
}

static const sp_command_t *find_command(const char *name)
{
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);
    const sp_command_t *command = find_among(commands, count, name);

    return command == NULL ? find_among(helpers, SP_COUNT(helpers), name) : command;
}

static int print_overview(void)
{
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);

    (void)puts("signpost " SIGNPOST_VERSION ": HTTP redirects whose rules live in DNS\n\n"
               "Usage: signpost COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:");
    for (size_t i = 0; i != count; ++i) {
        (void)printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)puts("  help       print this overview, or what 'signpost COMMAND --help' prints\n\n"
               "Every command has --help. Exit status: 0 done, 1 the work failed, 2 bad usage or\n"
               "bad configuration.");
    return SP_EXIT_DONE;
}

static int refuse(const char *name)
{
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);
    const char *names[NAMES_MAX] = {"help"};
    size_t known = 1;
    const char *near = NULL;

    for (size_t i = 0; i != count && known != NAMES_MAX; ++i) {
        names[known++] = commands[i]->name;
    }
    near = sp_suggest(sp_str_from(name), names, known);
    if (near != NULL) {
        return sp_usage_error("", "unknown command '%s'; did you mean '%s'?", name, near);
    }
    return sp_usage_error("", name[0] == '-' ? "unknown option %s" : "unknown command '%s'", name);
}

static int run_help(int count, char *const *words)
{
    const sp_command_t *command = count == 0 ? NULL : find_command(words[0]);

    if (count == 0) {
        return print_overview();
    }
    if (command == NULL) {
        return refuse(words[0]);
    }
    sp_command_print_help(command, stdout);
    return SP_EXIT_DONE;
}

static int run_command(const sp_command_t *command, int count, char *const *words)
{
    sp_arguments_t arguments;
    sp_error_t err;
    int result = SP_EXIT_DONE;

    if (sp_arguments_parse(command, count, words, &arguments, &err) != SP_OK) {
        return sp_usage_error(command->name, "%s", err.message);
    }
    if (arguments.help) {
        sp_command_print_help(command, stdout);
    } else {
        result = command->run(&arguments);
    }
    sp_arguments_clear(&arguments);
    return result;
}

/* A full disk or a closed pipe must not pass for success. */
static int finish(int result)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fputs("signpost: writing to standard output failed\n", stderr);
        return result == SP_EXIT_DONE ? SP_EXIT_FAILED : result;
    }
    return result;
}

int main(int argc, char **argv)
{
    const char *name = argc < 2 ? "help" : argv[1];
    const sp_command_t *command = find_command(name);

    if (strcmp(name, "--version") == 0) {
        command = &sp_command_version;
    }
    if (command != NULL) {
        return finish(run_command(command, argc - 2, argv + 2));
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return finish(run_help(argc < 2 ? 0 : argc - 2, argv + 2));
    }
    return refuse(name);
}
