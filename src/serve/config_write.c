/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_write.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "dns/resolver_address.h"
#include "explain/json.h"
#include "serve/config_keys.h"
#include "serve/config_values.h"

#define TEXT_MAX 160

static json_t *text_or_null(const char *text)
{
    return text == NULL ? json_null() : sp_json_str(sp_str_from(text));
}

static json_t *resolver_json(const struct sockaddr_storage *address)
{
    char text[SP_RESOLVER_TEXT_MAX];

    sp_resolver_print(address, text, sizeof(text));
    return sp_json_str(sp_str_from(text));
}

static json_t *network_json(const sp_network_t *network)
{
    char address[INET6_ADDRSTRLEN];
    char text[TEXT_MAX];

    if (network->family == AF_UNIX) {
        return sp_json_str(SP_STR("unix:"));
    }
    if (inet_ntop(network->family, network->address, address, sizeof(address)) == NULL) {
        return json_null();
    }
    (void)snprintf(text, sizeof(text), "%s/%u", address, (unsigned)network->prefix_len);
    return sp_json_str(sp_str_from(text));
}

static json_t *colour_json(const uint32_t *colour)
{
    char text[TEXT_MAX];

    (void)snprintf(text, sizeof(text), "%08x", (unsigned)*colour);
    return sp_json_str(sp_str_from(text));
}

static bool holds_slice(const sp_config_key_t *key)
{
    return key->parse == sp_config_parse_url || key->parse == sp_config_parse_https_url ||
           key->parse == sp_config_parse_email || key->parse == sp_config_parse_token ||
           key->parse == sp_config_parse_base64url || key->parse == sp_config_parse_host;
}

/* The reader of a field says of which type it is (config_values.h). */
static json_t *text_json(const sp_config_key_t *key, const void *field)
{
    if (key->parse == sp_config_parse_address) {
        return text_or_null(((const sp_address_t *)field)->text);
    }
    if (key->parse == sp_config_parse_resolver) {
        return resolver_json(field);
    }
    if (key->parse == sp_config_parse_network) {
        return network_json(field);
    }
    if (key->parse == sp_config_parse_colour) {
        return colour_json(field);
    }
    if (holds_slice(key)) {
        return sp_json_str(*(const sp_str_t *)field);
    }
    if (key->parse == sp_config_parse_path || key->parse == sp_config_parse_certificate) {
        return text_or_null(*(const char *const *)field);
    }
    return json_null();
}

static uint64_t read_bits(const void *field, size_t size)
{
    uint8_t octet = 0;
    uint16_t half = 0;
    uint32_t word = 0;
    uint64_t all = 0;

    switch (size) {
    case sizeof(octet):
        memcpy(&octet, field, size);
        return octet;
    case sizeof(half):
        memcpy(&half, field, size);
        return half;
    case sizeof(word):
        memcpy(&word, field, size);
        return word;
    default:
        memcpy(&all, field, sizeof(all));
        return all;
    }
}

static json_t *integer_json(const sp_config_key_t *key, const void *field)
{
    uint64_t value = read_bits(field, key->size);

    if (key->min < 0 && key->size == sizeof(int32_t)) {
        return json_integer((int32_t)(uint32_t)value);
    }
    return json_integer((json_int_t)value);
}

static json_t *word_json(const sp_config_key_t *key, const void *field)
{
    uint64_t value = read_bits(field, key->size);

    for (size_t i = 0; i != key->word_count; ++i) {
        if (key->words[i].value == value) {
            return json_string(key->words[i].name);
        }
    }
    return json_null();
}

static json_t *words_json(const sp_config_key_t *key, const void *field)
{
    uint64_t value = read_bits(field, key->size);
    json_t *list = json_array();

    for (size_t i = 0; i != key->word_count; ++i) {
        if ((value & key->words[i].value) != 0) {
            (void)json_array_append_new(list, json_string(key->words[i].name));
        }
    }
    return list;
}

static json_t *keys_json(const sp_config_keys_t *keys, const void *base);

/* A list of texts, or of objects. */
/* NOLINTNEXTLINE(misc-no-recursion): the table is three levels deep */
static json_t *list_json(const sp_config_key_t *key, const void *base)
{
    const char *items = (const char *)base + key->offset;
    json_t *list = json_array();
    size_t count = 0;

    memcpy(&count, (const char *)base + key->count_offset, sizeof(count));
    if (!key->fixed) {
        items = *(const char *const *)(const void *)items;
    }
    for (size_t i = 0; i != count; ++i) {
        const void *item = items + i * key->size;

        (void)json_array_append_new(list, key->kind == SP_KEY_SECTIONS ? keys_json(key->keys, item)
                                                                       : text_json(key, item));
    }
    return list;
}

/* NOLINTNEXTLINE(misc-no-recursion): the table is three levels deep */
static json_t *key_json(const sp_config_key_t *key, const void *base)
{
    const void *field = (const char *)base + key->offset;

    switch (key->kind) {
    case SP_KEY_BOOL:
        return json_boolean(read_bits(field, key->size) != 0);
    case SP_KEY_INTEGER:
        return integer_json(key, field);
    case SP_KEY_TEXT:
        return text_json(key, field);
    case SP_KEY_WORD:
        return word_json(key, field);
    case SP_KEY_WORDS:
        return words_json(key, field);
    case SP_KEY_LIST:
    case SP_KEY_SECTIONS:
        return list_json(key, base);
    case SP_KEY_SECTION:
        break;
    }
    return keys_json(key->keys, base);
}

static bool is_set(const sp_config_key_t *key, const void *base)
{
    const void *field = (const char *)base + key->offset;

    return holds_slice(key) ? ((const sp_str_t *)field)->len != 0
                            : *(const char *const *)field != NULL;
}

/* Is a section that need not be there? Its required keys are texts. */
static bool is_given(const sp_config_keys_t *keys, const void *base)
{
    bool given = true;

    for (size_t i = 0; i != keys->count; ++i) {
        given = given && (!keys->rows[i].required || is_set(&keys->rows[i], base));
    }
    return given;
}

static bool is_shown(const sp_config_key_t *key, const void *base)
{
    bool is_path = key->kind == SP_KEY_TEXT && key->parse == sp_config_parse_path;

    return !key->secret && (!key->optional || is_given(key->keys, base)) &&
           (!is_path || is_set(key, base));
}

/* NOLINTNEXTLINE(misc-no-recursion): the table is three levels deep */
static json_t *keys_json(const sp_config_keys_t *keys, const void *base)
{
    json_t *object = json_object();

    for (size_t i = 0; i != keys->count; ++i) {
        const sp_config_key_t *key = &keys->rows[i];

        if (is_shown(key, base)) {
            (void)json_object_set_new(object, key->name, key_json(key, base));
        }
    }
    return object;
}

json_t *sp_config_json(const sp_config_t *config, const sp_dns_options_t *dns)
{
    json_t *root = keys_json(&sp_config_root, config);
    json_t *resolvers = NULL;

    if (dns == NULL) {
        return root;
    }
    resolvers = json_array();
    for (size_t i = 0; i != dns->resolver_count; ++i) {
        (void)json_array_append_new(resolvers, resolver_json(&dns->resolvers[i]));
    }
    (void)json_object_set_new(json_object_get(root, "dns"), "resolvers", resolvers);
    return root;
}
