/* SPDX-License-Identifier: Apache-2.0 */

/* Completion for shells, made from the tables that the command line itself is read by, so that it
 * can't fall behind them. */

#include <string.h>

#include "cli/commands.h"

/* What a value is, judged by what the help calls it. */
typedef enum value_kind { VALUE_NONE, VALUE_FILE, VALUE_CHOICE, VALUE_FREE } value_kind_t;

static value_kind_t kind_of(const char *value)
{
    if (value == NULL) {
        return VALUE_NONE;
    }
    if (strcmp(value, "FILE") == 0 || strcmp(value, "DIR") == 0) {
        return VALUE_FILE;
    }
    return strchr(value, '|') != NULL && strchr(value, ' ') == NULL ? VALUE_CHOICE : VALUE_FREE;
}

/* Prints text with a backslash ahead of each octet of `special`. */
static void put(const char *text, const char *special)
{
    for (; *text != '\0'; ++text) {
        if (strchr(special, *text) != NULL) {
            (void)putchar('\\');
        }
        (void)putchar(*text);
    }
}

/* The words of a choice with blanks between: "a|b:N" as "a b:", since N is for people to say. */
static void put_choice(const char *text, const char *special)
{
    for (const char *end = text; *text != '\0'; text = end) {
        end = text + strcspn(text, "|");
        for (; text != end; ++text) {
            const char one[2] = {*text, '\0'};

            put(one, special);
            if (*text == ':') {
                break;
            }
        }
        if (*end == '|') {
            (void)putchar(' ');
            ++end;
        }
    }
}

static void put_actions(const sp_command_t *command)
{
    for (size_t i = 0; i != command->action_count; ++i) {
        (void)printf("%s%s", i == 0 ? "" : " ", command->actions[i].name);
    }
}

static void put_option_name(const sp_option_t *option)
{
    if (option->name != NULL) {
        (void)printf("--%s", option->name);
    } else {
        (void)printf("-%c", option->letter);
    }
}

/* The names of all commands, each with a blank behind it. */
static void put_commands(void)
{
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);

    for (size_t i = 0; i != count; ++i) {
        (void)printf("%s ", commands[i]->name);
    }
}

/* ---- bash ---- */

static void bash_value(const sp_command_t *command, const sp_option_t *option)
{
    value_kind_t kind = kind_of(option->value);

    if (kind == VALUE_NONE) {
        return;
    }
    (void)printf("        %s.", command->name);
    put_option_name(option);
    (void)fputs(") ", stdout);
    if (kind == VALUE_FILE) {
        (void)fputs("_signpost_files \"$word\"; return", stdout);
    } else if (kind == VALUE_CHOICE) {
        (void)fputs("_signpost_words '", stdout);
        put_choice(option->value, "");
        (void)fputs("' \"$word\"; return", stdout);
    } else {
        (void)fputs("return", stdout);
    }
    (void)puts(" ;;");
}

static void bash_command(const sp_command_t *command)
{
    (void)printf("        %s) options='", command->name);
    for (size_t i = 0; i != command->option_count; ++i) {
        put_option_name(&command->options[i]);
        (void)putchar(' ');
    }
    (void)fputs("--help'", stdout);
    if (kind_of(command->usage) == VALUE_CHOICE) {
        (void)fputs(" operands='", stdout);
        put_choice(command->usage, "");
        (void)putchar('\'');
    }
    if (command->action_count != 0) {
        (void)fputs(" actions='", stdout);
        put_actions(command);
        (void)putchar('\'');
    }
    (void)puts(" ;;");
}

