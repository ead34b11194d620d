/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/library.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lab/files.h"
#include "lab/json_reader.h"
#include "lab/spawn.h"

#define SUFFIX ".json"
#define IN_SOURCE "examples/lab" /* for who builds elsewhere and works in the source tree */

static bool is_library(const char *folder)
{
    char path[SP_LAB_PATH_MAX + 16];

    (void)snprintf(path, sizeof(path), "%s/experiments", folder);
    return access(path, R_OK | X_OK) == 0;
}

/* Servers get the path too, and work elsewhere. */
static bool try_folder(const char *folder, char *path)
{
    char *resolved = is_library(folder) ? realpath(folder, NULL) : NULL;
    bool fits = resolved != NULL && strlen(resolved) < SP_LAB_PATH_MAX;

    if (fits) {
        (void)snprintf(path, SP_LAB_PATH_MAX, "%s", resolved);
    }
    free(resolved);
    return fits;
}

/* `folder` behind that of the executable. */
static bool try_beside(const char *executable, const char *folder, char *path)
{
    char joined[SP_LAB_PATH_MAX];
    const char *name = strrchr(executable, '/');
    int len =
        snprintf(joined, sizeof(joined), "%.*s/%s", (int)(name - executable), executable, folder);

    return len > 0 && (size_t)len < sizeof(joined) && try_folder(joined, path);
}

static bool find_folder(const char *executable, char *path)
{
    static const char *const beside[] = {"../share/signpost/lab", "../examples/lab",
                                         "../../examples/lab"};

    for (size_t i = 0; i != SP_COUNT(beside); ++i) {
        if (try_beside(executable, beside[i], path)) {
            return true;
        }
    }
    return try_folder(SIGNPOST_LAB_FOLDER, path) || try_folder(IN_SOURCE, path);
}

/* Where programs are that are not packaged. */
static void find_program_folders(sp_lab_library_t *library)
{
    const char *given = getenv("SIGNPOST_LAB_PATH");
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool has_cache = cache != NULL && cache[0] == '/';

    (void)snprintf(library->program_folders, sizeof(library->program_folders),
                   "%s%s%s%s/signpost/lab/bin", given == NULL ? "" : given,
                   given == NULL || given[0] == '\0' ? "" : ":",
                   has_cache      ? cache
                   : home == NULL ? "/root"
                                  : home,
                   has_cache ? "" : "/.cache");
}

sp_status_t sp_lab_library_open(const char *given, sp_lab_library_t *ret_library, sp_error_t *err)
{
    ssize_t len = 0;

    memset(ret_library, 0, sizeof(*ret_library));
    len = readlink("/proc/self/exe", ret_library->executable, SP_LAB_PATH_MAX - 1);
    if (len <= 0) {
        return sp_fail(err, SP_IO, 0, "/proc/self/exe can't be read: %s", strerror(errno));
    }
    if (given != NULL) {
        char *resolved = realpath(given, NULL);

        (void)snprintf(ret_library->folder, SP_LAB_PATH_MAX, "%s",
                       resolved == NULL ? given : resolved);
        free(resolved);
        if (!is_library(ret_library->folder)) {
            return sp_fail(err, SP_NOT_FOUND, 0, "%.100s has no folder 'experiments' in it", given);
        }
    } else if (!find_folder(ret_library->executable, ret_library->folder)) {
        return sp_fail(err, SP_NOT_FOUND, 0,
                       "the experiments are neither installed nor in ./" IN_SOURCE
                       "; say where they are with --lab DIR (" IN_SOURCE " in the source)");
    }
    (void)snprintf(ret_library->roles_folder, sizeof(ret_library->roles_folder), "%s/roles",
                   ret_library->folder);
    find_program_folders(ret_library);
    return SP_OK;
}

void sp_lab_library_clear(sp_lab_library_t *library)
{
    for (size_t i = 0; i != library->role_count; ++i) {
        sp_lab_role_destroy(library->roles[i]);
    }
    library->role_count = 0;
}

static int compare_names(const void *a, const void *b)
{
    const char *const *one = a;
    const char *const *other = b;

    return strcmp(*one, *other);
}

sp_status_t sp_lab_library_experiments(const sp_lab_library_t *library, sp_lab_names_t *ret_names,
                                       sp_error_t *err)
{
    char path[SP_LAB_PATH_MAX + 16];
    DIR *folder = NULL;
    sp_lab_names_t names = {.count = 0};

    (void)snprintf(path, sizeof(path), "%s/experiments", library->folder);
    folder = opendir(path);
    if (folder == NULL) {
        return sp_fail(err, SP_IO, 0, "%.120s: %s", path, strerror(errno));
    }
    for (const struct dirent *entry = NULL; (entry = readdir(folder)) != NULL;) {
        sp_str_t name = sp_str_from(entry->d_name);

        if (sp_str_ends_with(name, SP_STR(SUFFIX)) && name.ptr[0] != '.' &&
            names.count != SP_LAB_LIBRARY_EXPERIMENTS_MAX) {
            names.list[names.count] = strndup(name.ptr, name.len - strlen(SUFFIX));
            names.count += names.list[names.count] == NULL ? 0U : 1U;
        }
    }
    (void)closedir(folder); /* only read */
    qsort(names.list, names.count, sizeof(names.list[0]), compare_names);
    *ret_names = names;
    return SP_OK;
}

