/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/renewals.h"

#include "acme/ledger.h"
#include "tls/name.h"

void sp_renewals_init(sp_renewals_t *renewals, const sp_storage_t *storage, sp_orders_t *orders)
{
    *renewals = (sp_renewals_t){.storage = storage, .orders = orders};
}

void sp_renewals_clear(sp_renewals_t *renewals)
{
    sp_storage_walk_end(renewals->walk);
    renewals->walk = NULL;
}

static void count(sp_renewals_figures_t *figures, const sp_inventory_item_t *item)
{
    bool is_served = item->state == SP_INVENTORY_VALID || item->state == SP_INVENTORY_DUE;

    ++figures->names[item->state];
    if (is_served && (figures->next_expiry == 0 || item->not_after < figures->next_expiry)) {
        figures->next_expiry = item->not_after;
    }
}

static void look(sp_renewals_t *renewals, sp_str_t name, time_t now)
{
    sp_inventory_item_t item;
    sp_backoff_t backoff;

    sp_inventory_look(renewals->storage, name, now, &item);
    if (item.state == SP_INVENTORY_ABSENT) {
        return; /* a folder of something else */
    }
    count(&renewals->counting, &item);
    if (item.state == SP_INVENTORY_VALID) {
        return;
    }
    sp_ledger_backoff(renewals->storage, name, (uint64_t)now, &backoff);
    if ((uint64_t)now >= backoff.until_s) {
        (void)sp_orders_want(renewals->orders, name, SP_ORDER_RENEWAL, 0); /* else next time */
    }
}

static bool end_round(sp_renewals_t *renewals, uint64_t now_ms)
{
    sp_storage_walk_end(renewals->walk);
    renewals->walk = NULL;
    renewals->next_ms = renewals->has_changed ? now_ms : now_ms + SP_RENEWALS_PAUSE_MS;
    renewals->figures = renewals->counting;
    renewals->figures.is_known = true;
    return true;
}

bool sp_renewals_step(sp_renewals_t *renewals, uint64_t now_ms, time_t now)
{
    char text[256];
    char checked[SP_TLS_NAME_MAX];
    sp_str_t name;

    if (renewals->walk == NULL) {
        if (now_ms < renewals->next_ms && !renewals->has_changed) {
            return false;
        }
        renewals->has_changed = false;
        renewals->counting = (sp_renewals_figures_t){.is_known = false};
        renewals->walk = sp_storage_walk_begin(renewals->storage, ".");
        renewals->next_ms = now_ms + SP_RENEWALS_PAUSE_MS;
    }
    for (size_t i = 0; renewals->walk != NULL && i != SP_RENEWALS_STEP; ++i) {
        if (!sp_storage_walk_next(renewals->walk, text, &name)) {
            return end_round(renewals, now_ms);
        }
        if (sp_tls_name_read(name, checked, &name)) {
            look(renewals, name, now);
        }
    }
    return false;
}

/* Has its owner, or whoever may, taken the permission away? */
static bool is_withdrawn(sp_permit_t permit)
{
    switch (permit) {
    case SP_PERMIT_BAD_NAME:
    case SP_PERMIT_NO_RECORD:
    case SP_PERMIT_FAULTY_RECORD:
    case SP_PERMIT_CAA:
        return true;
    case SP_PERMIT_GRANTED:
    case SP_PERMIT_BACK_OFF:
    case SP_PERMIT_DNS_FAILURE:
    case SP_PERMIT_DOMAIN_BUDGET:
    case SP_PERMIT_HOUR_BUDGET:
    case SP_PERMIT_CLIENT_BUDGET:
    case SP_PERMIT_CLIENT_NAMES:
    case SP_PERMIT_CAA_FAILURE:
    case SP_PERMIT_NO_MEMORY:
        break;
    }
    return false;
}

static bool is_long_expired(const sp_storage_t *storage, sp_str_t name, time_t now)
{
    sp_inventory_item_t item;

    sp_inventory_look(storage, name, now, &item);
    return item.state == SP_INVENTORY_EXPIRED && now - item.not_after > SP_RENEWALS_KEEP_S &&
           sp_storage_is_own(storage, name);
}

/* Not while anybody orders it, another process maybe. */
static bool delete (const sp_storage_t *storage, sp_str_t name, time_t now)
{
    sp_storage_name_t lock_at = sp_storage_name(SP_STORAGE_STATE "/locks/", name, "");
    bool is_deleted = false;
    int lock = -1;

    if (sp_storage_lock(storage, lock_at.text, false, &lock) != SP_OK) {
        return false;
    }
    if (is_long_expired(storage, name, now)) {
        is_deleted = sp_storage_forget(storage, name) == SP_OK;
    }
    if (is_deleted) {
        sp_ledger_clear(storage, name);
    }
    sp_storage_unlock(storage, lock_at.text, lock);
    return is_deleted;
}

bool sp_renewals_note(sp_renewals_t *renewals, const sp_order_end_t *end, time_t now)
{
    renewals->has_changed = renewals->has_changed || end->result == SP_ORDER_ISSUED;
    if (!end->is_renewal || end->result != SP_ORDER_REFUSED) {
        return false;
    }
    if (is_withdrawn(end->permit) && delete (renewals->storage, end->name, now)) {
        renewals->has_changed = true;
        return true;
    }
    sp_ledger_postpone(renewals->storage, end->name, (uint64_t)now + SP_RENEWALS_REFUSED_S,
                       sp_str_from(end->why));
    return false;
}
