/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_OPTIONS_H
#define SIGNPOST_CLI_OPTIONS_H

/* Commands and their options as tables: what is in a command's table is parsed, listed by --help
 * and nothing else. Adding an option is adding a row. */

#include <signpost/base/error.h>
#include <stdio.h>

/* What the process ends with. */
enum { SP_EXIT_DONE = 0, SP_EXIT_FAILED = 1, SP_EXIT_USAGE = 2 };

typedef struct sp_option {
    const char *name;  /* behind "--"; NULL when there is only a letter */
    char letter;       /* behind "-"; 0 when there is only a name */
    const char *value; /* what the help calls the value; NULL for an option without one */
    const char *help;
} sp_option_t;

/* What a command does, where it does several things: the first operand says which. */
typedef struct sp_action {
    const char *name;
    const char *options; /* those that it takes, as sp_arguments_has names them, blanks between */
} sp_action_t;

typedef struct sp_argument {
    const sp_option_t *option; /* NULL: an operand */
    const char *value;         /* NULL for an option without a value */
} sp_argument_t;

typedef struct sp_arguments {
    bool help; /* --help was there; nothing else counts then */
    sp_argument_t *list;
    size_t count;
} sp_arguments_t;

typedef struct sp_command {
    const char *name;
    const char *summary; /* a line for the overview */
    const char *usage;   /* lines behind "signpost NAME " */
    const char *about;   /* a paragraph or more, wrapped by hand at 78 columns */
    const sp_option_t *options;
    size_t option_count;
    const sp_action_t *actions; /* NULL: it does one thing */
    size_t action_count;
    const char *examples;
    const char *failure; /* when it exits 1 */
    int (*run)(const sp_arguments_t *arguments);
} sp_command_t;

/* Reads what stands behind the command's name; `arguments` borrows from `words`. Long options are
 * `--name value` or `--name=value`, short ones `-X value` or `-Xvalue`; `--` ends the options and a
 * lone `-` is an operand. An option of another action than the one that is named is refused; a
 * first operand that names none is left to the command. SP_OK, SP_NO_MEMORY, or SP_BAD_SYNTAX with
 * a sentence in *err. */
sp_status_t sp_arguments_parse(const sp_command_t *command, int count, char *const *words,
                               sp_arguments_t *ret_arguments, sp_error_t *err);
void sp_arguments_clear(sp_arguments_t *arguments);

/* `name` is an option's long name, or its letter where it has none. */
bool sp_arguments_has(const sp_arguments_t *arguments, const char *name);

/* The last value of an option; NULL when it was not given. */
const char *sp_arguments_value(const sp_arguments_t *arguments, const char *name);

/* The last value of an option as a whole number up to `max`; *number stays when it was not given.
 * False when it is anything else. */
bool sp_arguments_uint(const sp_arguments_t *arguments, const char *name, uint64_t max,
                       uint64_t *number);

/* Values of a repeatable option in order; start with *at = 0; NULL at the end. A NULL `name` goes
 * through the operands. */
const char *sp_arguments_next(const sp_arguments_t *arguments, const char *name, size_t *at);

/* How often an option, or with NULL an operand, was given. */
size_t sp_arguments_count(const sp_arguments_t *arguments, const char *name);

void sp_command_print_help(const sp_command_t *command, FILE *out);

/* Prints "signpost NAME: MESSAGE" and where help is found to standard error; returns SP_EXIT_USAGE,
 * so that a command can end with it. */
int sp_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
