/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_NOTE_H
#define SIGNPOST_LAB_NOTE_H

/* One run at a time, and what is to be put back after it: a lock and a text file in
 * /run/signpost-lab. The lock is held by each process that has the descriptor, until the last of
 * them is gone; whoever gets it then, and finds a note, puts back what is written there. */

#include <signpost/base/error.h>
#include <sys/types.h>

typedef struct sp_note {
    int run_fd;  /* the folder /run, as it is outside of the capsule */
    int lock_fd; /* -1: not locked */
} sp_note_t;

/* What a note may say, one thing a line; each may be missing. Later lines win. */
#define SP_NOTE_GROUP_MAX 64
typedef struct sp_note_content {
    uint64_t process;              /* "process 123": that began the run */
    char group[SP_NOTE_GROUP_MAX]; /* "group signpost-lab.123": a control group that is ours */
    bool cpu_switched;             /* "cpu-switched": `cpu` was switched on at version 2's top */
    uint64_t conntrack_old;        /* "conntrack 262144 1000": nf_conntrack_max was set from the */
    uint64_t conntrack_new;        /* first to the second; 0: it was not */
} sp_note_content_t;

/* Anything else than the above: SP_BAD_SYNTAX, and nothing is to be put back by that note. */
sp_status_t sp_note_parse(sp_str_t text, sp_note_content_t *ret_content);

/* Makes the folder, locks, and puts back what a run before this one has left. SP_UNSUPPORTED:
 * another run is under way. */
sp_status_t sp_note_lock(sp_note_t *ret_note, sp_error_t *err);

/* Adds a line (without its end), before what it says is done. */
sp_status_t sp_note_add(const sp_note_t *note, const char *line, sp_error_t *err);

/* Puts back what the note says and removes it; by the last one alive. The caller must be in the
 * network namespace from which the limit was set. */
void sp_note_put_back(const sp_note_t *note);

/* Takes back the limit on connection tracking alone. */
void sp_note_put_back_conntrack(const sp_note_t *note);

/* Removes lock and folder. */
void sp_note_unlock(sp_note_t *note);

/* net.netfilter.nf_conntrack_max of this network namespace. */
bool sp_conntrack_limit_read(uint64_t *ret_limit);
bool sp_conntrack_limit_write(uint64_t limit);

#endif
