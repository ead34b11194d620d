/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/note.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/cgroup_folder.h"
#include "lab/kernel_file.h"

#define FOLDER "signpost-lab"
#define LOCK FOLDER "/lock"
#define NOTE FOLDER "/note"
#define GROUP_PREFIX "signpost-lab."
#define NOTE_MAX 4096
#define LOCK_TRIES 100
#define CONNTRACK_MAX_FILE "/proc/sys/net/netfilter/nf_conntrack_max"

bool sp_conntrack_limit_read(uint64_t *ret_limit)
{
    char memory[32];
    sp_str_t text;

    return sp_kernel_file_read(CONNTRACK_MAX_FILE, memory, sizeof(memory), &text) &&
           sp_str_to_uint(sp_str_trim(text), UINT64_MAX, ret_limit);
}

bool sp_conntrack_limit_write(uint64_t limit)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%" PRIu64, limit);
    return sp_kernel_file_write(CONNTRACK_MAX_FILE, text);
}

/* Only names that a run gives: the note must never lead to another's group. */
static bool read_group(sp_str_t name, char group[SP_NOTE_GROUP_MAX])
{
    uint64_t number = 0;

    if (!sp_str_starts_with(name, SP_STR(GROUP_PREFIX)) || name.len >= SP_NOTE_GROUP_MAX ||
        !sp_str_to_uint(sp_str_skip(name, strlen(GROUP_PREFIX)), UINT32_MAX, &number)) {
        return false;
    }
    memcpy(group, name.ptr, name.len);
    group[name.len] = '\0';
    return true;
}

static bool read_line(sp_str_t line, sp_note_content_t *content)
{
    sp_str_t value;
    sp_str_t key = sp_str_cut(line, ' ', &value);

    if (sp_str_eq(key, SP_STR("process"))) {
        return sp_str_to_uint(value, UINT32_MAX, &content->process);
    }
    if (sp_str_eq(key, SP_STR("group"))) {
        return read_group(value, content->group);
    }
    if (sp_str_eq(key, SP_STR("cpu-switched"))) {
        content->cpu_switched = true;
        return value.ptr == NULL;
    }
    if (sp_str_eq(key, SP_STR("conntrack"))) {
        sp_str_t second;
        sp_str_t first = sp_str_cut(value, ' ', &second);

        return sp_str_to_uint(first, UINT32_MAX, &content->conntrack_old) &&
               sp_str_to_uint(second, UINT32_MAX, &content->conntrack_new) &&
               content->conntrack_old != 0 && content->conntrack_new != 0;
    }
    return false;
}

/* A line that was being written when its writer was killed lacks its end: what it announces has not
 * been done. */
sp_status_t sp_note_parse(sp_str_t text, sp_note_content_t *ret_content)
{
    sp_note_content_t content;

    memset(&content, 0, sizeof(content));
    while (sp_str_find(text, '\n') != text.len) {
        if (!read_line(sp_str_cut(text, '\n', &text), &content)) {
            return SP_BAD_SYNTAX;
        }
    }
    *ret_content = content;
    return SP_OK;
}

/* Is the locked file still the one that has the name? The one who had it before may just have
 * removed it. */
