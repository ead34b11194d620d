/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_SPAWN_H
#define SIGNPOST_LAB_SPAWN_H

/* Processes of the laboratory: a server in a network namespace, or a tool that runs and ends. Each
 * is the leader of a process group of its own and loses all file descriptors but 0, 1 and 2. */

#include <signpost/base/buf.h>
#include <signpost/base/error.h>
#include <sys/types.h>

#include "lab/cgroup.h"

/* A network namespace, held open. */
typedef struct sp_netns {
    int fd;
} sp_netns_t;

/* A file that is seen in another's place by this process alone: its own /etc/resolv.conf. Both must
 * exist. */
typedef struct sp_bind {
    const char *source, *target;
} sp_bind_t;

/* Everything that is zero or NULL has a meaning: the default. All is borrowed for the call only. */
typedef struct sp_spawn_options {
    const char *const *argv; /* ends in NULL; argv[0] with '/' or looked up by sp_program_find */
    const sp_netns_t *netns; /* sp_topology_netns; NULL: the caller's */
    const char *const *environment; /* "NAME=VALUE" … NULL, added to the caller's; or NULL */
    const char *folder;             /* working folder; NULL: the caller's */
    sp_cgroup_t *cgroup;            /* NULL: the caller's */
    uint64_t cpus;                  /* bit n: processor n; 0: all */
    int nice;                       /* added to the caller's */
    const char *input;  /* files; NULL: /dev/null. The latter two are made new; both may */
    const char *output; /* be the same */
    const char *errors;
    int output_fd, errors_fd; /* instead of files; 0: none */
    const sp_bind_t *binds;
    size_t bind_count;
} sp_spawn_options_t;

typedef struct sp_process {
    pid_t pid;  /* 0: none, as in a zeroed structure */
    int pidfd;  /* readable when it has ended, for poll */
    int status; /* as waitpid gives it, once it has been waited for */
} sp_process_t;

/* SP_NOT_FOUND: no such program; SP_IO: anything else. When it returns, the program is running as
 * asked for (whether it is ready is another question). */
sp_status_t sp_spawn(const sp_spawn_options_t *options, sp_process_t *ret_process, sp_error_t *err);

bool sp_process_is_alive(const sp_process_t *process);

typedef enum sp_wait {
    SP_WAIT_ENDED,   /* process->status is set, the process is reaped: pid is 0 */
    SP_WAIT_TIMEOUT, /* still running */
    SP_WAIT_STOP     /* stop_fd became readable; still running */
} sp_wait_t;

/* timeout_ms < 0: no limit; stop_fd -1: none (sp_capsule_stop_fd otherwise). */
sp_wait_t sp_process_wait(sp_process_t *process, int timeout_ms, int stop_fd);

/* Asks with `signal`, waits for `grace_ms`, then kills its process group. Reaps. Does nothing to a
 * process that is none or has ended (then it reaps only). */
void sp_process_end(sp_process_t *process, int signal, int grace_ms);

/* "ended with 3", "was killed by signal 9", into `text`, which it returns. */
const char *sp_process_says(const sp_process_t *process, char *text, size_t size);

/* Where a program is: on PATH, in /usr/local/sbin, /usr/sbin, /sbin, or in the folders of
 * `more_folders` (with ':' between them, or NULL). SP_NOT_FOUND when it is nowhere. */
sp_status_t sp_program_find(const char *name, const char *more_folders, char *path, size_t size);

/* Puts all of these folders into this process' PATH, so that scripts find what it finds. */
sp_status_t sp_program_path_extend(const char *more_folders, sp_error_t *err);

/* Runs a tool to its end (at most `timeout_ms`), with `input` on standard input. Fails unless it
 * ends with 0; then the message holds the command and the first line of what it wrote to standard
 * error. `output` (may be NULL) gets standard output. */
typedef struct sp_tool {
    const char *const *argv;
    const sp_netns_t *netns;
    sp_str_t input;
    int timeout_ms; /* 0: 10 s */
} sp_tool_t;
sp_status_t sp_tool_run(const sp_tool_t *tool, sp_buf_t *output, sp_error_t *err);

#endif
