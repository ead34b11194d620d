/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/spawn.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/helper.h"

static sp_status_t run_shell(const char *script, sp_str_t input, sp_buf_t *output, sp_error_t *err)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    sp_tool_t tool = {.argv = argv, .input = input};

    return sp_tool_run(&tool, output, err);
}

static sp_process_t spawn_shell(const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    sp_spawn_options_t options = {.argv = argv};
    sp_process_t process = {.pid = 0};

    cr_assert_eq(sp_spawn(&options, &process, NULL), SP_OK);
    return process;
}

Test(lab_tool, gives_input_and_takes_output)
{
    sp_arena_t arena;
    sp_buf_t output;

    sp_arena_init(&arena, NULL, 0, 4096);
    sp_buf_init(&output, &arena, 4096);
    cr_assert_eq(run_shell("cat; echo end", SP_STR("begin\n"), &output, NULL), SP_OK);
    cr_expect(sp_str_eq(sp_buf_str(&output), SP_STR("begin\nend\n")));
    sp_arena_clear(&arena);
}

Test(lab_tool, keeps_what_a_tool_complains_of)
{
    sp_error_t err;

    cr_assert_eq(run_shell("echo >&2; echo ' no such thing ' >&2; echo more >&2; exit 2",
                           SP_STR(""), NULL, &err),
                 SP_IO);
    cr_expect_not_null(strstr(err.message, "no such thing"));
    cr_expect_null(strstr(err.message, "more >&2': more"));
    cr_assert_eq(run_shell("exit 7", SP_STR(""), NULL, &err), SP_IO);
    cr_expect_str_eq(err.message, "'sh -c exit 7': ended with 7");
    cr_assert_eq(run_shell("kill -9 $$", SP_STR(""), NULL, &err), SP_IO);
    cr_expect_str_eq(err.message, "'sh -c kill -9 $$': was killed by signal 9");
}

Test(lab_tool, names_the_line_of_a_batch_that_failed)
{
    sp_error_t err;

    cr_assert_eq(run_shell("echo 'Error: no.' >&2; echo 'Command failed -:2' >&2; exit 1",
                           SP_STR("first\nsecond one\nthird\n"), NULL, &err),
                 SP_IO);
    cr_expect_str_eq(err.message, "'sh second one': Error: no.");
    cr_assert_eq(run_shell("echo 'Error: no.' >&2; echo 'Command failed -:9' >&2; exit 1",
                           SP_STR("first\n"), NULL, &err),
                 SP_IO);
    cr_expect_not_null(strstr(err.message, "Error: no."));
}

Test(lab_tool, swallows_a_large_output_and_refuses_one_that_is_too_large)
{
    sp_arena_t arena;
    sp_buf_t output;

    sp_arena_init(&arena, NULL, 0, 4096);
    sp_buf_init(&output, &arena, 300000);
    cr_assert_eq(run_shell("head -c 300000 /dev/zero; head -c 100000 /dev/zero >&2", SP_STR(""),
                           &output, NULL),
                 SP_OK);
    cr_expect_eq(output.len, 300000);
    sp_buf_init(&output, &arena, 300000);
    cr_expect_eq(run_shell("head -c 300001 /dev/zero", SP_STR(""), &output, NULL), SP_TOO_LONG);
    sp_arena_clear(&arena);
}

Test(lab_tool, does_not_wait_for_ever)
{
    const char *argv[] = {"sleep", "100", NULL};
    sp_tool_t tool = {.argv = argv, .timeout_ms = 50};
    int64_t begin = sp_clock_ms();
    sp_error_t err;

    cr_assert_eq(sp_tool_run(&tool, NULL, &err), SP_IO);
    cr_expect_str_eq(err.message, "'sleep' did not end within 50 ms");
    cr_expect_lt(sp_clock_ms() - begin, 20000);
}

Test(lab_spawn, names_a_program_that_is_missing)
{
    static const char *const names[] = {"no-such-program", "/no/such/program", "/tmp", ""};

    for (size_t i = 0; i != SP_COUNT(names); ++i) {
        const char *argv[] = {names[i], NULL};
        sp_spawn_options_t options = {.argv = argv};
        sp_process_t process = {.pid = 0};
        sp_error_t err;

        cr_expect_eq(sp_spawn(&options, &process, &err), SP_NOT_FOUND, "%s", names[i]);
        cr_expect_eq(process.pid, 0);
    }
}

/* A script's programs are found where ours are, whatever PATH the user has. */
Test(lab_spawn, scripts_find_programs_in_all_folders)
{
    cr_assert_eq(setenv("PATH", "/nonexistent", 1), 0);
    cr_expect_neq(run_shell("env", SP_STR(""), NULL, NULL), SP_OK);
    cr_assert_eq(sp_program_path_extend("/somewhere/else", NULL), SP_OK);
    cr_expect_eq(strncmp(getenv("PATH"), "/nonexistent:/somewhere/else:/", 30), 0, "%s",
                 getenv("PATH"));
    cr_expect_eq(run_shell("env", SP_STR(""), NULL, NULL), SP_OK);
    cr_assert_eq(setenv("PATH", "", 1), 0);
    cr_assert_eq(sp_program_path_extend(NULL, NULL), SP_OK);
    cr_expect_eq(getenv("PATH")[0], '/', "an empty part would be the current folder");
}

