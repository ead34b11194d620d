/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)64 * 1024 * 1024)

static sp_status_t read_stream(FILE *file, const char *name, sp_str_t *ret_text, sp_error_t *err)
{
    size_t capacity = 65536;
    size_t length = 0;
    char *text = malloc(capacity);

    while (text != NULL) {
        length += fread(text + length, 1, capacity - length, file);
        if (ferror(file)) {
            free(text);
            return sp_fail(err, SP_IO, 0, "%s: %s", name, strerror(errno));
        }
        if (length < capacity) {
            *ret_text = (sp_str_t){.ptr = text, .len = length};
            return SP_OK;
        }
        if (capacity >= FILE_MAX) {
            free(text);
            return sp_fail(err, SP_TOO_LONG, 0, "%s: longer than 64 MiB", name);
        }
        capacity *= 2;

        char *larger = realloc(text, capacity);

        if (larger == NULL) {
            free(text);
        }
        text = larger;
    }
    return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
}

sp_status_t sp_file_read(const char *path, sp_str_t *ret_text, sp_error_t *err)
{
    FILE *file = path == NULL ? stdin : fopen(path, "rb");
    sp_status_t status = SP_OK;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "%s: %s", path, strerror(errno));
    }
    status = read_stream(file, path == NULL ? "standard input" : path, ret_text, err);
    if (path != NULL) {
        (void)fclose(file); /* nothing was written */
    }
    return status;
}

void sp_file_free(sp_str_t text)
{
    union {
        const char *read;
        void *owned;
    } memory = {.read = text.ptr};

    free(memory.owned);
}
