/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CAPSULE_H
#define SIGNPOST_LAB_CAPSULE_H

/* A place for a run that leaves nothing behind, however it ends.
 *
 * The caller forks a *warden*, and the warden forks the *conductor*, which does the work as process
 * 1 of a PID namespace, with mount, network, UTS and IPC namespaces of its own. All servers are its
 * descendants: when it dies, of whatever, the kernel ends them, and with them every network
 * namespace, interface, rule and mount. What exists outside (control groups, a limit of the whole
 * machine) is written down in a note before it is made, and put back by the conductor; if that was
 * killed, by the warden; if both were, by the caller; if all were, by the next run.
 *
 * One run at a time on a machine: the second is refused. Terminal signals reach only the caller,
 * which passes them on as a request to stop (a second one, or ten seconds, end the conductor). */

#include <signpost/base/error.h>
#include <sys/types.h>

#include "lab/cgroup.h"

typedef struct sp_capsule sp_capsule_t;

/* What is to be done inside. Its result (0 … 255) becomes that of the run. Standard output and
 * error are the caller's; files that the caller had open stay open. /run is empty in there,
 * everything else of the file system is as outside: open what is to be written under /run before.
 */
typedef int sp_capsule_work_t(sp_capsule_t *capsule, void *arg);

/* What is to be done before, outside, once no other run can be under way. Anything but SP_OK ends
 * the run, and is what it returns. */
typedef sp_status_t sp_capsule_prepare_t(void *arg, sp_error_t *err);

/* Returns when the run has ended and all is put back. SP_UNSUPPORTED: not root, no namespaces here,
 * or another run is under way; SP_IO: it could not be set up or was killed. The message is for the
 * user. SP_OK also when `work` was asked to stop: it says so by its result. `prepare` may be NULL.
 * Must be called while the process has one thread. */
sp_status_t sp_capsule_run(sp_capsule_prepare_t *prepare, sp_capsule_work_t *work, void *arg,
                           int *ret_result, sp_error_t *err);

/* Inside. */

/* A file descriptor that becomes, and stays, readable when the work is to end, for poll. */
int sp_capsule_stop_fd(const sp_capsule_t *capsule);
bool sp_capsule_is_stopping(const sp_capsule_t *capsule);

/* A private folder in memory, gone with the capsule; without a final '/'. Everyone may enter it, as
 * servers that give up root do. TMPDIR of all processes is a folder in it. */
const char *sp_capsule_folder(const sp_capsule_t *capsule);

/* Sets net.netfilter.nf_conntrack_max of the whole machine; it is put back at the end, or by
 * sp_capsule_restore_conntrack. SP_UNSUPPORTED where it cannot be set. */
sp_status_t sp_capsule_limit_conntrack(sp_capsule_t *capsule, unsigned max, sp_error_t *err);
void sp_capsule_restore_conntrack(sp_capsule_t *capsule);

/* The control group of all processes in here; its name stands in the note. See cgroup.h. */
sp_cgroup_t *sp_capsule_cgroup(const sp_capsule_t *capsule);

/* Ends every process in here but the caller, and waits for them: between two set-ups. */
void sp_capsule_end_processes(sp_capsule_t *capsule);

#endif
