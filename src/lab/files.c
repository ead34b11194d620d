/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/files.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_OCTETS 4096 /* longer ones can't be opened either */

static sp_status_t read_stream(FILE *file, const char *path, sp_str_t *ret_text, sp_error_t *err)
{
    size_t room = 16384;
    size_t len = 0;
    char *text = malloc(room);

    while (text != NULL) {
        char *larger = NULL;

        len += fread(text + len, 1, room - len, file);
        if (ferror(file) != 0 || room > SP_LAB_FILE_MAX) {
            free(text);
            return sp_fail(err, ferror(file) != 0 ? SP_IO : SP_TOO_LONG, 0, "%.100s: %s", path,
                           ferror(file) != 0 ? strerror(errno) : "the file is too long");
        }
        if (len < room) {
            *ret_text = (sp_str_t){.ptr = text, .len = len};
            return SP_OK;
        }
        room *= 2;
        larger = realloc(text, room);
        if (larger == NULL) {
            free(text);
        }
        text = larger;
    }
    return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
}

sp_status_t sp_lab_file_read(const char *path, sp_str_t *ret_text, sp_error_t *err)
{
    FILE *file = fopen(path, "rb");
    sp_status_t status = SP_OK;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "%.100s: %s", path, strerror(errno));
    }
    status = read_stream(file, path, ret_text, err);
    (void)fclose(file); /* nothing was written */
    return status;
}

void sp_lab_file_free(sp_str_t text)
{
    union {
        const char *read;
        void *owned;
    } memory = {.read = text.ptr};

    free(memory.owned);
}

sp_status_t sp_lab_folder_make(const char *path, sp_error_t *err)
{
    char part[PATH_OCTETS];
    size_t len = strlen(path);

    for (size_t end = 1; end <= len && len < sizeof(part); ++end) {
        if (end != len && path[end] != '/') {
            continue;
        }
        (void)snprintf(part, sizeof(part), "%.*s", (int)end, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return sp_fail(err, SP_IO, 0, "%.120s: %s", part, strerror(errno));
        }
    }
    return SP_OK;
}

sp_status_t sp_lab_file_write(const char *path, sp_str_t text, sp_error_t *err)
{
    FILE *file = fopen(path, "wb");
    bool written = false;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "%.100s: %s", path, strerror(errno));
    }
    written = fwrite(text.ptr, 1, text.len, file) == text.len;
    if (fclose(file) != 0 || !written) {
        return sp_fail(err, SP_IO, 0, "%.100s can't be written: %s", path, strerror(errno));
    }
    return SP_OK;
}

sp_status_t sp_lab_file_read_json(const char *path, json_t **ret_json, sp_error_t *err)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);

    if (json == NULL) {
        return sp_fail(err, SP_IO, 0, "%.80s: %.100s", path, error.text);
    }
    *ret_json = json;
    return SP_OK;
}

const char *sp_lab_file_first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "rb");
    sp_str_t rest;
    sp_str_t found = {.ptr = NULL, .len = 0};
    char text[4096];

    line[0] = '\0';
    if (file == NULL) {
        return line;
    }
    rest = (sp_str_t){.ptr = text, .len = fread(text, 1, sizeof(text), file)};
    (void)fclose(file);
    while (rest.ptr != NULL && found.len == 0) {
        found = sp_str_trim(sp_str_cut(rest, '\n', &rest));
    }
    (void)snprintf(line, size, "%.*s", (int)found.len, found.len == 0 ? "" : found.ptr);
    sp_make_printable(line);
    return line;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

void sp_lab_file_remove_tree(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
