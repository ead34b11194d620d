/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/ledger.h"

#include "acme/registered_domain.h"

#define BUDGET_FILE SP_STORAGE_STATE "/budget"
#define BUDGET_LOCK SP_STORAGE_STATE "/locks/.budget"
#define FAILURES SP_STORAGE_STATE "/failures/"
#define ARENA_CHUNK 8192

void sp_ledger_backoff(const sp_storage_t *storage, sp_str_t name, uint64_t now_s,
                       sp_backoff_t *ret_backoff)
{
    sp_storage_name_t at = sp_storage_name(FAILURES, name, "");
    sp_arena_t arena;
    sp_str_t text;

    *ret_backoff = (sp_backoff_t){.failures = 0};
    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    if (sp_storage_read(storage, at.text, &arena, &text) == SP_OK) {
        (void)sp_backoff_parse(text, now_s, ret_backoff);
    }
    sp_arena_clear(&arena);
}

static void write_backoff(const sp_storage_t *storage, sp_str_t name, const sp_backoff_t *backoff)
{
    sp_storage_name_t at = sp_storage_name(FAILURES, name, "");
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&buf, &arena, ARENA_CHUNK);
    sp_backoff_print(backoff, &buf);
    if (buf.status == SP_OK) {
        /* Unwritten, the name is tried again sooner than it should be: no reason to stop. */
        (void)sp_storage_write(storage, at.text, sp_buf_str(&buf), NULL);
    }
    sp_arena_clear(&arena);
}

void sp_ledger_fail(const sp_storage_t *storage, sp_str_t name, uint64_t now_s, uint64_t least_s,
                    sp_str_t reason)
{
    sp_backoff_t backoff;

    sp_ledger_backoff(storage, name, now_s, &backoff);
    sp_backoff_fail(&backoff, now_s, least_s, reason);
    write_backoff(storage, name, &backoff);
}

void sp_ledger_postpone(const sp_storage_t *storage, sp_str_t name, uint64_t until_s,
                        sp_str_t reason)
{
    sp_backoff_t backoff = {.failures = 0};

    sp_backoff_fail(&backoff, 0, 0, reason);
    backoff.failures = 0;
    backoff.until_s = until_s;
    write_backoff(storage, name, &backoff);
}

void sp_ledger_clear(const sp_storage_t *storage, sp_str_t name)
{
    sp_storage_name_t at = sp_storage_name(FAILURES, name, "");

    sp_storage_remove(storage, at.text);
}

/* What was ordered; empty when nothing was so far. SP_OK, or SP_IO: it is not known, and must not
 * be written over. */
static sp_status_t read_orders(const sp_storage_t *storage, sp_arena_t *arena, sp_str_t *ret_orders)
{
    sp_status_t status = sp_storage_read(storage, BUDGET_FILE, arena, ret_orders);

    if (status == SP_NOT_FOUND) {
        *ret_orders = SP_STR("");
        return SP_OK;
    }
    return status == SP_OK ? SP_OK : SP_IO;
}

sp_budget_state_t sp_ledger_check(const sp_storage_t *storage, const sp_budget_t *budget,
                                  sp_str_t name, uint64_t now_s, uint64_t *ret_free_s)
{
    sp_arena_t arena;
    sp_str_t orders;
    sp_budget_state_t state = SP_BUDGET_LEFT;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    if (read_orders(storage, &arena, &orders) == SP_OK) {
        state = sp_budget_check(budget, orders, sp_registered_domain(name), now_s, ret_free_s);
    }
    sp_arena_clear(&arena);
    return state;
}

static sp_status_t spend(const sp_storage_t *storage, const sp_budget_t *budget, sp_str_t domain,
                         uint64_t now_s, sp_error_t *err)
{
    sp_arena_t arena;
    sp_buf_t buf;
    sp_str_t orders;
    uint64_t free_s = 0;
    sp_status_t status = SP_TOO_LONG;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&buf, &arena, SP_STORAGE_FILE_MAX);
    if (read_orders(storage, &arena, &orders) != SP_OK) {
        status = sp_fail(err, SP_IO, 0, "what was ordered before can't be read: " BUDGET_FILE);
    } else if (sp_budget_check(budget, orders, domain, now_s, &free_s) == SP_BUDGET_LEFT) {
        sp_budget_add(orders, domain, now_s, &buf);
        status = buf.status == SP_OK ? sp_storage_write(storage, BUDGET_FILE, sp_buf_str(&buf), err)
                                     : sp_fail(err, buf.status, 0, "the list of orders can't grow");
    } else {
        (void)sp_fail(err, status, 0, "the budget was spent meanwhile");
    }
    sp_arena_clear(&arena);
    return status;
}

sp_status_t sp_ledger_spend(const sp_storage_t *storage, const sp_budget_t *budget, sp_str_t name,
                            uint64_t now_s, sp_error_t *err)
{
    int lock = -1;
    sp_status_t status = SP_OK;

    /* Held by others for as long as a small file takes to write. */
    if (sp_storage_lock(storage, BUDGET_LOCK, true, &lock) != SP_OK) {
        return sp_fail(err, SP_IO, 0, "the storage can't be locked");
    }
    status = spend(storage, budget, sp_registered_domain(name), now_s, err);
    sp_storage_unlock(storage, BUDGET_LOCK, lock);
    return status;
}

void sp_ledger_take_back(const sp_storage_t *storage, sp_str_t name, uint64_t at_s)
{
    sp_arena_t arena;
    sp_str_t orders;
    sp_buf_t buf;
    int lock = -1;

    if (sp_storage_lock(storage, BUDGET_LOCK, true, &lock) != SP_OK) {
        return;
    }
    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&buf, &arena, SP_STORAGE_FILE_MAX);
    if (read_orders(storage, &arena, &orders) == SP_OK) {
        sp_budget_remove(orders, sp_registered_domain(name), at_s, &buf);
        if (buf.status == SP_OK) {
            (void)sp_storage_write(storage, BUDGET_FILE, sp_buf_str(&buf), NULL);
        }
    }
    sp_arena_clear(&arena);
    sp_storage_unlock(storage, BUDGET_LOCK, lock);
}
