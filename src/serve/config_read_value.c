/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_read.h"

#include "serve/config_suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static sp_str_t string_of(const json_t *value)
{
    return (sp_str_t){.ptr = json_string_value(value), .len = json_string_length(value)};
}

static void *field_of(const sp_config_key_t *key, void *target)
{
    return (char *)target + key->offset;
}

/* `value` is within the row's limits, which the field's type can hold. */
static void store_integer(void *field, size_t size, int64_t value)
{
    uint8_t octet = (uint8_t)value;
    uint16_t half = (uint16_t)value;
    uint32_t word = (uint32_t)value;

    if (size == sizeof(octet)) {
        memcpy(field, &octet, size);
    } else if (size == sizeof(half)) {
        memcpy(field, &half, size);
    } else if (size == sizeof(word)) {
        memcpy(field, &word, size);
    } else {
        memcpy(field, &value, sizeof(value));
    }
}

static bool is_word_value(const sp_config_key_t *key, int64_t value)
{
    bool found = false;

    for (size_t i = 0; i != key->word_count; ++i) {
        found = found || value == (int64_t)key->words[i].value;
    }
    return found;
}

static bool read_integer(sp_config_reader_t *reader, const sp_config_key_t *key,
                         const json_t *value, const sp_config_place_t *place, void *target)
{
    char name[SP_CONFIG_NAME_MAX];
    char expected[SP_CONFIG_ADVICE_MAX];
    int64_t number = json_integer_value(value);

    if (key->words != NULL) {
        sp_config_list_words(key, "or", expected);
    } else if (snprintf(expected, sizeof(expected), "an integer from %" PRId64 " to %" PRId64,
                        key->min, key->max) < 0) {
        expected[0] = '\0';
    }
    if (!json_is_integer(value)) {
        sp_config_add_wrong_type(reader, place, expected, value);
        return false;
    }
    if (key->words != NULL ? !is_word_value(key, number) : number < key->min || number > key->max) {
        sp_config_faults_add(reader->faults, place->at, "%s must be %s, not %" PRId64,
                             sp_config_place_name(place, name), expected, number);
        return false;
    }
    store_integer(field_of(key, target), key->size, number);
    return true;
}

static bool read_bool(sp_config_reader_t *reader, const sp_config_key_t *key, const json_t *value,
                      const sp_config_place_t *place, void *target)
{
    bool flag = json_is_true(value);

    if (!json_is_boolean(value)) {
        sp_config_add_wrong_type(reader, place, "true or false", value);
        return false;
    }
    memcpy(field_of(key, target), &flag, sizeof(flag));
    return true;
}

bool sp_config_read_text_to(sp_config_reader_t *reader, const sp_config_key_t *key,
                            const json_t *value, const sp_config_place_t *place, void *field)
{
    char name[SP_CONFIG_NAME_MAX];
    sp_error_t err;
    sp_status_t status;

    if (!json_is_string(value)) {
        sp_config_add_wrong_type(reader, place, "a string", value);
        return false;
    }
    status = key->parse(string_of(value), reader->arena, field, &err);
    if (status == SP_NO_MEMORY) {
        reader->no_memory = true;
    } else if (status != SP_OK) {
        sp_config_faults_add(reader->faults, place->at, "%s: %s", sp_config_place_name(place, name),
                             err.message);
    }
    return status == SP_OK;
}

bool sp_config_read_word(sp_config_reader_t *reader, const sp_config_key_t *key,
                         const json_t *value, const sp_config_place_t *place, unsigned *ret_value)
{
    char name[SP_CONFIG_NAME_MAX];
    char expected[SP_CONFIG_ADVICE_MAX];

    for (size_t i = 0; json_is_string(value) && i != key->word_count; ++i) {
        if (sp_str_eq(string_of(value), sp_str_from(key->words[i].name))) {
            *ret_value = key->words[i].value;
            return true;
        }
    }
    sp_config_list_words(key, "or", expected);
    if (!json_is_string(value)) {
        sp_config_add_wrong_type(reader, place, expected, value);
    } else {
        sp_config_faults_add(reader->faults, place->at, "%s must be %s, not \"%.40s\"",
                             sp_config_place_name(place, name), expected, json_string_value(value));
    }
    return false;
}

bool sp_config_read_value(sp_config_reader_t *reader, const sp_config_key_t *key,
                          const json_t *value, const sp_config_place_t *place, void *target)
{
    unsigned word;

    if (key->kind == SP_KEY_BOOL) {
        return read_bool(reader, key, value, place, target);
    }
    if (key->kind == SP_KEY_INTEGER) {
        return read_integer(reader, key, value, place, target);
    }
    if (key->kind == SP_KEY_TEXT) {
        return sp_config_read_text_to(reader, key, value, place, field_of(key, target));
    }
    if (!sp_config_read_word(reader, key, value, place, &word)) {
        return false;
    }
    store_integer(field_of(key, target), key->size, (int64_t)word);
    return true;
}
