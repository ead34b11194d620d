/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CHILD_H
#define SIGNPOST_ACME_CHILD_H

/* A program run beside the loop, in a process group of its own: clean environment, what it prints
 * kept up to a limit, its end waited for without blocking. */

#include <signpost/base/error.h>
#include <sys/types.h>

#define SP_CHILD_OUTPUT_MAX ((size_t)8 * 1024) /* octets that are kept; the rest is dropped */

typedef struct sp_child {
    pid_t pid;  /* 0: none */
    int output; /* what it prints on standard error; -1: closed */
    size_t len;
    int status; /* after the end: as from waitpid */
    char text[SP_CHILD_OUTPUT_MAX];
} sp_child_t;

typedef struct sp_child_command {
    const char *const *arguments; /* the first: the path of a program; NULL ends them */
    const char *path;             /* the environment's PATH */
    const char *home;             /* the environment's HOME */
    const char *result;           /* file for its standard output; created, mode 0600 */
    int lock;                     /* a descriptor that it keeps open all its life; -1: none */
} sp_child_command_t;

/* SP_OK, or SP_IO with the system's words. */
sp_status_t sp_child_start(const sp_child_command_t *command, sp_child_t *child, sp_error_t *err);

/* Takes what it has printed. False when there will be nothing more: it is ending. */
bool sp_child_read(sp_child_t *child);

/* True when it has ended; then it is gone, and `status` is set. Never blocks. */
bool sp_child_has_ended(sp_child_t *child);

/* Ends it and what it has started, at once. */
void sp_child_kill(sp_child_t *child);

/* The same, and waits until it is gone. Accepts all zero. */
void sp_child_clear(sp_child_t *child);

bool sp_child_succeeded(const sp_child_t *child);
sp_str_t sp_child_output(const sp_child_t *child);

#endif
