/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_file.h"

#include "dns/wire_name.h"
#include "dns/zone_fault.h"
#include "dns/zone_place.h"
#include "dns/zone_scanner.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_TTL_S 3600
#define CLASS_IN 1
#define TYPE_NS 2
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define TYPE_TXT 16
#define INCLUDE_DEPTH_MAX 8
#define FAULTS_MAX 1000    /* of one file; the rest is not read */
#define FILE_MAX (1 << 30) /* octets */

/* One file, or one text, being read. */
typedef struct reader {
    struct reader *parent; /* the file whose $INCLUDE named this one */
    size_t depth;
    const char *path; /* NULL for a text in memory */
    dev_t device;
    ino_t inode;
    sp_zone_record_fn *on_record;
    sp_zone_fault_fn *on_fault;
    void *arg;
    size_t outer_line; /* of the outermost $INCLUDE; 0 in the first file */
    size_t outer_column;
    char *text; /* CR before LF blanked out; ends in LF */
    size_t len;
    sp_zone_scanner_t scanner;
    sp_zone_place_t place;
    sp_str_t *strings;
    size_t string_room;
    size_t faults;
    sp_status_t status;
} reader_t;

static sp_str_t text_of(const reader_t *reader)
{
    return (sp_str_t){reader->text, reader->len};
}

/* Takes over `len` octets, of which `text` has room for one more. */
static void take_text(reader_t *reader, char *text, size_t len)
{
    for (size_t i = 0; i + 1 < len; ++i) {
        if (text[i] == '\r' && text[i + 1] == '\n') {
            text[i] = ' ';
        }
    }
    if (len != 0 && text[len - 1] == '\r') {
        text[len - 1] = ' ';
    }
    text[len] = '\n';
    reader->text = text;
    reader->len = len + 1;
}

static sp_status_t refuse_file(const char *path, sp_error_t *err)
{
    return sp_fail(err, SP_IO, 0, "%s: %s", path, strerror(errno));
}

static sp_status_t load_stream(reader_t *reader, FILE *file, sp_error_t *err)
{
    struct stat info;
    char *text;
    size_t size;

    if (fstat(fileno(file), &info) != 0) {
        return refuse_file(reader->path, err);
    }
    if (!S_ISREG(info.st_mode)) {
        return sp_fail(err, SP_IO, 0, "%s: is %s; expected a zone file", reader->path,
                       S_ISDIR(info.st_mode) ? "a directory" : "no regular file");
    }
    if (info.st_size > FILE_MAX) {
        return sp_fail(err, SP_IO, 0, "%s: expected a file of at most 1 GiB", reader->path);
    }
    reader->device = info.st_dev;
    reader->inode = info.st_ino;
    text = malloc((size_t)info.st_size + 1);
    if (text == NULL) {
        return SP_NO_MEMORY;
    }
    size = fread(text, 1, (size_t)info.st_size, file);
    take_text(reader, text, size);
    return ferror(file) == 0 ? SP_OK : refuse_file(reader->path, err);
}

static sp_status_t load_file(reader_t *reader, sp_error_t *err)
{
    FILE *file = fopen(reader->path, "re");
    sp_status_t status;

    if (file == NULL) {
        return refuse_file(reader->path, err);
    }
    status = load_stream(reader, file, err);
    (void)fclose(file); /* opened for reading: nothing can be lost */
    return status;
}

static void clear(reader_t *reader)
{
    sp_zone_scanner_clear(&reader->scanner);
    free(reader->text);
    free(reader->strings);
}

/* `offset` counts from the start of the text. */
static void report(reader_t *reader, size_t offset, const char *message)
{
    sp_error_t nested;

    reader->status = SP_BAD_SYNTAX;
    reader->faults += 1;
    if (reader->on_fault == NULL) {
        return;
    }
    sp_zone_place_move(&reader->place, text_of(reader), offset);
    if (reader->outer_line == 0) {
        reader->on_fault(reader->arg, reader->place.line, reader->place.column, message);
        return;
    }
    (void)sp_fail(&nested, SP_BAD_SYNTAX, 0, "included file %s, line %zu, column %zu: %s",
                  reader->path, reader->place.line, reader->place.column, message);
    reader->on_fault(reader->arg, reader->outer_line, reader->outer_column, nested.message);
}

static sp_status_t add_string(reader_t *reader, size_t count, sp_str_t string)
{
    if (count == reader->string_room) {
        size_t room = reader->string_room == 0 ? 16 : reader->string_room * 2;
        sp_str_t *strings = realloc(reader->strings, room * sizeof(*strings));

        if (strings == NULL) {
            return SP_NO_MEMORY;
        }
        reader->strings = strings;
        reader->string_room = room;
    }
    reader->strings[count] = string;
    return SP_OK;
}

static sp_status_t read_strings(reader_t *reader, sp_str_t data, sp_zone_record_t *record)
{
    size_t at = 0;

    while (at < data.len) {
        size_t len = (unsigned char)data.ptr[at];

        if (add_string(reader, record->string_count, sp_str_slice(data, at + 1, at + 1 + len)) !=
            SP_OK) {
            return SP_NO_MEMORY;
        }
        record->string_count += 1;
        at += 1 + len;
    }
    record->strings = reader->strings;
    return SP_OK;
}