static void complete_bash(void)
{
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);

    (void)puts("# bash completion for signpost, made by: signpost completion bash\n"
               "_signpost_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\"); }\n"
               "_signpost_files() {\n"
               "    compopt -o filenames 2>/dev/null\n"
               "    mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
               "}\n"
               "_signpost() {\n"
               "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
               "    local command=${COMP_WORDS[1]} options='' operands='' actions=''\n"
               "    COMPREPLY=()\n"
               "    if ((COMP_CWORD == 1)); then");
    (void)fputs("        _signpost_words '", stdout);
    put_commands();
    (void)puts("help --help --version' \"$word\"\n"
               "        return\n"
               "    fi\n"
               "    # --option=value comes as three words.\n"
               "    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
               "    if [[ $word == = ]]; then\n"
               "        word=''\n"
               "    fi\n"
               "    case $command.$before in");
    for (size_t i = 0; i != count; ++i) {
        for (size_t j = 0; j != commands[i]->option_count; ++j) {
            bash_value(commands[i], &commands[i]->options[j]);
        }
    }
    (void)puts("    esac\n"
               "    case $command in");
    for (size_t i = 0; i != count; ++i) {
        bash_command(commands[i]);
    }
    (void)fputs("        help) operands='", stdout);
    put_commands();
    (void)puts("' ;;\n"
               "    esac\n"
               "    for before in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
               "        [[ \" $actions \" != *\" $before \"* ]] || actions=''\n"
               "    done\n"
               "    if [[ $word == -* ]]; then\n"
               "        _signpost_words \"$options\" \"$word\"\n"
               "    elif [[ -n $actions ]]; then\n"
               "        _signpost_words \"$actions\" \"$word\"\n"
               "    elif [[ -n $operands ]]; then\n"
               "        _signpost_words \"$operands\" \"$word\"\n"
               "    else\n"
               "        _signpost_files \"$word\"\n"
               "    fi\n"
               "}\n"
               "complete -F _signpost signpost");
}

/* ---- zsh ---- */

#define ZSH_SPECIAL ":[]\\"

/* Single quotes can't be escaped within single quotes: zsh's texts stand in double ones. */
#define ZSH_QUOTED ZSH_SPECIAL "\"$`"

static void zsh_value(const char *value)
{
    value_kind_t kind = kind_of(value);

    if (kind == VALUE_NONE) {
        return;
    }
    (void)putchar(':');
    put(value, ZSH_QUOTED);
    (void)putchar(':');
    if (kind == VALUE_FILE) {
        (void)fputs("_files", stdout);
    } else if (kind == VALUE_CHOICE) {
        (void)putchar('(');
        put_choice(value, ZSH_QUOTED);
        (void)putchar(')');
    }
}

static void zsh_command(const sp_command_t *command)
{
    (void)printf("        %s)\n            _arguments ", command->name);
    for (size_t i = 0; i != command->option_count; ++i) {
        const sp_option_t *option = &command->options[i];

        (void)fputs("\"*", stdout);
        put_option_name(option);
        (void)fputs(option->value != NULL && option->name != NULL ? "=[" : "[", stdout);
        put(option->help, ZSH_QUOTED);
        (void)putchar(']');
        zsh_value(option->value);
        (void)fputs("\" \\\n                ", stdout);
    }
    (void)fputs("\"--help[print this help]\" ", stdout);
    if (command->action_count != 0) {
        (void)fputs("\"1:action:(", stdout);
        put_actions(command);
        (void)fputs(")\" ", stdout);
    }
    (void)fputs("\"*:argument:", stdout);
    if (kind_of(command->usage) == VALUE_CHOICE) {
        (void)putchar('(');
        put_choice(command->usage, ZSH_QUOTED);
        (void)puts(")\" ;;");
    } else {
        (void)puts("_files\" ;;");
    }
}

static void complete_zsh(void)
{
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);

    (void)puts("#compdef signpost\n"
               "# zsh completion for signpost, made by: signpost completion zsh\n"
               "_signpost() {\n"
               "    local -a commands=(");
    for (size_t i = 0; i != count; ++i) {
        (void)printf("        \"%s:", commands[i]->name);
        put(commands[i]->summary, ZSH_QUOTED);
        (void)puts("\"");
    }
    (void)puts("        \"help:print an overview, or the help of a command\"\n"
               "    )\n"
               "    if ((CURRENT == 2)); then\n"
               "        _describe command commands\n"
               "        return\n"
               "    fi\n"
               "    local command=$words[2]\n"
               "    shift words\n"
               "    ((CURRENT--))\n"
               "    case $command in");
    for (size_t i = 0; i != count; ++i) {
        zsh_command(commands[i]);
    }
    (void)puts("        help) _describe command commands ;;\n"
               "    esac\n"
               "}\n"
               "if [[ $funcstack[1] == _signpost ]]; then\n"
               "    _signpost \"$@\"\n"
               "else\n"
               "    compdef _signpost signpost\n"
               "fi");
}

