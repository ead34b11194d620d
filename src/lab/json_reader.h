/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_JSON_READER_H
#define SIGNPOST_LAB_JSON_READER_H

/* From a JSON text to structs, along tables of keys: whatever is not in a table is an error, and an
 * error says FILE:LINE:COLUMN. Roles and experiments are read with it. */

#include <jansson.h>
#include <signpost/base/arena.h>
#include <signpost/base/error.h>

#define SP_LAB_JSON_MAX ((size_t)1024 * 1024) /* octets of a file */

typedef struct sp_lab_reader {
    sp_str_t text;
    const char *file;  /* for messages */
    sp_arena_t *arena; /* what is read lives here */
    sp_error_t *err;
} sp_lab_reader_t;

/* A value, and where it and its key stand in the text. */
typedef struct sp_lab_node {
    const json_t *value;
    size_t at;
    size_t key_at;
} sp_lab_node_t;

typedef struct sp_lab_texts {
    const char **list;
    size_t count;
} sp_lab_texts_t;

typedef sp_status_t sp_lab_read_fn(sp_lab_reader_t *reader, sp_lab_node_t node, void *into);

typedef enum sp_lab_type {
    SP_LAB_TEXT,   /* const char *: printable, not empty */
    SP_LAB_NAME,   /* const char *: letters, digits, '-', '_' and '.', for files and tables */
    SP_LAB_TEXTS,  /* sp_lab_texts_t */
    SP_LAB_NUMBER, /* double, min … max */
    SP_LAB_COUNT,  /* unsigned, min … max */
    SP_LAB_FLAG,   /* bool */
    SP_LAB_WORD,   /* unsigned: index into `words` */
    SP_LAB_ANY,    /* const json_t *, borrowed: nothing is checked */
    SP_LAB_OTHER   /* `read` does it */
} sp_lab_type_t;

typedef struct sp_lab_key {
    const char *name;
    sp_lab_type_t type;
    bool required;
    size_t offset; /* of the field in the struct */
    double min, max;
    const char *const *words; /* ends in NULL */
    sp_lab_read_fn *read;     /* gets the field */
} sp_lab_key_t;

/* Parses the text. The caller owns *ret_root. */
sp_status_t sp_lab_reader_parse(sp_lab_reader_t *reader, json_t **ret_root);

/* Members into the fields of the struct at `into`; fields whose keys are absent keep what they
 * hold, so that one object can be laid over another. */
sp_status_t sp_lab_read_object(sp_lab_reader_t *reader, sp_lab_node_t node,
                               const sp_lab_key_t *keys, size_t count, void *into);

/* One member into the field of the struct at `into` that `key` is about. */
sp_status_t sp_lab_read_member(sp_lab_reader_t *reader, const sp_lab_key_t *key, sp_lab_node_t node,
                               void *into);

/* A list of at most `max` items of `size` octets, zeroed before they are read. */
typedef struct sp_lab_list {
    size_t size, max;
    sp_lab_read_fn *read;
} sp_lab_list_t;

sp_status_t sp_lab_read_list(sp_lab_reader_t *reader, sp_lab_node_t node, const sp_lab_list_t *list,
                             void **ret_items, size_t *ret_count);

/* Calls `read` for each member of an object, with the key as text. */
typedef sp_status_t sp_lab_member_fn(sp_lab_reader_t *reader, const char *key, sp_lab_node_t node,
                                     void *arg);
sp_status_t sp_lab_read_members(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_member_fn *read,
                                void *arg);

/* A text; NULL into *ret_text never happens with SP_OK. */
sp_status_t sp_lab_read_text(sp_lab_reader_t *reader, sp_lab_node_t node, const char **ret_text);

/* Whether `text` may name a file: see SP_LAB_NAME. */
bool sp_lab_is_name(const char *text);

/* Fills the error with FILE:LINE:COLUMN and returns SP_BAD_VALUE. */
sp_status_t sp_lab_refuse(sp_lab_reader_t *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

sp_status_t sp_lab_no_memory(sp_lab_reader_t *reader);

#endif