static bool is_named(const sp_note_t *note)
{
    struct stat locked;
    struct stat named;

    return fstat(note->lock_fd, &locked) == 0 &&
           fstatat(note->run_fd, LOCK, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

static bool read_note(const sp_note_t *note, sp_note_content_t *ret_content)
{
    char memory[NOTE_MAX];
    sp_str_t text;
    int fd = openat(note->run_fd, NOTE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    return sp_kernel_file_read_fd(fd, memory, sizeof(memory), &text) &&
           sp_note_parse(text, ret_content) == SP_OK;
}

/* A limit that someone else has changed since stays. */
static void put_back_conntrack(const sp_note_content_t *content)
{
    uint64_t now = 0;

    if (content->conntrack_new != 0 && sp_conntrack_limit_read(&now) &&
        now == content->conntrack_new) {
        (void)sp_conntrack_limit_write(content->conntrack_old);
    }
}

void sp_note_put_back_conntrack(const sp_note_t *note)
{
    sp_note_content_t content;

    if (read_note(note, &content)) {
        put_back_conntrack(&content);
    }
}

void sp_note_put_back(const sp_note_t *note)
{
    sp_note_content_t content;

    if (!is_named(note)) {
        return; /* all is done, and what is there now is the next one's */
    }
    if (read_note(note, &content)) {
        put_back_conntrack(&content);
        if (content.group[0] != '\0') {
            sp_cgroup_name_remove(content.group);
        }
        if (content.cpu_switched) {
            sp_cgroup_cpu_switch(false);
        }
    }
    (void)unlinkat(note->run_fd, NOTE, 0);
}

sp_status_t sp_note_add(const sp_note_t *note, const char *line, sp_error_t *err)
{
    char text[NOTE_MAX];
    int len = snprintf(text, sizeof(text), "%s\n", line);
    int fd = openat(note->run_fd, NOTE, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                    S_IRUSR | S_IWUSR);

    if (len < 0 || len >= NOTE_MAX || !sp_kernel_file_write_fd(fd, text)) {
        return sp_fail(err, SP_IO, 0, "/run/" NOTE ": %s", strerror(errno));
    }
    return SP_OK;
}

static sp_status_t refuse(const sp_note_t *note, sp_error_t *err)
{
    sp_note_content_t content = {.process = 0};

    if (read_note(note, &content) && content.process != 0) {
        return sp_fail(err, SP_UNSUPPORTED, 0,
                       "another laboratory is running (process %" PRIu64
                       "); wait for it, or stop it with: kill %" PRIu64,
                       content.process, content.process);
    }
    return sp_fail(err, SP_UNSUPPORTED, 0, "another laboratory is running; wait for its end");
}

typedef enum attempt { LOCKED, REFUSED, AGAIN, FAILED } attempt_t;

static attempt_t try_lock(sp_note_t *note)
{
    if (mkdirat(note->run_fd, FOLDER, S_IRWXU) != 0 && errno != EEXIST) {
        return FAILED;
    }
    note->lock_fd =
        openat(note->run_fd, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (note->lock_fd < 0) {
        return errno == ENOENT ? AGAIN : FAILED;
    }
    if (flock(note->lock_fd, LOCK_EX | LOCK_NB) == 0 && is_named(note)) {
        return LOCKED;
    }
    if (errno == EWOULDBLOCK && is_named(note)) {
        return REFUSED;
    }
    (void)close(note->lock_fd);
    note->lock_fd = -1;
    return AGAIN;
}

sp_status_t sp_note_lock(sp_note_t *ret_note, sp_error_t *err)
{
    sp_note_t note = {.run_fd = open("/run", O_PATH | O_DIRECTORY | O_CLOEXEC), .lock_fd = -1};
    attempt_t attempt = AGAIN;
    sp_status_t status = SP_OK;

    for (int i = 0; i != LOCK_TRIES && attempt == AGAIN; ++i) {
        errno = 0;
        attempt = try_lock(&note);
    }
    if (attempt == LOCKED) {
        sp_note_put_back(&note);
        *ret_note = note;
        return SP_OK;
    }
    status = attempt == REFUSED
                 ? refuse(&note, err)
                 : sp_fail(err, SP_IO, 0, "/run/" LOCK " cannot be locked: %s", strerror(errno));
    if (note.lock_fd >= 0) {
        (void)close(note.lock_fd);
    }
    if (note.run_fd >= 0) {
        (void)close(note.run_fd);
    }
    return status;
}

void sp_note_unlock(sp_note_t *note)
{
    if (note->lock_fd >= 0) {
        if (is_named(note)) {
            (void)unlinkat(note->run_fd, LOCK, 0);
            (void)unlinkat(note->run_fd, FOLDER, AT_REMOVEDIR);
        }
        (void)close(note->lock_fd);
        (void)close(note->run_fd);
        note->lock_fd = -1;
        note->run_fd = -1;
    }
}
