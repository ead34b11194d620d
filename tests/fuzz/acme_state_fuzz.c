/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in a storage, and what the ACME client prints: any octets. */
#include "acme/backoff.h"
#include "acme/budget.h"
#include "acme/client.h"

#include <stdlib.h>
#include <string.h>

#define NOW ((uint64_t)1800000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fine)
{
    if (!fine) {
        abort();
    }
}

/* What is printed reads the same again. */
static void check_backoff(sp_str_t text, sp_arena_t *arena)
{
    sp_backoff_t backoff;
    sp_backoff_t again;
    sp_buf_t buf;

    if (!sp_backoff_parse(text, NOW, &backoff)) {
        return;
    }
    sp_buf_init(&buf, arena, 4096);
    sp_backoff_print(&backoff, &buf);
    require(sp_backoff_parse(sp_buf_str(&buf), NOW, &again));
    require(again.failures == backoff.failures && again.until_s == backoff.until_s);
    require(backoff.until_s <= NOW + SP_BACKOFF_MAX_S);
}

/* One order more never leaves more budget; and what is kept says the same again. */
static void check_budget(sp_str_t text, sp_arena_t *arena)
{
    const sp_budget_t budget = {.per_domain_per_week = 2, .per_hour = 3};
    uint64_t free_s = 0;
    sp_budget_state_t before = sp_budget_check(&budget, text, SP_STR("example.com"), NOW, &free_s);
    sp_buf_t buf;

    require(before == SP_BUDGET_LEFT || (free_s >= NOW && free_s <= NOW + SP_BUDGET_WEEK_S));
    sp_buf_init(&buf, arena, (size_t)4 * 1024 * 1024);
    sp_budget_add(text, SP_STR("example.com"), NOW, &buf);
    require(buf.status == SP_OK);
    require(before == SP_BUDGET_LEFT ||
            sp_budget_check(&budget, sp_buf_str(&buf), SP_STR("example.com"), NOW, &free_s) !=
                SP_BUDGET_LEFT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {(const char *)data, size};
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 4096);
    check_backoff(text, &arena);
    check_budget(text, &arena);
    require(sp_acme_client_fault(text).len != 0);
    sp_buf_init(&buf, &arena, (size_t)4 * 1024 * 1024);
    sp_acme_client_chain(text, &buf);
    sp_arena_clear(&arena);
    return 0;
}
