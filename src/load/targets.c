/* SPDX-License-Identifier: Apache-2.0 */
#include "load/targets.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 30)
#define FIRST_READ ((size_t)65536)
#define FIRST_ROOM 256
#define SHOWN_MAX 60
#define STATUS_MIN 200 /* of a final answer */
#define STATUS_MAX 599

/* What is read, and where. */
typedef struct reader {
    sp_str_t text;
    sp_load_targets_t targets;
    size_t room;
    sp_error_t *err;
} reader_t;

static int shown(sp_str_t text)
{
    return text.len < SHOWN_MAX ? (int)text.len : SHOWN_MAX;
}

static sp_status_t refuse(const reader_t *reader, sp_str_t at, const char *message)
{
    return sp_fail(reader->err, SP_BAD_SYNTAX, (size_t)(at.ptr - reader->text.ptr), "%s", message);
}

static bool is_visible(char c)
{
    return c > ' ' && c < '\x7f';
}

/* Position of the first octet that is no visible ASCII or is one of `others`; text.len when there
 * is none. */
static size_t find_stranger(sp_str_t text, sp_str_t others)
{
    size_t at = 0;

    while (at != text.len && is_visible(text.ptr[at]) &&
           sp_str_find(others, text.ptr[at]) == others.len) {
        ++at;
    }
    return at;
}

static sp_status_t check_host(const reader_t *reader, sp_str_t host)
{
    size_t stranger = find_stranger(host, SP_STR("/?#@\\"));

    if (host.len == 0) {
        return refuse(reader, host, "the line must begin with a host");
    }
    if (stranger != host.len) {
        return refuse(reader, sp_str_skip(host, stranger),
                      "expected a host (HOST or HOST:PORT, in ASCII) and a tab, no URL");
    }
    if (host.len > SP_LOAD_TARGET_HOST_MAX) {
        return refuse(reader, host, "the host is longer than 320 octets");
    }
    return SP_OK;
}

static sp_status_t check_path(const reader_t *reader, sp_str_t host, sp_str_t path)
{
    size_t stranger = find_stranger(path, SP_STR("#"));

    if (path.ptr == NULL) {
        return refuse(reader, sp_str_skip(host, host.len),
                      "a path is missing: expected HOST, a tab, and a path such as /");
    }
    if (path.len == 0 || path.ptr[0] != '/') {
        return refuse(reader, path, "the path must begin with '/'");
    }
    if (stranger != path.len) {
        return refuse(reader, sp_str_skip(path, stranger),
                      "a path has visible ASCII without '#' only; write the rest as %XX");
    }
    return SP_OK;
}

static sp_status_t read_status(const reader_t *reader, sp_str_t text, unsigned *ret_status)
{
    uint64_t status = 0;

    if (text.len != 0 && (!sp_str_to_uint(text, STATUS_MAX, &status) || status < STATUS_MIN)) {
        return sp_fail(reader->err, SP_BAD_SYNTAX, (size_t)(text.ptr - reader->text.ptr),
                       "the status must be 200 to 599, or empty for any below 400, not '%.*s'",
                       shown(text), text.ptr);
    }
    *ret_status = (unsigned)status;
    return SP_OK;
}

/* Octets beyond ASCII are let through: servers send them, too. */
static sp_status_t check_location(const reader_t *reader, sp_str_t location)
{
    for (size_t i = 0; location.ptr != NULL && i != location.len; ++i) {
        unsigned char c = (unsigned char)location.ptr[i];

        if (c == '\t') {
            return refuse(reader, sp_str_skip(location, i),
                          "expected four fields at most: host, path, status and Location");
        }
        if (c < ' ' || c == 0x7f) {
            return refuse(reader, sp_str_skip(location, i),
                          "control characters can't be in a Location");
        }
    }
    return SP_OK;
}

static sp_status_t read_line(const reader_t *reader, sp_str_t line, sp_load_target_t *ret_target)
{
    sp_load_target_t target = {.status = 0};
    sp_str_t status_text;
    sp_str_t rest;
    sp_status_t status = SP_OK;

    target.host = sp_str_cut(line, '\t', &rest);
    target.path = sp_str_cut(rest, '\t', &rest);
    status_text = sp_str_cut(rest, '\t', &rest);
    target.location = rest;
    target.has_location = rest.ptr != NULL;
    status = check_host(reader, target.host);
    if (status == SP_OK) {
        status = check_path(reader, target.host, target.path);
    }
    if (status == SP_OK) {
        status = read_status(reader, status_text, &target.status);
    }
    if (status == SP_OK) {
        status = check_location(reader, target.location);
    }
    if (status == SP_OK) {
        *ret_target = target;
    }
    return status;
}