static uint32_t soa_minimum(sp_str_t data)
{
    const unsigned char *last;

    if (data.len < 4) {
        return 0;
    }
    last = (const unsigned char *)data.ptr + data.len - 4;
    return (uint32_t)last[0] << 24 | (uint32_t)last[1] << 16 | (uint32_t)last[2] << 8 | last[3];
}

static sp_status_t read_data(reader_t *reader, sp_wire_name_t *target, sp_zone_record_t *record)
{
    const zs_scanner_t *scanner = reader->scanner.zs;
    sp_str_t data = {(const char *)scanner->r_data, scanner->r_data_length};
    size_t at = 0;

    if (record->type == TYPE_TXT) {
        return read_strings(reader, data, record);
    }
    if ((record->type == TYPE_CNAME || record->type == TYPE_NS) &&
        sp_wire_name_read(data, &at, target)) {
        record->target = sp_wire_name_str(target);
    }
    if (record->type == TYPE_SOA) {
        record->soa_minimum_s = soa_minimum(data);
    }
    return SP_OK;
}

static void place_record(reader_t *reader, size_t from, sp_zone_record_t *record)
{
    sp_str_t text = text_of(reader);
    sp_zone_entry_t entry = sp_zone_entry_find(text, from);

    if (reader->outer_line != 0) {
        record->line = reader->outer_line;
        record->column = reader->outer_column;
        return;
    }
    sp_zone_place_move(&reader->place, text, entry.start);
    record->line = reader->place.line;
    record->column = 1;
    sp_zone_place_move(&reader->place, text, entry.type);
    if (reader->place.line == record->line) {
        record->column = reader->place.column;
    }
    sp_zone_place_move(&reader->place, text, entry.data);
    if (reader->place.line == record->line) {
        record->column = reader->place.column;
    }
}

static sp_status_t hand_over(reader_t *reader, size_t from)
{
    const zs_scanner_t *scanner = reader->scanner.zs;
    sp_wire_name_t owner;
    sp_wire_name_t target;
    sp_zone_record_t record = {.type = scanner->r_type, .ttl_s = scanner->r_ttl};
    size_t at = 0;

    if (scanner->r_class != CLASS_IN) {
        report(reader, sp_zone_entry_find(text_of(reader), from).start,
               "the class is not IN; expected records of the internet class only");
        return SP_OK;
    }
    if (!sp_wire_name_read((sp_str_t){(const char *)scanner->r_owner, scanner->r_owner_length}, &at,
                           &owner)) {
        return SP_OK; /* the library accepts no such name */
    }
    record.owner = sp_wire_name_str(&owner);
    if (read_data(reader, &target, &record) != SP_OK) {
        return SP_NO_MEMORY;
    }
    place_record(reader, from, &record);
    reader->on_record(reader->arg, &record);
    return SP_OK;
}

/* The library goes on by itself at the next line, unless it calls the fault fatal. */
static sp_status_t handle_fault(reader_t *reader, size_t from)
{
    const zs_scanner_t *scanner = reader->scanner.zs;
    sp_str_t text = text_of(reader);
    size_t behind = scanner->buffer_length > 0 ? scanner->buffer_length - 1 : 0;
    size_t at = sp_zone_scanner_offset(&reader->scanner);
    sp_zone_fault_t fault;

    if (scanner->error.code == ZS_ENOMEM) {
        return SP_NO_MEMORY;
    }
    sp_zone_fault_describe(text, from, at - (behind < at ? behind : at), scanner->error.code,
                           &fault);
    report(reader, fault.offset, fault.message);
    if (reader->faults >= FAULTS_MAX) {
        report(reader, fault.offset, "too many faults: the rest of the file is not read");
        return SP_NOT_FOUND;
    }
    if (!scanner->error.fatal) {
        return SP_OK;
    }
    /* An open parenthesis has swallowed all that follows. */
    if (scanner->error.code == ZS_UNCLOSED_MULTILINE || at >= reader->len) {
        return SP_NOT_FOUND;
    }
    return sp_zone_scanner_restart(&reader->scanner, at);
}

static bool is_being_read(const reader_t *reader, const reader_t *child)
{
    for (; reader != NULL; reader = reader->parent) {
        if (reader->path != NULL && reader->device == child->device &&
            reader->inode == child->inode) {
            return true;
        }
    }
    return false;
}

/* Where the $INCLUDE itself stands: the scanner has just read to the end of its line. */
static size_t include_offset(const reader_t *reader)
{
    size_t at = sp_zone_scanner_offset(&reader->scanner);

    while (at != 0 && reader->text[at - 1] != '\n') {
        --at;
    }
    return at;
}

static sp_status_t open_scanner(reader_t *reader, const char *origin, uint32_t ttl_s,
                                sp_error_t *err)
{
    return sp_zone_scanner_init(&reader->scanner, text_of(reader), reader->path, origin, ttl_s,
                                err);
}

