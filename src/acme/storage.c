/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/storage.h"

#include "acme/storage_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[] = {
    SP_STORAGE_STATE,
    SP_STORAGE_STATE "/accounts",
    SP_STORAGE_STATE "/alpn",
    SP_STORAGE_STATE "/challenges",
    SP_STORAGE_STATE "/failures",
    SP_STORAGE_STATE "/locks",
    SP_STORAGE_STATE "/new",
    SP_STORAGE_STATE "/old",
    SP_STORAGE_STATE "/orders",
    SP_STORAGE_STATE "/ready",
};

static sp_status_t make_folders(const sp_storage_t *storage, sp_error_t *err)
{
    for (size_t i = 0; i != SP_COUNT(folders); ++i) {
        if (mkdirat(storage->root, folders[i], 0700) != 0 && errno != EEXIST) {
            return sp_fail(err, SP_IO, 0, "%.100s/%s: %s", storage->path, folders[i],
                           strerror(errno));
        }
    }
    if (faccessat(storage->root, SP_STORAGE_STATE "/new", W_OK | X_OK, AT_EACCESS) != 0 ||
        faccessat(storage->root, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        return sp_fail(err, SP_IO, 0, "%.150s: %s", storage->path, strerror(errno));
    }
    return SP_OK;
}

sp_status_t sp_storage_open(const char *path, bool create, sp_storage_t **ret_storage,
                            sp_error_t *err)
{
    sp_storage_t *storage = calloc(1, sizeof(*storage));
    sp_status_t status = SP_OK;

    if (storage == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    storage->root = -1;
    if (create && mkdir(path, 0700) != 0 && errno != EEXIST) {
        status = sp_fail(err, SP_IO, 0, "%.150s: %s", path, strerror(errno));
    } else if ((storage->path = realpath(path, NULL)) == NULL ||
               (storage->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1) {
        status = sp_fail(err, errno == ENOENT ? SP_NOT_FOUND : SP_IO, 0, "%.150s: %s", path,
                         strerror(errno));
    } else if (create) {
        status = make_folders(storage, err);
    }
    if (status != SP_OK) {
        sp_storage_close(storage);
        return status;
    }
    *ret_storage = storage;
    return SP_OK;
}

void sp_storage_close(sp_storage_t *storage)
{
    if (storage == NULL) {
        return;
    }
    if (storage->root != -1) {
        (void)close(storage->root);
    }
    free(storage->path);
    free(storage);
}

const char *sp_storage_path(const sp_storage_t *storage)
{
    return storage->path;
}

sp_storage_name_t sp_storage_name(const char *prefix, sp_str_t name, const char *suffix)
{
    sp_storage_name_t out;

    (void)snprintf(out.text, sizeof(out.text), "%s%.*s%s", prefix, (int)name.len, name.ptr, suffix);
    return out;
}

/* --- Locks --- */

/* Is what was locked still what has the name? Its last owner may have taken it away meanwhile. */
static bool is_current(const sp_storage_t *storage, const char *at, int fd)
{
    struct stat locked;
    struct stat named;

    return fstat(fd, &locked) == 0 && fstatat(storage->root, at, &named, 0) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

sp_status_t sp_storage_lock(const sp_storage_t *storage, const char *at, bool wait, int *ret_fd)
{
    int fd = -1;

    for (;;) {
        int result = 0;

        fd = openat(storage->root, at, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd == -1) {
            return SP_IO;
        }
        do {
            result = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
        } while (result != 0 && errno == EINTR);
        if (result != 0) {
            sp_status_t status = errno == EWOULDBLOCK ? SP_NOT_FOUND : SP_IO;

            (void)close(fd);
            return status;
        }
        if (is_current(storage, at, fd)) {
            *ret_fd = fd;
            return SP_OK;
        }
        (void)close(fd);
    }
}

void sp_storage_unlock(const sp_storage_t *storage, const char *at, int fd)
{
    (void)unlinkat(storage->root, at, 0);
    (void)close(fd);
}

/* --- Certificates --- */

sp_status_t sp_storage_read_pair(const sp_storage_t *storage, sp_str_t name, sp_arena_t *arena,
                                 sp_str_t *ret_chain, sp_str_t *ret_key)
{
    sp_storage_name_t at = sp_storage_name("", name, "/fullchain.pem");
    sp_status_t status = sp_storage_read(storage, at.text, arena, ret_chain);

    if (status == SP_OK) {
        at = sp_storage_name("", name, "/privkey.pem");
        status = sp_storage_read(storage, at.text, arena, ret_key);
    }
    return status;
}

/* Where two folders can't change places in one step (some network file systems), the old one steps
 * aside first: for a moment there is none, but never half of one. */
static bool replace_folder(const sp_storage_t *storage, const char *ready, const char *place,
                           const char *aside)
{
    if (renameat(storage->root, ready, storage->root, place) == 0) {
        return true; /* there was none */
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
        return false;
    }
    if (sp_storage_exchange(storage->root, ready, place)) {
        return true;
    }
    sp_storage_remove_folder(storage, aside);
    return renameat(storage->root, place, storage->root, aside) == 0 &&
           renameat(storage->root, ready, storage->root, place) == 0;
}

sp_status_t sp_storage_install(const sp_storage_t *storage, sp_str_t name, sp_str_t chain,
                               sp_str_t key, sp_error_t *err)
{
    sp_storage_name_t ready = sp_storage_name(SP_STORAGE_STATE "/ready/", name, "");
    sp_storage_name_t aside = sp_storage_name(SP_STORAGE_STATE "/old/", name, "");
    sp_storage_name_t place = sp_storage_name("", name, "");
    sp_storage_name_t file = sp_storage_name(SP_STORAGE_STATE "/ready/", name, "/privkey.pem");
    sp_status_t status = sp_storage_empty_folder(storage, ready.text, err);

    if (status == SP_OK) {
        status = sp_storage_write(storage, file.text, key, err);
    }
    if (status == SP_OK) {
        file = sp_storage_name(SP_STORAGE_STATE "/ready/", name, "/fullchain.pem");
        status = sp_storage_write(storage, file.text, chain, err);
    }
    if (status == SP_OK && !replace_folder(storage, ready.text, place.text, aside.text)) {
        status = sp_fail(err, SP_IO, 0, "%.*s: %s", (int)name.len, name.ptr, strerror(errno));
    }
    (void)fsync(storage->root);
    sp_storage_remove_folder(storage, ready.text);
    sp_storage_remove_folder(storage, aside.text);
    return status;
}

sp_status_t sp_storage_forget(const sp_storage_t *storage, sp_str_t name)
{
    sp_storage_name_t place = sp_storage_name("", name, "");
    sp_storage_name_t aside = sp_storage_name(SP_STORAGE_STATE "/old/", name, "");

    sp_storage_remove_folder(storage, aside.text);
    if (renameat(storage->root, place.text, storage->root, aside.text) != 0) {
        return errno == ENOENT ? SP_NOT_FOUND : SP_IO;
    }
    (void)fsync(storage->root);
    sp_storage_remove_folder(storage, aside.text);
    return SP_OK;
}

/* --- Walking --- */

struct sp_storage_walk {
    DIR *folder;
};

sp_storage_walk_t *sp_storage_walk_begin(const sp_storage_t *storage, const char *at)
{
    sp_storage_walk_t *walk = calloc(1, sizeof(*walk));
    int fd = walk == NULL ? -1 : openat(storage->root, at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd != -1 && (walk->folder = fdopendir(fd)) == NULL) {
        (void)close(fd);
    }
    if (walk != NULL && walk->folder == NULL) {
        free(walk);
        return NULL;
    }
    return walk;
}

bool sp_storage_walk_next(sp_storage_walk_t *walk, char ret_name[256], sp_str_t *ret)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread walks one folder */
    const struct dirent *entry = readdir(walk->folder);

    while (entry != NULL && entry->d_name[0] == '.') {
        /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
        entry = readdir(walk->folder);
    }
    if (entry == NULL) {
        return false;
    }
    (void)snprintf(ret_name, 256, "%s", entry->d_name);
    *ret = sp_str_from(ret_name);
    return true;
}

void sp_storage_walk_end(sp_storage_walk_t *walk)
{
    if (walk != NULL) {
        (void)closedir(walk->folder);
        free(walk);
    }
}