static sp_status_t add_target(reader_t *reader, const sp_load_target_t *target, sp_str_t line)
{
    sp_load_targets_t *targets = &reader->targets;

    if (targets->count == SP_LOAD_TARGETS_MAX) {
        return refuse(reader, line, "more than a million requests");
    }
    if (targets->count == reader->room) {
        size_t room = reader->room == 0 ? FIRST_ROOM : reader->room * 2;
        sp_load_target_t *list = realloc(targets->list, room * sizeof(*list));

        if (list == NULL) {
            return sp_fail(reader->err, SP_NO_MEMORY, 0, "out of memory");
        }
        targets->list = list;
        reader->room = room;
    }
    targets->list[targets->count++] = *target;
    return SP_OK;
}

static sp_status_t read_lines(reader_t *reader)
{
    sp_str_t rest = reader->text;
    sp_status_t status = SP_OK;

    while (rest.ptr != NULL && status == SP_OK) {
        sp_str_t line = sp_str_cut(rest, '\n', &rest);
        sp_load_target_t target;

        if (sp_str_ends_with(line, SP_STR("\r"))) {
            line.len -= 1;
        }
        if (line.len > SP_LOAD_TARGET_LINE_MAX) {
            return refuse(reader, line, "the line is longer than 65536 octets");
        }
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        status = read_line(reader, line, &target);
        if (status == SP_OK) {
            status = add_target(reader, &target, line);
        }
    }
    return status;
}

sp_status_t sp_load_targets_parse(sp_str_t text, sp_load_targets_t *ret_targets, sp_error_t *err)
{
    reader_t reader = {.text = text, .err = err};
    sp_status_t status = read_lines(&reader);

    if (status == SP_OK && reader.targets.count == 0) {
        status = sp_fail(err, SP_BAD_SYNTAX, 0,
                         "no request in it; expected lines of host, tab, path, and optionally a "
                         "status and a Location");
    }
    if (status != SP_OK) {
        sp_load_targets_clear(&reader.targets);
        return status;
    }
    *ret_targets = reader.targets;
    return SP_OK;
}

/* ---- files ---- */

static sp_status_t read_stream(FILE *file, const char *name, char **ret_text, size_t *ret_len,
                               sp_error_t *err)
{
    char *text = NULL;
    size_t room = 0;
    size_t len = 0;
    sp_status_t status = SP_OK;

    while (len == room && status == SP_OK) {
        char *larger = NULL;

        room = room == 0 ? FIRST_READ : room * 2;
        larger = room > FILE_MAX ? NULL : realloc(text, room);
        if (larger == NULL) {
            status = room > FILE_MAX ? sp_fail(err, SP_TOO_LONG, 0, "%s: longer than 1 GiB", name)
                                     : sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
            break;
        }
        text = larger;
        len += fread(text + len, 1, room - len, file);
        if (ferror(file)) {
            status = sp_fail(err, SP_IO, 0, "%s: %s", name, strerror(errno));
        }
    }
    if (status != SP_OK) {
        free(text);
        return status;
    }
    *ret_text = text;
    *ret_len = len;
    return SP_OK;
}

static sp_status_t read_file(const char *path, char **ret_text, size_t *ret_len, sp_error_t *err)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    FILE *file = standard ? stdin : fopen(path, "rb");
    sp_status_t status = SP_OK;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "%s: %s", name, strerror(errno));
    }
    status = read_stream(file, name, ret_text, ret_len, err);
    if (!standard) {
        (void)fclose(file); /* nothing was written */
    }
    return status;
}

/* *err with the offset in `text` becomes FILE:LINE:COLUMN. */
static void tell_place(const char *path, sp_str_t text, sp_error_t *err)
{
    sp_error_t inner = *err;
    sp_str_t before = sp_str_slice(text, 0, inner.offset);
    size_t line = 1;
    size_t begin = 0;

    for (size_t i = 0; i != before.len; ++i) {
        if (before.ptr[i] == '\n') {
            ++line;
            begin = i + 1;
        }
    }
    (void)sp_fail(err, inner.status, inner.offset, "%s:%zu:%zu: %s", path, line,
                  before.len - begin + 1, inner.message);
}

sp_status_t sp_load_targets_read(const char *path, sp_load_targets_t *ret_targets, sp_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    sp_error_t why = {.status = SP_OK};
    sp_status_t status = read_file(path, &text, &len, &why);

    if (status == SP_OK) {
        status = sp_load_targets_parse((sp_str_t){.ptr = text, .len = len}, ret_targets, &why);
    }
    if (status == SP_BAD_SYNTAX) {
        tell_place(path, (sp_str_t){.ptr = text, .len = len}, &why);
    }
    if (status != SP_OK) {
        free(text);
        if (err != NULL) {
            *err = why;
        }
        return status;
    }
    ret_targets->text = text;
    return SP_OK;
}

void sp_load_targets_clear(sp_load_targets_t *targets)
{
    free(targets->list);
    free(targets->text);
    sp_arena_clear(&targets->arena);
    *targets = (sp_load_targets_t){.count = 0};
}
