/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_READ_H
#define SIGNPOST_SERVE_CONFIG_READ_H

/* From a JSON value to the fields of sp_config_t, along the table of keys. Whatever is wrong is
 * added to the faults, and reading goes on. */

#include "serve/config_faults.h"
#include "serve/config_keys.h"

#include <jansson.h>

typedef struct sp_config_reader {
    sp_str_t text; /* that jansson has read: for positions */
    sp_arena_t *arena;
    sp_config_faults_t *faults;
    bool no_memory;
} sp_config_reader_t;

/* Where a value stands in the file, told as dns.resolvers[0]; a chain towards the root on the
 * stack. */
typedef struct sp_config_place {
    const struct sp_config_place *parent; /* NULL: this is the root, without name */
    const char *name;                     /* NULL: an item of the parent's list */
    size_t index;
    size_t at; /* octets from the start of the text */
} sp_config_place_t;

/* The whole file. */
void sp_config_read_root(sp_config_reader_t *reader, const json_t *root, sp_config_t *config);

/* One section, or one item of a list of sections. `target` is the struct that the rows' offsets are
 * about: that of a section is also that of the sections in it. */
void sp_config_read_section(sp_config_reader_t *reader, const sp_config_keys_t *keys,
                            const json_t *object, const sp_config_place_t *place, void *target);

/* One value that is neither a section nor a list. False when a fault was added. */
bool sp_config_read_value(sp_config_reader_t *reader, const sp_config_key_t *key,
                          const json_t *value, const sp_config_place_t *place, void *target);

/* The parts that lists need, too: a text into the field at `field`, a word to its value. */
bool sp_config_read_text_to(sp_config_reader_t *reader, const sp_config_key_t *key,
                            const json_t *value, const sp_config_place_t *place, void *field);
bool sp_config_read_word(sp_config_reader_t *reader, const sp_config_key_t *key,
                         const json_t *value, const sp_config_place_t *place, unsigned *ret_value);

/* A list of anything. */
void sp_config_read_list(sp_config_reader_t *reader, const sp_config_key_t *key, const json_t *list,
                         const sp_config_place_t *place, void *target);

#define SP_CONFIG_NAME_MAX 100 /* octets of "listen[12].address", NUL included */

/* Writes the place's name; "the configuration" for the root. Returns `out`. */
const char *sp_config_place_name(const sp_config_place_t *place, char out[SP_CONFIG_NAME_MAX]);

/* Adds "NAME must be EXPECTED, not a string". */
void sp_config_add_wrong_type(sp_config_reader_t *reader, const sp_config_place_t *place,
                              const char *expected, const json_t *value);

#endif
