/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_KEYS_H
#define SIGNPOST_SERVE_CONFIG_KEYS_H

/* The keys of the configuration file as a table: one row a key says its type, its limits and the
 * field of sp_config_t that it fills. Reading, checking and writing follow it, so that a new key
 * is one field, one default and one row. */

#include "serve/config.h"

typedef enum sp_config_kind {
    SP_KEY_BOOL,
    SP_KEY_INTEGER,  /* min … max, or one of `words` where there are any */
    SP_KEY_TEXT,     /* read by `parse` */
    SP_KEY_WORD,     /* one of `words`: its value goes to an enum */
    SP_KEY_WORDS,    /* a list of `words`: their values or-ed */
    SP_KEY_LIST,     /* of texts: each read by `parse` */
    SP_KEY_SECTION,  /* an object with `keys`; its fields lie in sp_config_t */
    SP_KEY_SECTIONS, /* a list of such, at the top; their fields lie in an item */
} sp_config_kind_t;

typedef struct sp_config_word {
    const char *name;
    unsigned value;
} sp_config_word_t;

/* Reads one text into a field; message in *err. What the field points to goes to `arena`. */
typedef sp_status_t sp_config_parse_fn(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                       sp_error_t *err);

struct sp_config_key;

typedef struct sp_config_keys {
    const struct sp_config_key *rows;
    size_t count;             /* at most SP_CONFIG_KEYS_MAX */
    const void *item_default; /* SP_KEY_SECTIONS: what an item is before its keys are read */
} sp_config_keys_t;

#define SP_CONFIG_KEYS_MAX 16

typedef struct sp_config_key {
    const char *name;
    sp_config_kind_t kind;
    bool required;       /* in a section that is given */
    bool secret;         /* never shown */
    bool optional;       /* a section: not shown unless its required keys are set */
    bool fixed;          /* list: items lie in the struct itself, not behind a pointer */
    size_t offset;       /* of the field in its struct */
    size_t size;         /* of the field; of one item for lists */
    size_t count_offset; /* list: of the size_t that counts the items */
    int64_t min;         /* integer: least value; lists: fewest items */
    int64_t max;         /* integer: greatest value; lists: most items */
    const sp_config_word_t *words;
    size_t word_count;
    sp_config_parse_fn *parse;
    const sp_config_keys_t *keys;
} sp_config_key_t;

/* The whole file. */
extern const sp_config_keys_t sp_config_root;

#endif
