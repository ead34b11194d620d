/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE 4096
#define VARIABLE_MAX 4200

/* Threads of ours block signals; a program that inherits that can't be ended. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;

    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETPGROUP);
}

/* Every descriptor of ours closes itself but for these. */
static int set_files(posix_spawn_file_actions_t *files, const sp_child_command_t *command, int pipe)
{
    int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (error == 0) {
        error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, command->result,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(files, pipe, STDERR_FILENO);
    }
    if (error == 0 && command->lock != -1) {
        error = posix_spawn_file_actions_adddup2(files, command->lock, command->lock);
    }
    return error;
}

static int spawn(const sp_child_command_t *command, int pipe, pid_t *ret_pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    char path[VARIABLE_MAX];
    char home[VARIABLE_MAX];
    char language[] = "LC_ALL=C";
    char *environment[] = {path, home, language, NULL};
    int error = posix_spawnattr_init(&attributes);

    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_init(&files);
    if (error != 0) {
        (void)posix_spawnattr_destroy(&attributes);
        return error;
    }
    (void)snprintf(path, sizeof(path), "PATH=%s", command->path);
    (void)snprintf(home, sizeof(home), "HOME=%s", command->home);
    error = set_attributes(&attributes);
    if (error == 0) {
        error = set_files(&files, command, pipe);
    }
    if (error == 0) {
        error = posix_spawn(ret_pid, command->arguments[0], &files, &attributes,
                            (char *const *)(uintptr_t)command->arguments, environment);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attributes);
    return error;
}

sp_status_t sp_child_start(const sp_child_command_t *command, sp_child_t *child, sp_error_t *err)
{
    int ends[2];
    int error = 0;

    *child = (sp_child_t){.output = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return sp_fail(err, SP_IO, 0, "pipe: %s", strerror(errno));
    }
    /* The child's end is an ordinary one: nothing that is printed gets lost. */
    (void)fcntl(ends[1], F_SETFL, 0);
    error = spawn(command, ends[1], &child->pid);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        child->pid = 0;
        return sp_fail(err, SP_IO, 0, "%.100s: %s", command->arguments[0], strerror(error));
    }
    child->output = ends[0];
    return SP_OK;
}

bool sp_child_read(sp_child_t *child)
{
    char dropped[READ_SIZE];

    while (child->output != -1) {
        size_t room = SP_CHILD_OUTPUT_MAX - child->len;
        ssize_t got = room == 0 ? read(child->output, dropped, sizeof(dropped))
                                : read(child->output, child->text + child->len, room);

        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        if (got < 0) {
            return true;
        }
        child->len += room == 0 ? 0 : (size_t)got;
    }
    return false;
}

bool sp_child_has_ended(sp_child_t *child)
{
    pid_t pid = child->pid == 0 ? 0 : waitpid(child->pid, &child->status, WNOHANG);

    if (child->pid != 0 && pid != child->pid && !(pid < 0 && errno == ECHILD)) {
        return false;
    }
    child->pid = 0;
    if (child->output != -1) {
        (void)sp_child_read(child);
        (void)close(child->output);
        child->output = -1;
    }
    return true;
}

void sp_child_kill(sp_child_t *child)
{
    if (child->pid != 0) {
        (void)kill(-child->pid, SIGKILL);
    }
}

void sp_child_clear(sp_child_t *child)
{
    if (child->pid != 0) {
        sp_child_kill(child);
        (void)waitpid(child->pid, &child->status, 0);
        (void)sp_child_has_ended(child);
    }
}

bool sp_child_succeeded(const sp_child_t *child)
{
    return WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0;
}

sp_str_t sp_child_output(const sp_child_t *child)
{
    return (sp_str_t){.ptr = child->text, .len = child->len};
}
