/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_read.h"

#include "serve/config_suggest.h"
#include "serve/json_position.h"

#include <stdio.h>
#include <string.h>

#define QUOTED_MAX 40 /* octets of a key or word that a message shows */

#define PLACE_DEPTH 4 /* section, section or item of a list, key, item of a list */

/* "[2]" behind a list, ".key" behind anything else; nothing that does not fit. */
static void append_part(char out[SP_CONFIG_NAME_MAX], const sp_config_place_t *part)
{
    size_t used = strlen(out);
    int written = part->name == NULL
                      ? snprintf(out + used, SP_CONFIG_NAME_MAX - used, "[%zu]", part->index)
                      : snprintf(out + used, SP_CONFIG_NAME_MAX - used, "%s%s",
                                 used == 0 ? "" : ".", part->name);

    if (written < 0) {
        out[used] = '\0';
    }
}

const char *sp_config_place_name(const sp_config_place_t *place, char out[SP_CONFIG_NAME_MAX])
{
    const sp_config_place_t *parts[PLACE_DEPTH];
    size_t depth = 0;

    for (; place->parent != NULL && depth != PLACE_DEPTH; place = place->parent) {
        parts[depth++] = place;
    }
    out[0] = '\0';
    if (depth == 0) {
        (void)snprintf(out, SP_CONFIG_NAME_MAX, "the configuration");
    }
    for (; depth != 0; --depth) {
        append_part(out, parts[depth - 1]);
    }
    return out;
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number with a fraction or exponent";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

void sp_config_add_wrong_type(sp_config_reader_t *reader, const sp_config_place_t *place,
                              const char *expected, const json_t *value)
{
    char name[SP_CONFIG_NAME_MAX];

    sp_config_faults_add(reader->faults, place->at, "%s must be %s, not %s",
                         sp_config_place_name(place, name), expected, type_name(value));
}

static sp_str_t string_of(const json_t *value)
{
    return (sp_str_t){.ptr = json_string_value(value), .len = json_string_length(value)};
}

/* The key without its quotes and escapes. *ret_holder keeps its memory where it had escapes. */
static sp_str_t decode_key(sp_str_t written, json_t **ret_holder)
{
    sp_str_t plain = sp_str_slice(written, 1, written.len - 1);

    *ret_holder = NULL;
    if (sp_str_find(plain, '\\') == plain.len) {
        return plain;
    }
    *ret_holder = json_loadb(written.ptr, written.len, JSON_DECODE_ANY, NULL);
    return *ret_holder == NULL ? plain : string_of(*ret_holder);
}

static size_t find_row(const sp_config_keys_t *keys, sp_str_t name)
{
    size_t row = 0;

    while (row != keys->count && !sp_str_eq(sp_str_from(keys->rows[row].name), name)) {
        ++row;
    }
    return row;
}

static void add_unknown(sp_config_reader_t *reader, const sp_config_keys_t *keys, sp_str_t name,
                        const sp_config_place_t *section, size_t at)
{
    char section_name[SP_CONFIG_NAME_MAX];
    char advice[SP_CONFIG_ADVICE_MAX];

    sp_config_advise_key(keys, name, advice);
    sp_config_faults_add(reader->faults, at, "unknown key \"%.*s\" in %s; %s",
                         (int)(name.len > QUOTED_MAX ? QUOTED_MAX : name.len), name.ptr,
                         sp_config_place_name(section, section_name), advice);
}

/* Counting lines reads the whole text: not for faults that nobody will see. */
static void add_duplicate(sp_config_reader_t *reader, const char *name, size_t first_at, size_t at)
{
    bool full = sp_config_faults_are_full(reader->faults);
    size_t line = full ? 0 : sp_json_place(reader->text, first_at).line;

    sp_config_faults_add(reader->faults, at,
                         "key \"%s\" is given twice, first on line %zu; expected once", name, line);
}

/* Notes for each row where its value stands (0: nowhere); unknown and repeated keys are faults. Of
 * a repeated key the last counts, as for jansson. */
static void find_values(sp_config_reader_t *reader, const sp_config_keys_t *keys,
                        const sp_config_place_t *place, size_t values_at[SP_CONFIG_KEYS_MAX])
{
    sp_json_walk_t walk;
    sp_json_item_t item;
    json_t *holder;

    if (!sp_json_walk_init(&walk, reader->text, place->at)) {
        return;
    }
    while (sp_json_walk_next(&walk, &item)) {
        sp_str_t name = decode_key(item.key, &holder);
        size_t row = find_row(keys, name);

        if (row == keys->count) {
            add_unknown(reader, keys, name, place, item.key_at);
        } else {
            if (values_at[row] != 0) {
                add_duplicate(reader, keys->rows[row].name, values_at[row], item.key_at);
            }
            values_at[row] = item.value_at;
        }
        json_decref(holder);
    }
}

/* Reads the value of one row into `target`. */
typedef void read_row_fn(sp_config_reader_t *reader, const sp_config_key_t *key,
                         const json_t *value, const sp_config_place_t *place, void *target);

/* The object that a table of rows is about. */
typedef struct object_input {
    const json_t *object;
    const sp_config_place_t *place;
    read_row_fn *read_row;
} object_input_t;

/* NOLINTNEXTLINE(misc-no-recursion): the table is three levels deep */
static void read_rows(sp_config_reader_t *reader, const sp_config_keys_t *keys,
                      const object_input_t *input, void *target)
{
    size_t values_at[SP_CONFIG_KEYS_MAX] = {0};
    char name[SP_CONFIG_NAME_MAX];

    if (!json_is_object(input->object)) {
        sp_config_add_wrong_type(reader, input->place, "an object", input->object);
        return;
    }
    find_values(reader, keys, input->place, values_at);
    for (size_t row = 0; row != keys->count; ++row) {
        const sp_config_key_t *key = &keys->rows[row];
        const json_t *value = json_object_get(input->object, key->name);
        sp_config_place_t inner = {.parent = input->place, .name = key->name, .at = values_at[row]};

        if (value != NULL && inner.at != 0) {
            input->read_row(reader, key, value, &inner, target);
        } else if (key->required) {
            sp_config_faults_add(reader->faults, input->place->at, "%s needs the key \"%s\"",
                                 sp_config_place_name(input->place, name), key->name);
        }
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): the table is three levels deep */
static void read_leaf(sp_config_reader_t *reader, const sp_config_key_t *key, const json_t *value,
                      const sp_config_place_t *place, void *target)
{
    if (key->kind == SP_KEY_SECTION) {
        sp_config_read_section(reader, key->keys, value, place, target);
    } else if (key->kind == SP_KEY_LIST || key->kind == SP_KEY_WORDS) {
        sp_config_read_list(reader, key, value, place, target);
    } else {
        (void)sp_config_read_value(reader, key, value, place, target);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): the table is three levels deep */
void sp_config_read_section(sp_config_reader_t *reader, const sp_config_keys_t *keys,
                            const json_t *object, const sp_config_place_t *place, void *target)
{
    object_input_t input = {.object = object, .place = place, .read_row = read_leaf};

    read_rows(reader, keys, &input, target);
}

/* Lists of sections stand at the top only. */
static void read_top(sp_config_reader_t *reader, const sp_config_key_t *key, const json_t *value,
                     const sp_config_place_t *place, void *target)
{
    if (key->kind == SP_KEY_SECTIONS) {
        sp_config_read_list(reader, key, value, place, target);
    } else {
        read_leaf(reader, key, value, place, target);
    }
}

void sp_config_read_root(sp_config_reader_t *reader, const json_t *root, sp_config_t *config)
{
    sp_config_place_t place = {.at = sp_json_value_at(reader->text, 0)};
    object_input_t input = {.object = root, .place = &place, .read_row = read_top};

    read_rows(reader, &sp_config_root, &input, config);
}