void sp_lab_names_clear(sp_lab_names_t *names)
{
    for (size_t i = 0; i != names->count; ++i) {
        free(names->list[i]);
    }
    names->count = 0;
}

static sp_status_t read_experiment(const char *path, sp_lab_experiment_t **ret_experiment,
                                   sp_error_t *err)
{
    const char *name = strrchr(path, '/');
    sp_str_t text;
    sp_status_t status = sp_lab_file_read(path, &text, err);

    if (status == SP_OK) {
        status = sp_lab_experiment_read(text, name == NULL || strlen(path) < 80 ? path : name + 1,
                                        ret_experiment, err);
        sp_lab_file_free(text);
    }
    return status;
}

bool sp_lab_library_can_name(const char *name)
{
    return sp_str_ends_with(sp_str_from(name), SP_STR(SUFFIX)) || sp_lab_is_name(name);
}

sp_status_t sp_lab_library_experiment(const sp_lab_library_t *library, const char *name,
                                      sp_lab_experiment_t **ret_experiment, sp_error_t *err)
{
    char path[2 * SP_LAB_PATH_MAX];
    sp_lab_names_t names = {.count = 0};
    sp_status_t status = SP_OK;
    bool found = false;

    if (sp_str_ends_with(sp_str_from(name), SP_STR(SUFFIX))) {
        return read_experiment(name, ret_experiment, err);
    }
    status = sp_lab_library_experiments(library, &names, err);
    for (size_t i = 0; status == SP_OK && !found && i != names.count; ++i) {
        if (strcasecmp(names.list[i], name) == 0) {
            (void)snprintf(path, sizeof(path), "%s/experiments/%s" SUFFIX, library->folder,
                           names.list[i]);
            found = true;
        }
    }
    sp_lab_names_clear(&names);
    if (status == SP_OK && !found) {
        return sp_fail(err, SP_NOT_FOUND, 0,
                       "there is no experiment '%.60s'; 'signpost lab list' shows all", name);
    }
    return status == SP_OK ? read_experiment(path, ret_experiment, err) : status;
}

sp_status_t sp_lab_library_role(sp_lab_library_t *library, const char *name,
                                const sp_lab_role_t **ret_role, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    for (size_t i = 0; i != library->role_count; ++i) {
        if (strcmp(library->roles[i]->name, name) == 0) {
            *ret_role = library->roles[i];
            return SP_OK;
        }
    }
    if (library->role_count == SP_LAB_LIBRARY_ROLES_MAX) {
        return sp_fail(err, SP_TOO_LONG, 0, "there are more than %d roles",
                       SP_LAB_LIBRARY_ROLES_MAX);
    }
    status =
        sp_lab_role_load(library->roles_folder, name, &library->roles[library->role_count], err);
    if (status == SP_OK) {
        *ret_role = library->roles[library->role_count++];
    }
    return status;
}

static bool can_find(const sp_lab_library_t *library, const char *program, char *path)
{
    return sp_program_find(program, library->program_folders, path, SP_LAB_PATH_MAX) == SP_OK;
}

/* The first of its programs that can't be found; NULL when all are there, and the path of the main
 * one. */
static const char *find_missing(const sp_lab_library_t *library, const sp_lab_role_t *role,
                                char *path)
{
    char other[SP_LAB_PATH_MAX];

    if (strcmp(role->program, "{{signpost}}") == 0) {
        (void)snprintf(path, SP_LAB_PATH_MAX, "%s", library->executable);
    } else if (!can_find(library, role->program, path)) {
        return role->program;
    }
    for (size_t i = 0; i != role->needs.count; ++i) {
        if (!can_find(library, role->needs.list[i], other)) {
            return role->needs.list[i];
        }
    }
    return NULL;
}

static sp_status_t say_missing(const sp_lab_role_t *role, const char *program, sp_error_t *err)
{
    if (role->package != NULL) {
        return sp_fail(err, SP_NOT_FOUND, 0,
                       "%s is missing ('%s'): apt-get install --no-install-recommends %s",
                       role->title, program, role->package);
    }
    return sp_fail(err, SP_NOT_FOUND, 0, "%s is missing ('%s'): %s", role->title, program,
                   role->install == NULL ? "install it where PATH finds it" : role->install);
}

sp_status_t sp_lab_library_pick(sp_lab_library_t *library, const char *name,
                                sp_lab_pick_t *ret_pick, sp_error_t *err)
{
    const sp_lab_role_t *role = NULL;
    const sp_lab_role_t *stand_in = NULL;
    const char *missing = NULL;
    sp_status_t status = sp_lab_library_role(library, name, &role, err);

    if (status != SP_OK || role == NULL) {
        return status;
    }
    missing = find_missing(library, role, ret_pick->program);
    if (missing == NULL) {
        ret_pick->role = role;
        ret_pick->in_place_of = NULL;
        return SP_OK;
    }
    if (role->stand_in == NULL) {
        return say_missing(role, missing, err);
    }
    status = sp_lab_library_role(library, role->stand_in, &stand_in, err);
    if (status != SP_OK || stand_in == NULL) {
        return status;
    }
    if (find_missing(library, stand_in, ret_pick->program) != NULL) {
        return say_missing(role, missing, err);
    }
    ret_pick->role = stand_in;
    ret_pick->in_place_of = role;
    return SP_OK;
}