/* ---- fish ---- */

#define FISH_QUOTED "'\\"

static void fish_option(const sp_command_t *command, const sp_option_t *option)
{
    value_kind_t kind = kind_of(option->value);

    (void)printf("complete -c signpost -n '__fish_seen_subcommand_from %s'", command->name);
    if (option->name != NULL) {
        (void)printf(" -l %s", option->name);
    }
    if (option->letter != 0) {
        (void)printf(" -s %c", option->letter);
    }
    if (kind == VALUE_FILE) {
        (void)fputs(" -r -F", stdout);
    } else if (kind == VALUE_FREE) {
        (void)fputs(" -x", stdout);
    } else if (kind == VALUE_CHOICE) {
        (void)fputs(" -x -a '", stdout);
        put_choice(option->value, FISH_QUOTED);
        (void)putchar('\'');
    }
    (void)fputs(" -d '", stdout);
    put(option->help, FISH_QUOTED);
    (void)puts("'");
}

/* Its actions, and files behind them. */
static void fish_actions(const sp_command_t *command)
{
    static const char *const before[] = {"and not", "and"};

    for (size_t i = 0; i != SP_COUNT(before); ++i) {
        (void)printf("complete -c signpost -n '__fish_seen_subcommand_from %s; "
                     "%s __fish_seen_subcommand_from ",
                     command->name, before[i]);
        put_actions(command);
        (void)fputs(i == 0 ? "' -a '" : "' -F\n", stdout);
        if (i == 0) {
            put_actions(command);
            (void)puts("'");
        }
    }
}

static void fish_operands(const sp_command_t *command)
{
    if (command->action_count != 0) {
        fish_actions(command);
        return;
    }
    (void)printf("complete -c signpost -n '__fish_seen_subcommand_from %s' ", command->name);
    if (kind_of(command->usage) == VALUE_CHOICE) {
        (void)fputs("-a '", stdout);
        put_choice(command->usage, FISH_QUOTED);
        (void)puts("'");
    } else {
        (void)puts("-F");
    }
}

static void complete_fish(void)
{
    const sp_option_t help = {"help", 0, NULL, "print this help"};
    size_t count = 0;
    const sp_command_t *const *commands = sp_commands(&count);

    (void)puts("# fish completion for signpost, made by: signpost completion fish\n"
               "complete -c signpost -f");
    for (size_t i = 0; i != count; ++i) {
        (void)printf("complete -c signpost -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        put(commands[i]->summary, FISH_QUOTED);
        (void)puts("'");
        for (size_t j = 0; j != commands[i]->option_count; ++j) {
            fish_option(commands[i], &commands[i]->options[j]);
        }
        fish_option(commands[i], &help);
        fish_operands(commands[i]);
    }
    (void)fputs("complete -c signpost -n __fish_use_subcommand -a help -d 'print an overview'\n"
                "complete -c signpost -n '__fish_seen_subcommand_from help' -a '",
                stdout);
    put_commands();
    (void)puts("'");
}

typedef struct shell {
    const char *name;
    void (*complete)(void);
} shell_t;

static const shell_t shells[] = {
    {"bash", complete_bash}, {"zsh", complete_zsh}, {"fish", complete_fish}};

static int run(const sp_arguments_t *arguments)
{
    size_t at = 0;
    const char *name = sp_arguments_next(arguments, NULL, &at);

    if (sp_arguments_count(arguments, NULL) != 1) {
        return sp_usage_error("completion", "give one shell: bash, zsh or fish");
    }
    for (size_t i = 0; i != SP_COUNT(shells); ++i) {
        if (strcmp(shells[i].name, name) == 0) {
            shells[i].complete();
            return SP_EXIT_DONE;
        }
    }
    return sp_usage_error("completion", "unknown shell '%s'; expected bash, zsh or fish", name);
}

const sp_command_t sp_command_completion = {
    .name = "completion",
    .summary = "print what a shell needs to complete commands and options",
    .usage = "bash|zsh|fish",
    .about = "Prints a script for the shell; Debian's package has them installed.",
    .options = NULL,
    .option_count = 0,
    .examples = "  source <(signpost completion bash)\n"
                "  signpost completion fish > ~/.config/fish/completions/signpost.fish",
    .failure = "standard output can't be written",
    .run = run,
};
