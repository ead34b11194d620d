/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/storage_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sp_storage_exchange(int root, const char *a, const char *b)
{
    return renameat2(root, a, root, b, RENAME_EXCHANGE) == 0;
}

static sp_status_t read_all(int fd, size_t size, sp_arena_t *arena, sp_str_t *ret_text)
{
    char *text = sp_arena_alloc(arena, size + 1);
    size_t len = 0;

    if (text == NULL) {
        return SP_NO_MEMORY;
    }
    while (len != size) {
        ssize_t got = read(fd, text + len, size - len);

        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return SP_IO;
        }
        len += got < 0 ? 0 : (size_t)got;
    }
    text[len] = '\0';
    *ret_text = (sp_str_t){.ptr = text, .len = len};
    return SP_OK;
}

sp_status_t sp_storage_read(const sp_storage_t *storage, const char *at, sp_arena_t *arena,
                            sp_str_t *ret_text)
{
    int fd = openat(storage->root, at, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    sp_status_t status = SP_IO;

    if (fd == -1) {
        return errno == ENOENT || errno == ENOTDIR ? SP_NOT_FOUND : SP_IO;
    }
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        status = about.st_size > (off_t)SP_STORAGE_FILE_MAX
                     ? SP_TOO_LONG
                     : read_all(fd, (size_t)about.st_size, arena, ret_text);
    }
    (void)close(fd);
    return status;
}

static bool write_all(int fd, sp_str_t text)
{
    while (text.len != 0) {
        ssize_t written = write(fd, text.ptr, text.len);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        text = sp_str_skip(text, written < 0 ? 0 : (size_t)written);
    }
    return fsync(fd) == 0;
}

/* A rename is there after a crash when its folder has been synced. */
static void sync_folder_of(const sp_storage_t *storage, const char *at)
{
    char folder[SP_STORAGE_PATH_MAX];
    size_t end = sp_str_find_last(sp_str_from(at), '/');
    int fd = -1;

    (void)snprintf(folder, sizeof(folder), "%.*s", (int)end, at);
    fd = openat(storage->root, at[end] == '/' ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd != -1) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

sp_status_t sp_storage_write(const sp_storage_t *storage, const char *at, sp_str_t text,
                             sp_error_t *err)
{
    char new_path[SP_STORAGE_PATH_MAX];
    int len =
        snprintf(new_path, sizeof(new_path), "%s/" SP_STORAGE_STATE "/new/XXXXXX", storage->path);
    int fd = -1;
    bool done = false;

    if (len > 0 && (size_t)len < sizeof(new_path)) {
        fd = mkostemp(new_path, O_CLOEXEC); /* mode 0600 */
    }
    if (fd == -1) {
        return sp_fail(err, SP_IO, 0, "%.150s: %s", new_path, strerror(errno));
    }
    done = write_all(fd, text);
    done = close(fd) == 0 && done;
    done = done && renameat(AT_FDCWD, new_path, storage->root, at) == 0;
    if (!done) {
        (void)sp_fail(err, SP_IO, 0, "%.150s: %s", at, strerror(errno));
        (void)unlink(new_path);
        return SP_IO;
    }
    sync_folder_of(storage, at);
    return SP_OK;
}

void sp_storage_remove(const sp_storage_t *storage, const char *at)
{
    (void)unlinkat(storage->root, at, 0);
}

/* Is a file to go? */
typedef bool is_to_go_fn(int folder, const char *name, time_t before);

static bool every(int folder, const char *name, time_t before)
{
    (void)folder;
    (void)before;
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool older(int folder, const char *name, time_t before)
{
    struct stat about;

    return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
           about.st_mtime < before;
}

static void clear_folder(const sp_storage_t *storage, const char *at, is_to_go_fn *is_to_go,
                         time_t before)
{
    int fd = openat(storage->root, at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd == -1 ? NULL : fdopendir(fd);

    if (folder == NULL) {
        if (fd != -1) {
            (void)close(fd);
        }
        return;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread walks one folder */
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (is_to_go(fd, entry->d_name, before)) {
            (void)unlinkat(fd, entry->d_name, 0);
        }
    }
    (void)closedir(folder);
}

static bool is_of_pair(int folder, const char *name)
{
    struct stat about;

    return (strcmp(name, "fullchain.pem") == 0 || strcmp(name, "privkey.pem") == 0) &&
           fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode);
}

bool sp_storage_is_own(const sp_storage_t *storage, sp_str_t name)
{
    sp_storage_name_t at = sp_storage_name("", name, "");
    int fd = openat(storage->root, at.text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd == -1 ? NULL : fdopendir(fd);
    size_t files = 0;
    size_t others = 0;

    if (folder == NULL) {
        if (fd != -1) {
            (void)close(fd);
        }
        return false;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread walks one folder */
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (every(fd, entry->d_name, 0)) {
            ++*(is_of_pair(fd, entry->d_name) ? &files : &others);
        }
    }
    (void)closedir(folder);
    return files == 2 && others == 0;
}

sp_status_t sp_storage_empty_folder(const sp_storage_t *storage, const char *at, sp_error_t *err)
{
    if (mkdirat(storage->root, at, 0700) == 0) {
        return SP_OK;
    }
    if (errno != EEXIST) {
        return sp_fail(err, SP_IO, 0, "%.150s: %s", at, strerror(errno));
    }
    clear_folder(storage, at, every, 0);
    return SP_OK;
}

void sp_storage_remove_folder(const sp_storage_t *storage, const char *at)
{
    clear_folder(storage, at, every, 0);
    (void)unlinkat(storage->root, at, AT_REMOVEDIR);
}

void sp_storage_sweep(const sp_storage_t *storage, const char *at, time_t now, time_t age_s)
{
    clear_folder(storage, at, older, now - age_s);
}
