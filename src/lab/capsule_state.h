/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CAPSULE_STATE_H
#define SIGNPOST_LAB_CAPSULE_STATE_H

/* What the processes of a capsule share by being forked from one another, and their parts. */

#include "lab/capsule.h"
#include "lab/note.h"

#define SP_CAPSULE_FOLDER "/run/signpost-lab"

/* How long a conductor that was asked to stop may take, before it is killed. */
#define SP_CAPSULE_GRACE_MS 10000

/* Pipes whose ends tell who lives. */
typedef struct sp_capsule_pipes {
    int caller[2]; /* the caller holds [1], all hold [0]. It tells the warden process numbers
                      (pid_t): the conductor's, and 0 when it is no longer needed */
    int warden[2]; /* the warden holds [1], the conductor [0]; nothing is written */
    int go[2];     /* the conductor begins when it reads an octet, and ends when it cannot */
} sp_capsule_pipes_t;

/* In memory that caller and conductor share. */
typedef struct sp_capsule_report {
    bool failed; /* before the work began */
    sp_error_t error;
} sp_capsule_report_t;

struct sp_capsule {
    sp_note_t note;
    sp_cgroup_t *group;
    sp_capsule_pipes_t pipes;
    sp_capsule_report_t *report;
    sp_capsule_work_t *work;
    void *arg;
    int stop_fd;     /* the conductor's */
    int outer_netns; /* the network namespace in which the run was begun */
    int own_netns;   /* the conductor's */
};

/* The conductor's and the warden's whole lives. */
_Noreturn void sp_capsule_conduct(sp_capsule_t *capsule);
_Noreturn void sp_capsule_ward(sp_capsule_t *capsule);

int sp_pidfd_open(pid_t pid); /* -1 and errno */

/* Waits until the process of a pidfd has ended; false when `timeout_ms` was too short. */
bool sp_pidfd_wait(int pidfd, int timeout_ms);
void sp_pidfd_kill(int pidfd, int signal);

void sp_fd_close(int *fd); /* and makes it -1; -1 is accepted */

#endif
