/* SPDX-License-Identifier: Apache-2.0 */

/* The conductor: makes the namespaces, does the work in them, and takes them with it. */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/capsule_state.h"
#include "lab/cgroup.h"
#include "lab/cgroup_folder.h"

#define TEMPORARY SP_CAPSULE_FOLDER "/tmp"
#define HOST_NAME "signpost-lab"
#define WARDEN_MS 500 /* that a killed one may take to die */
#define OPEN_TO_ALL (S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH)

/* Writes what went wrong where the caller finds it. */
static bool fail(const sp_capsule_t *capsule, const char *what)
{
    capsule->report->failed = true;
    (void)sp_fail(&capsule->report->error, SP_UNSUPPORTED, 0,
                  "the laboratory cannot be set up here: %s: %s", what, strerror(errno));
    return false;
}

/* Stops as well when the caller dies; the warden would see to it, but may be dead. */
static bool await_go(sp_capsule_t *capsule)
{
    sigset_t set;
    char octet;
    ssize_t got;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    capsule->outer_netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    capsule->stop_fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (capsule->stop_fd < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        return fail(capsule, "signals");
    }
    (void)setsid();
    sp_fd_close(&capsule->pipes.caller[1]);
    sp_fd_close(&capsule->pipes.warden[1]);
    sp_fd_close(&capsule->pipes.go[1]);
    do {
        got = read(capsule->pipes.go[0], &octet, sizeof(octet));
    } while (got < 0 && errno == EINTR);
    sp_fd_close(&capsule->pipes.go[0]);
    return got == 1;
}

/* Thousands of connections: as many files as may be. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool make_folder(const char *path, mode_t mode)
{
    return mkdir(path, mode) == 0 && chmod(path, mode) == 0;
}

/* Names of network namespaces, locks and working files are in memory and private. */
static bool mount_private(const sp_capsule_t *capsule)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return fail(capsule, "private mounts");
    }
    if (mount("signpost-lab", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0 ||
        !make_folder(SP_CAPSULE_FOLDER, OPEN_TO_ALL) || !make_folder("/run/netns", OPEN_TO_ALL) ||
        !make_folder("/run/lock", S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX) ||
        !make_folder(TEMPORARY, S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX)) {
        return fail(capsule, "a folder in memory at /run");
    }
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        return fail(capsule, "a /proc of its own");
    }
    return true;
}

static bool raise_loopback(const sp_capsule_t *capsule)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request;
    bool good = false;

    memset(&request, 0, sizeof(request));
    (void)snprintf(request.ifr_name, sizeof(request.ifr_name), "lo");
    request.ifr_flags = IFF_UP;
    good = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (!good) {
        (void)fail(capsule, "the loopback interface");
    }
    sp_fd_close(&fd);
    return good;
}

static bool enter(sp_capsule_t *capsule)
{
    raise_file_limit();
    if (sp_cgroup_enter(capsule->group, 0, &capsule->report->error) != SP_OK) {
        capsule->report->failed = true;
        return false;
    }
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC) != 0) {
        return fail(capsule, "namespaces");
    }
    if (!mount_private(capsule)) {
        return false;
    }
    capsule->own_netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (capsule->outer_netns < 0 || capsule->own_netns < 0 ||
        sethostname(HOST_NAME, strlen(HOST_NAME)) != 0 || setenv("TMPDIR", TEMPORARY, 1) != 0) {
        return fail(capsule, "namespaces");
    }
    return raise_loopback(capsule);
}

/* Does nobody hold the writing end any more, or let it go within this time? */
static bool is_orphaned(int fd, int timeout_ms)
{
    struct pollfd entry = {.fd = fd, .events = 0};

    return poll(&entry, 1, timeout_ms) == 1 && (entry.revents & POLLHUP) != 0;
}

/* When the caller has died, what it would have put back. The warden would do the same afterwards;
 * it may have been killed as well, or be dying just now. The lock goes with the last one alive. */
static void put_back_for_caller(sp_capsule_t *capsule)
{
    if (capsule->outer_netns < 0 || !is_orphaned(capsule->pipes.caller[0], 0) ||
        setns(capsule->outer_netns, CLONE_NEWNET) != 0) {
        return;
    }
    sp_cgroup_leave();
    sp_note_put_back(&capsule->note);
    if (is_orphaned(capsule->pipes.warden[0], WARDEN_MS)) {
        sp_note_unlock(&capsule->note);
    }
}

_Noreturn void sp_capsule_conduct(sp_capsule_t *capsule)
{
    int result = 1;

    if (await_go(capsule) && enter(capsule)) {
        result = capsule->work(capsule, capsule->arg);
        (void)fflush(NULL);
    }
    sp_capsule_end_processes(capsule);
    put_back_for_caller(capsule);
    _exit(result);
}

int sp_capsule_stop_fd(const sp_capsule_t *capsule)
{
    return capsule->stop_fd;
}

bool sp_capsule_is_stopping(const sp_capsule_t *capsule)
{
    struct pollfd entry = {.fd = capsule->stop_fd, .events = POLLIN};

    return poll(&entry, 1, 0) == 1;
}

const char *sp_capsule_folder(const sp_capsule_t *capsule)
{
    (void)capsule;
    return SP_CAPSULE_FOLDER;
}

sp_cgroup_t *sp_capsule_cgroup(const sp_capsule_t *capsule)
{
    return capsule->group;
}

void sp_capsule_end_processes(sp_capsule_t *capsule)
{
    pid_t got;

    (void)capsule;
    if (getpid() != 1) {
        return; /* never the machine's processes */
    }
    (void)kill(-1, SIGKILL); /* all in this PID namespace but process 1 */
    do {
        got = waitpid(-1, NULL, 0);
    } while (got > 0 || (got < 0 && errno == EINTR));
}

sp_status_t sp_capsule_limit_conntrack(sp_capsule_t *capsule, unsigned max, sp_error_t *err)
{
    char line[64];
    uint64_t old = 0;
    sp_status_t status = SP_OK;

    if (setns(capsule->outer_netns, CLONE_NEWNET) != 0) {
        return sp_fail(err, SP_UNSUPPORTED, 0, "the machine's network namespace: %s",
                       strerror(errno));
    }
    sp_note_put_back_conntrack(&capsule->note);
    if (!sp_conntrack_limit_read(&old) || old == 0 || !sp_conntrack_limit_write(old)) {
        status = sp_fail(err, SP_UNSUPPORTED, 0,
                         "the limit on connection tracking cannot be set from here: %s",
                         strerror(errno));
    }
    if (status == SP_OK) {
        (void)snprintf(line, sizeof(line), "conntrack %llu %u", (unsigned long long)old, max);
        status = sp_note_add(&capsule->note, line, err);
    }
    if (status == SP_OK && !sp_conntrack_limit_write(max)) {
        status = sp_fail(err, SP_UNSUPPORTED, 0,
                         "the limit on connection tracking cannot be %u: %s", max, strerror(errno));
    }
    if (setns(capsule->own_netns, CLONE_NEWNET) != 0) {
        status = sp_fail(err, SP_IO, 0, "the network namespace is lost: %s", strerror(errno));
    }
    return status;
}

void sp_capsule_restore_conntrack(sp_capsule_t *capsule)
{
    if (setns(capsule->outer_netns, CLONE_NEWNET) == 0) {
        sp_note_put_back_conntrack(&capsule->note);
        (void)setns(capsule->own_netns, CLONE_NEWNET);
    }
}
