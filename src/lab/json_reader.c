/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/json_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "serve/json_position.h"

#define MESSAGE_MAX 160
#define NAME_MAX_OCTETS 64

/* A field of a struct; tables know it by its offset. */
typedef union field {
    void *any;
    char *octets;
    const char **text;
    sp_lab_texts_t *texts;
    double *number;
    unsigned *count;
    bool *flag;
    const json_t **json;
} field_t;

sp_status_t sp_lab_no_memory(sp_lab_reader_t *reader)
{
    return sp_fail(reader->err, SP_NO_MEMORY, 0, "out of memory");
}

sp_status_t sp_lab_refuse(sp_lab_reader_t *reader, size_t at, const char *format, ...)
{
    sp_json_place_t place = sp_json_place(reader->text, at);
    char message[MESSAGE_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    return sp_fail(reader->err, SP_BAD_VALUE, at, "%s:%zu:%zu: %s", reader->file, place.line,
                   place.column, message);
}

sp_status_t sp_lab_reader_parse(sp_lab_reader_t *reader, json_t **ret_root)
{
    json_error_t error = {.position = 0};
    json_t *root = NULL;

    if (reader->text.len > SP_LAB_JSON_MAX) {
        return sp_lab_refuse(reader, 0, "longer than %zu octets", SP_LAB_JSON_MAX);
    }
    if (sp_json_value_at(reader->text, 0) == reader->text.len) {
        return sp_lab_refuse(reader, 0, "the file is empty; expected a JSON object");
    }
    root = json_loadb(reader->text.ptr, reader->text.len, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL && json_error_code(&error) == json_error_out_of_memory) {
        return sp_lab_no_memory(reader);
    }
    if (root == NULL) {
        return sp_lab_refuse(reader, error.position < 0 ? 0 : (size_t)error.position,
                             "this is not JSON: %s", error.text);
    }
    *ret_root = root;
    return SP_OK;
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

static sp_status_t refuse_type(sp_lab_reader_t *reader, sp_lab_node_t node, const char *expected)
{
    return sp_lab_refuse(reader, node.at, "expected %s, not %s", expected, type_name(node.value));
}

static bool is_printable(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

sp_status_t sp_lab_read_text(sp_lab_reader_t *reader, sp_lab_node_t node, const char **ret_text)
{
    sp_str_t text;
    char *copy = NULL;

    if (!json_is_string(node.value)) {
        return refuse_type(reader, node, "a text");
    }
    text = (sp_str_t){.ptr = json_string_value(node.value), .len = json_string_length(node.value)};
    if (!is_printable(text)) {
        return sp_lab_refuse(reader, node.at, "control characters are not allowed here");
    }
    copy = sp_arena_alloc(reader->arena, text.len + 1);
    if (copy == NULL) {
        return sp_lab_no_memory(reader);
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *ret_text = copy;
    return SP_OK;
}

bool sp_lab_is_name(const char *text)
{
    size_t len = strlen(text);

    if (len == 0 || len > NAME_MAX_OCTETS || text[0] == '.') {
        return false;
    }
    for (size_t i = 0; i != len; ++i) {
        if (!sp_is_alnum(text[i]) && strchr("-_.", text[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static sp_status_t read_filled_text(sp_lab_reader_t *reader, const sp_lab_key_t *key,
                                    sp_lab_node_t node, const char **ret_text)
{
    sp_status_t status = sp_lab_read_text(reader, node, ret_text);

    if (status == SP_OK && (*ret_text)[0] == '\0') {
        return sp_lab_refuse(reader, node.at, "'%s' must not be empty", key->name);
    }
    if (status == SP_OK && key->type == SP_LAB_NAME && !sp_lab_is_name(*ret_text)) {
        return sp_lab_refuse(reader, node.at,
                             "'%s' may hold letters, digits, '-', '_' and '.', not '%s'", key->name,
                             *ret_text);
    }
    return status;
}

static sp_status_t read_number(sp_lab_reader_t *reader, const sp_lab_key_t *key, sp_lab_node_t node,
                               double *ret_number)
{
    double number = json_number_value(node.value);

    if (!json_is_number(node.value)) {
        return refuse_type(reader, node, "a number");
    }
    if (key->type == SP_LAB_COUNT && !json_is_integer(node.value)) {
        return sp_lab_refuse(reader, node.at, "'%s' must be a whole number", key->name);
    }
    if (!(number >= key->min && number <= key->max)) {
        return sp_lab_refuse(reader, node.at, "'%s' must be from %g to %g, not %g", key->name,
                             key->min, key->max, number);
    }
    *ret_number = number;
    return SP_OK;
}

static sp_status_t read_word(sp_lab_reader_t *reader, const sp_lab_key_t *key, sp_lab_node_t node,
                             unsigned *ret_index)
{
    char known[MESSAGE_MAX / 2] = "";
    size_t len = 0;

    if (!json_is_string(node.value)) {
        return refuse_type(reader, node, "a word");
    }
    for (unsigned i = 0; key->words[i] != NULL; ++i) {
        if (strcmp(key->words[i], json_string_value(node.value)) == 0) {
            *ret_index = i;
            return SP_OK;
        }
        if (len < sizeof(known)) {
            len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i == 0 ? "" : ", ",
                                    key->words[i]);
        }
    }
    return sp_lab_refuse(reader, node.at, "'%s' must be one of %s, not '%.40s'", key->name, known,
                         json_string_value(node.value));
}

static sp_status_t read_one_text(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    return sp_lab_read_text(reader, node, into);
}

static sp_status_t read_texts(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_texts_t *texts)
{
    static const sp_lab_list_t list = {.size = sizeof(char *), .max = 1000, .read = read_one_text};
    void *items = NULL;
    size_t count = 0;
    sp_status_t status = sp_lab_read_list(reader, node, &list, &items, &count);

    if (status == SP_OK) {
        *texts = (sp_lab_texts_t){.list = items, .count = count};
    }
    return status;
}

static sp_status_t read_field(sp_lab_reader_t *reader, const sp_lab_key_t *key, sp_lab_node_t node,
                              field_t field)
{
    double number = 0;
    sp_status_t status = SP_OK;

    switch (key->type) {
    case SP_LAB_TEXT:
    case SP_LAB_NAME:
        return read_filled_text(reader, key, node, field.text);
    case SP_LAB_TEXTS:
        return read_texts(reader, node, field.texts);
    case SP_LAB_NUMBER:
        return read_number(reader, key, node, field.number);
    case SP_LAB_COUNT:
        status = read_number(reader, key, node, &number);
        *field.count = status == SP_OK ? (unsigned)number : *field.count;
        return status;
    case SP_LAB_FLAG:
        if (!json_is_boolean(node.value)) {
            return refuse_type(reader, node, "true or false");
        }
        *field.flag = json_is_true(node.value);
        return SP_OK;
    case SP_LAB_WORD:
        return read_word(reader, key, node, field.count);
    case SP_LAB_ANY:
        *field.json = node.value;
        return SP_OK;
    case SP_LAB_OTHER:
        return key->read(reader, node, field.any);
    }
    return SP_OK;
}

typedef struct object {
    const sp_lab_key_t *keys;
    size_t count;
    field_t base;
} object_t; /* a struct, and the table of its fields */

static sp_status_t refuse_key(sp_lab_reader_t *reader, const object_t *object, const char *key,
                              size_t at)
{
    char known[MESSAGE_MAX / 2] = "";
    size_t len = 0;

    for (size_t i = 0; i != object->count && len < sizeof(known); ++i) {
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i == 0 ? "" : ", ",
                                object->keys[i].name);
    }
    return sp_lab_refuse(reader, at, "unknown key '%.40s'; known are %s", key, known);
}

sp_status_t sp_lab_read_member(sp_lab_reader_t *reader, const sp_lab_key_t *key, sp_lab_node_t node,
                               void *into)
{
    field_t base = {.any = into};
    field_t field = {.octets = base.octets + key->offset};

    return read_field(reader, key, node, field);
}

static sp_status_t read_member(sp_lab_reader_t *reader, const char *key, sp_lab_node_t node,
                               void *arg)
{
    const object_t *object = arg;

    for (size_t i = 0; i != object->count; ++i) {
        if (strcmp(object->keys[i].name, key) == 0) {
            return sp_lab_read_member(reader, &object->keys[i], node, object->base.any);
        }
    }
    return refuse_key(reader, object, key, node.key_at);
}

sp_status_t sp_lab_read_object(sp_lab_reader_t *reader, sp_lab_node_t node,
                               const sp_lab_key_t *keys, size_t count, void *into)
{
    object_t object = {.keys = keys, .count = count, .base = {.any = into}};
    sp_status_t status = sp_lab_read_members(reader, node, read_member, &object);

    for (size_t i = 0; status == SP_OK && i != count; ++i) {
        if (keys[i].required && json_object_get(node.value, keys[i].name) == NULL) {
            status = sp_lab_refuse(reader, node.at, "'%s' is missing here", keys[i].name);
        }
    }
    return status;
}

/* Keys are compared as jansson has decoded them; the walk only tells where their values stand. A
 * key that is written with escapes is none of ours, and is refused as unknown. */
sp_status_t sp_lab_read_members(sp_lab_reader_t *reader, sp_lab_node_t node, sp_lab_member_fn *read,
                                void *arg)
{
    sp_json_walk_t walk;
    sp_json_item_t item;

    if (!json_is_object(node.value) || !sp_json_walk_init(&walk, reader->text, node.at)) {
        return refuse_type(reader, node, "an object");
    }
    while (sp_json_walk_next(&walk, &item)) {
        sp_str_t inner = sp_str_slice(item.key, 1, item.key.len - 1);
        const json_t *value = json_object_getn(node.value, inner.ptr, inner.len);
        char key[NAME_MAX_OCTETS + 1];
        sp_status_t status = SP_OK;

        if (value == NULL || inner.len > NAME_MAX_OCTETS) {
            return sp_lab_refuse(reader, item.key_at, "unknown key %.*s", (int)inner.len,
                                 inner.ptr);
        }
        memcpy(key, inner.ptr, inner.len);
        key[inner.len] = '\0';
        status =
            read(reader, key,
                 (sp_lab_node_t){.value = value, .at = item.value_at, .key_at = item.key_at}, arg);
        if (status != SP_OK) {
            return status;
        }
    }
    return SP_OK;
}

sp_status_t sp_lab_read_list(sp_lab_reader_t *reader, sp_lab_node_t node, const sp_lab_list_t *list,
                             void **ret_items, size_t *ret_count)
{
    size_t count = json_array_size(node.value);
    sp_json_walk_t walk;
    sp_json_item_t item;
    field_t items = {.any = NULL};

    if (!json_is_array(node.value) || !sp_json_walk_init(&walk, reader->text, node.at)) {
        return refuse_type(reader, node, "a list");
    }
    if (count > list->max) {
        return sp_lab_refuse(reader, node.at, "at most %zu items are allowed here", list->max);
    }
    items.any = sp_arena_zalloc(reader->arena, count + 1, list->size);
    if (items.any == NULL) {
        return sp_lab_no_memory(reader);
    }
    for (size_t i = 0; i != count && sp_json_walk_next(&walk, &item); ++i) {
        sp_lab_node_t child = {.value = json_array_get(node.value, i), .at = item.value_at};
        sp_status_t status = list->read(reader, child, items.octets + i * list->size);

        if (status != SP_OK) {
            return status;
        }
    }
    *ret_items = items.any;
    *ret_count = count;
    return SP_OK;
}