static reader_t *create_included(reader_t *parent, size_t offset)
{
    reader_t *child = calloc(1, sizeof(*child));

    if (child == NULL) {
        return NULL;
    }
    *child = (reader_t){.parent = parent,
                        .depth = parent->depth + 1,
                        .path = parent->scanner.zs->include_filename,
                        .on_record = parent->on_record,
                        .on_fault = parent->on_fault,
                        .arg = parent->arg,
                        .outer_line = parent->outer_line,
                        .outer_column = parent->outer_column};
    if (child->outer_line == 0) {
        sp_zone_place_move(&parent->place, text_of(parent), offset);
        child->outer_line = parent->place.line;
        child->outer_column = parent->place.column;
    }
    return child;
}

/* The file that included this one, which learns of its faults. */
static reader_t *close_included(reader_t *child)
{
    reader_t *parent = child->parent;

    parent->faults += child->faults;
    parent->status = child->status != SP_OK ? child->status : parent->status;
    clear(child);
    free(child);
    return parent;
}

static sp_status_t open_included(reader_t *child, sp_error_t *err)
{
    const zs_scanner_t *scanner = child->parent->scanner.zs;
    sp_status_t status = load_file(child, err);

    if (status == SP_OK && is_being_read(child->parent, child)) {
        status = sp_fail(err, SP_IO, 0, "%s: the file includes itself", child->path);
    }
    if (status == SP_OK) {
        status = open_scanner(child, (const char *)scanner->buffer, scanner->default_ttl, err);
    }
    return status;
}

/* *current becomes the included file, unless that can't be read. */
static sp_status_t handle_include(reader_t **current)
{
    reader_t *reader = *current;
    size_t offset = include_offset(reader);
    sp_error_t err = {0};
    sp_status_t status;
    reader_t *child;

    if (reader->path == NULL || reader->depth == INCLUDE_DEPTH_MAX) {
        report(reader, offset,
               reader->path == NULL ? "$INCLUDE works in a file only"
                                    : "$INCLUDE is nested too deep; expected 8 levels at most");
        return SP_OK;
    }
    child = create_included(reader, offset);
    if (child == NULL) {
        return SP_NO_MEMORY;
    }
    status = open_included(child, &err);
    if (status == SP_OK) {
        *current = child;
        return SP_OK;
    }
    (void)close_included(child);
    if (status == SP_NO_MEMORY) {
        return SP_NO_MEMORY;
    }
    report(reader, offset, err.message);
    return SP_OK;
}

/* SP_NOT_FOUND: there is no more in *current. */
static sp_status_t read_next(reader_t **current)
{
    reader_t *reader = *current;
    size_t from = sp_zone_scanner_offset(&reader->scanner);

    if (zs_parse_record(reader->scanner.zs) != 0 && reader->scanner.zs->state != ZS_STATE_ERROR) {
        return SP_NO_MEMORY;
    }
    switch (reader->scanner.zs->state) {
    case ZS_STATE_DATA:
        sp_zone_scanner_remember(&reader->scanner);
        return hand_over(reader, from);
    case ZS_STATE_ERROR:
        return handle_fault(reader, from);
    case ZS_STATE_INCLUDE:
        return handle_include(current);
    case ZS_STATE_NONE:
    case ZS_STATE_EOF:
    case ZS_STATE_STOP:
        break;
    }
    return SP_NOT_FOUND;
}

/* The file, and in the middle of it whatever it includes. */
static sp_status_t read_all(reader_t *bottom, const char *origin, sp_error_t *err)
{
    sp_status_t status = open_scanner(bottom, origin != NULL ? origin : ".", DEFAULT_TTL_S, err);
    reader_t *reader = bottom;

    while (status == SP_OK) {
        status = read_next(&reader);
        if (status == SP_NOT_FOUND && reader != bottom) {
            reader = close_included(reader);
            status = SP_OK;
        }
    }
    while (reader != bottom) {
        reader = close_included(reader);
    }
    return status == SP_NOT_FOUND ? bottom->status : status;
}

sp_status_t sp_zone_file_read(const char *path, const char *origin, sp_zone_record_fn *on_record,
                              sp_zone_fault_fn *on_fault, void *arg, sp_error_t *err)
{
    reader_t reader = {.path = path, .on_record = on_record, .on_fault = on_fault, .arg = arg};
    sp_status_t status = load_file(&reader, err);

    if (status == SP_OK) {
        status = read_all(&reader, origin, err);
    }
    clear(&reader);
    return status;
}

sp_status_t sp_zone_text_read(sp_str_t text, const char *origin, sp_zone_record_fn *on_record,
                              sp_zone_fault_fn *on_fault, void *arg, sp_error_t *err)
{
    reader_t reader = {.on_record = on_record, .on_fault = on_fault, .arg = arg};
    char *copy = malloc(text.len + 1);
    sp_status_t status;

    if (copy == NULL) {
        return SP_NO_MEMORY;
    }
    if (text.len != 0) {
        memcpy(copy, text.ptr, text.len);
    }
    take_text(&reader, copy, text.len);
    status = read_all(&reader, origin, err);
    clear(&reader);
    return status;
}
