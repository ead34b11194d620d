/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/inventory.h"

#include <stdio.h>

#include "tls/certificate.h"

#define ARENA_CHUNK 16384
#define SPREAD_STEPS 1000

const char *sp_inventory_state_name(sp_inventory_state_t state)
{
    switch (state) {
    case SP_INVENTORY_VALID:
        return "valid";
    case SP_INVENTORY_DUE:
        return "due";
    case SP_INVENTORY_EXPIRED:
        return "expired";
    case SP_INVENTORY_FAULTY:
        return "faulty";
    case SP_INVENTORY_ABSENT:
        return "absent";
    }
    return "absent";
}

/* FNV-1a: any even spread will do. */
static uint32_t hash_of(sp_str_t name)
{
    uint32_t hash = 2166136261U;

    for (size_t i = 0; i != name.len; ++i) {
        hash = (hash ^ (unsigned char)name.ptr[i]) * 16777619U;
    }
    return hash;
}

time_t sp_inventory_due(sp_str_t name, time_t not_before, time_t not_after)
{
    time_t life = not_after - not_before;

    return not_before + life * 2 / 3 +
           life / 15 * (time_t)(hash_of(name) % SPREAD_STEPS) / SPREAD_STEPS;
}

static void set_state(sp_str_t name, const sp_certificate_t *certificate, time_t now,
                      sp_inventory_item_t *item)
{
    item->not_before = sp_certificate_not_before(certificate);
    item->not_after = sp_certificate_not_after(certificate);
    item->due = sp_inventory_due(name, item->not_before, item->not_after);
    (void)snprintf(item->issuer, sizeof(item->issuer), "%s", sp_certificate_issuer(certificate));
    if (!sp_certificate_covers(certificate, name)) {
        item->state = SP_INVENTORY_FAULTY;
        (void)snprintf(item->fault, sizeof(item->fault), "it is for other names");
    } else if (!sp_certificate_is_valid_at(certificate, now)) {
        item->state = SP_INVENTORY_EXPIRED;
    } else {
        item->state = now >= item->due ? SP_INVENTORY_DUE : SP_INVENTORY_VALID;
    }
}

void sp_inventory_judge(sp_str_t name, sp_str_t chain, sp_str_t key, time_t now,
                        sp_inventory_item_t *ret_item)
{
    const sp_certificate_pem_t pem = {.chain = chain, .key = key};
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {.status = SP_OK};

    *ret_item = (sp_inventory_item_t){.state = SP_INVENTORY_FAULTY};
    if (sp_certificate_read(&pem, 1, &certificate, &err) != SP_OK) {
        (void)snprintf(ret_item->fault, sizeof(ret_item->fault), "%.*s",
                       (int)sizeof(ret_item->fault) - 1, err.message);
        return;
    }
    set_state(name, certificate, now, ret_item);
    sp_certificate_release(certificate);
}

void sp_inventory_look(const sp_storage_t *storage, sp_str_t name, time_t now,
                       sp_inventory_item_t *ret_item)
{
    sp_arena_t arena;
    sp_str_t chain = {0};
    sp_str_t key = {0};
    sp_status_t status = SP_OK;

    *ret_item = (sp_inventory_item_t){.state = SP_INVENTORY_ABSENT};
    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    status = sp_storage_read_pair(storage, name, &arena, &chain, &key);
    if (status == SP_OK) {
        sp_inventory_judge(name, chain, key, now, ret_item);
    } else if (status != SP_NOT_FOUND) {
        ret_item->state = SP_INVENTORY_FAULTY;
        (void)snprintf(ret_item->fault, sizeof(ret_item->fault), "its files can't be read");
    }
    sp_arena_clear(&arena);
}
