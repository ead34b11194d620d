/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_read.h"

#include "serve/json_position.h"

#include <inttypes.h>
#include <string.h>

/* One item, into the place in memory that is its own; words are gathered in one. */
static void read_item(sp_config_reader_t *reader, const sp_config_key_t *key, const json_t *value,
                      const sp_config_place_t *place, void *field)
{
    unsigned word = 0;

    if (key->kind == SP_KEY_SECTIONS) {
        memcpy(field, key->keys->item_default, key->size);
        sp_config_read_section(reader, key->keys, value, place, field);
    } else if (key->kind == SP_KEY_LIST) {
        (void)sp_config_read_text_to(reader, key, value, place, field);
    } else if (sp_config_read_word(reader, key, value, place, &word)) {
        *(unsigned *)field |= word;
    }
}

/* Words may be repeated; that there are many of them hurts nobody. */
static bool check_count(sp_config_reader_t *reader, const sp_config_key_t *key, size_t count,
                        const sp_config_place_t *place)
{
    char name[SP_CONFIG_NAME_MAX];

    if (count < (size_t)key->min) {
        sp_config_faults_add(
            reader->faults, place->at, "%s must have at least %" PRId64 " item%s, not %zu",
            sp_config_place_name(place, name), key->min, key->min == 1 ? "" : "s", count);
        return false;
    }
    if (key->kind != SP_KEY_WORDS && count > (size_t)key->max) {
        sp_config_faults_add(reader->faults, place->at,
                             "%s must have at most %" PRId64 " items, not %zu",
                             sp_config_place_name(place, name), key->max, count);
        return false;
    }
    return true;
}

/* Memory for the items, hung into the struct: its own, or the arena's. NULL when memory is out. */
static void *prepare_items(sp_config_reader_t *reader, const sp_config_key_t *key, size_t count,
                           void *target)
{
    char *field = (char *)target + key->offset;
    void *items = field;

    if (key->kind == SP_KEY_WORDS) {
        memset(field, 0, key->size);
        return field;
    }
    if (!key->fixed) {
        items = sp_arena_zalloc(reader->arena, count, key->size);
        if (items == NULL) {
            reader->no_memory = true;
            return NULL;
        }
        memcpy(field, &items, sizeof(items));
    }
    memcpy((char *)target + key->count_offset, &count, sizeof(count));
    return items;
}

void sp_config_read_list(sp_config_reader_t *reader, const sp_config_key_t *key, const json_t *list,
                         const sp_config_place_t *place, void *target)
{
    sp_json_walk_t walk;
    sp_json_item_t item;
    size_t count = json_array_size(list);
    size_t stride = key->kind == SP_KEY_WORDS ? 0 : key->size;
    char *items;

    if (!json_is_array(list)) {
        sp_config_add_wrong_type(reader, place, "a list", list);
        return;
    }
    if (!check_count(reader, key, count, place) ||
        (items = prepare_items(reader, key, count, target)) == NULL ||
        !sp_json_walk_init(&walk, reader->text, place->at)) {
        return;
    }
    for (size_t i = 0; i != count && sp_json_walk_next(&walk, &item); ++i) {
        sp_config_place_t inner = {.parent = place, .index = i, .at = item.value_at};

        read_item(reader, key, json_array_get(list, i), &inner, items + i * stride);
    }
}