Test(lab_spawn, tells_what_went_wrong_before_the_start)
{
    const char *argv[] = {"true", NULL};
    sp_spawn_options_t options = {.argv = argv, .folder = "/no/such/folder"};
    sp_process_t process = {.pid = 0};
    sp_error_t err;

    cr_assert_eq(sp_spawn(&options, &process, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "entering the working folder"));
    options = (sp_spawn_options_t){.argv = argv, .input = "/no/such/file"};
    cr_assert_eq(sp_spawn(&options, &process, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "/no/such/file"));
    options = (sp_spawn_options_t){.argv = argv, .output = "/no/such/folder/file"};
    cr_assert_eq(sp_spawn(&options, &process, &err), SP_IO);
}

Test(lab_spawn, environment_replaces_and_adds)
{
    const char *argv[] = {"sh", "-c", "test \"$OLD\" = new -a \"$MORE\" = more -a -n \"$PATH\"",
                          NULL};
    const char *environment[] = {"OLD=new", "MORE=more", NULL};
    sp_spawn_options_t options = {.argv = argv, .environment = environment};
    sp_process_t process = {.pid = 0};

    cr_assert_eq(setenv("OLD", "old", 1), 0);
    cr_assert_eq(sp_spawn(&options, &process, NULL), SP_OK);
    cr_assert_eq(sp_process_wait(&process, -1, -1), SP_WAIT_ENDED);
    cr_expect_eq(process.status, 0);
}

Test(lab_spawn, only_three_files_are_open_and_signals_are_as_usual)
{
    sigset_t set;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sigemptyset(&set), 0);
    cr_assert_eq(sigaddset(&set, SIGTERM), 0);
    cr_assert_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    cr_assert_eq(dup2(STDERR_FILENO, 77), 77);
    cr_expect_eq(run_shell("test ! -e /proc/self/fd/77 && grep -q '^SigBlk:.0*$' /proc/self/status",
                           SP_STR(""), NULL, &err),
                 SP_OK, "%s", err.message);
    cr_expect_eq(close(77), 0);
}

Test(lab_process, is_asked_and_then_killed)
{
    sp_process_t process = spawn_shell("exec sleep 100");
    char text[64];

    cr_expect(sp_process_is_alive(&process));
    cr_expect_eq(sp_process_wait(&process, 0, -1), SP_WAIT_TIMEOUT);
    cr_expect_str_eq(sp_process_says(&process, text, sizeof(text)), "is running");
    sp_process_end(&process, SIGTERM, 20000);
    cr_expect_str_eq(sp_process_says(&process, text, sizeof(text)), "was killed by signal 15");
    cr_expect_not(sp_process_is_alive(&process));
    sp_process_end(&process, SIGTERM, 20000);
    cr_expect_eq(sp_process_wait(&process, -1, -1), SP_WAIT_ENDED);

    process = spawn_shell("trap '' TERM; echo; while :; do sleep 100; done");
    sp_process_end(&process, SIGTERM, 50);
    cr_expect(WIFSIGNALED(process.status));
}

Test(lab_process, a_dead_one_is_noticed_before_it_is_reaped)
{
    sp_process_t process = spawn_shell("exit 3");

    while (sp_process_is_alive(&process)) {
    }
    cr_expect_neq(process.pid, 0);
    cr_expect_eq(sp_process_wait(&process, -1, -1), SP_WAIT_ENDED);
    cr_expect_eq(WEXITSTATUS(process.status), 3);
}

Test(lab_process, waiting_ends_when_it_is_told_to)
{
    sp_process_t process = spawn_shell("exec sleep 100");
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "x", 1), 1);
    cr_expect_eq(sp_process_wait(&process, -1, ends[0]), SP_WAIT_STOP);
    sp_process_end(&process, SIGKILL, 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

Test(lab_helper, is_waited_for)
{
    const char *argv[] = {"sh", "-c", "printf rea; echo dy; exec sleep 100", NULL};
    sp_spawn_options_t options = {.argv = argv};
    sp_process_t process = {.pid = 0};
    sp_error_t err;

    cr_assert_eq(sp_helper_spawn(&options, &process, &err), SP_OK);
    cr_expect(sp_process_is_alive(&process));
    sp_process_end(&process, SIGTERM, 20000);
    argv[2] = "echo it will not work; exit 1";
    cr_assert_eq(sp_helper_spawn(&options, &process, &err), SP_IO);
    cr_expect_str_eq(err.message, "sh -c does not start: it will not work");
}
