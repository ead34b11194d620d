/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/name_map.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct item {
    sp_name_node_t node;
    char name[16];
} item_t;

#define ITEMS 1000

static void fill(sp_name_map_t *map, item_t *items)
{
    sp_name_key_t key;

    cr_assert_eq(sp_name_key_make(&key), SP_OK);
    cr_assert_eq(sp_name_map_init(map, &key), SP_OK);
    for (size_t i = 0; i != ITEMS; ++i) {
        char name[16];

        cr_assert_gt(snprintf(name, sizeof(name), "n%zu", i), 0);
        sp_name_node_init(&items[i].node, offsetof(item_t, name), sp_str_from(name));
        sp_name_map_insert(map, &items[i].node);
    }
}

/* The published test vector of SipHash-1-3 for the key 00…0f and the text 00…07. */
Test(name_map, hashes_as_siphash_1_3)
{
    sp_name_key_t key = {{0x0706050403020100U, 0x0f0e0d0c0b0a0908U}};
    char text[8] = {0, 1, 2, 3, 4, 5, 6, 7};

    cr_expect_eq(sp_name_hash(&key, (sp_str_t){text, 0}), 0xabac0158050fc4dcU);
    cr_expect_eq(sp_name_hash(&key, (sp_str_t){text, 1}), 0xc9f49bf37d57ca93U);
}

Test(name_map, finds_every_name_after_growing)
{
    static item_t items[ITEMS];
    sp_name_map_t map;

    fill(&map, items);
    cr_expect_eq(map.count, ITEMS);
    for (size_t i = 0; i != ITEMS; ++i) {
        cr_expect_eq(sp_name_map_find(&map, sp_str_from(items[i].name)), &items[i].node);
    }
    cr_expect_null(sp_name_map_find(&map, SP_STR("n")));
    cr_expect_null(sp_name_map_find(&map, SP_STR("n1000")));
    cr_expect_geq(sp_name_map_bytes(&map), ITEMS / 2 * sizeof(void *));
    sp_name_map_clear(&map);
}

Test(name_map, forgets_what_is_removed_and_nothing_else)
{
    static item_t items[ITEMS];
    sp_name_map_t map;

    fill(&map, items);
    for (size_t i = 0; i < ITEMS; i += 2) {
        sp_name_map_remove(&map, &items[i].node);
        sp_name_map_remove(&map, &items[i].node);
    }
    cr_expect_eq(map.count, ITEMS / 2);
    for (size_t i = 0; i != ITEMS; ++i) {
        cr_expect_eq(sp_name_map_find(&map, sp_str_from(items[i].name)) != NULL, i % 2 == 1);
    }
    sp_name_map_clear(&map);
}
