/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_LEDGER_H
#define SIGNPOST_ACME_LEDGER_H

/* Budgets and failures as they lie in a storage, shared by the processes that use it. */

#include "acme/backoff.h"
#include "acme/budget.h"
#include "acme/storage.h"

/* The wait of `name`; all zero when there is none. What can't be read counts as none: it only saves
 * the authority a question. */
void sp_ledger_backoff(const sp_storage_t *storage, sp_str_t name, uint64_t now_s,
                       sp_backoff_t *ret_backoff);

/* An order of `name` has failed; the wait from now on. */
void sp_ledger_fail(const sp_storage_t *storage, sp_str_t name, uint64_t now_s, uint64_t least_s,
                    sp_str_t reason);

/* `name` is not to be renewed before `until_s`. Orders at a client's wish do not heed it. */
void sp_ledger_postpone(const sp_storage_t *storage, sp_str_t name, uint64_t until_s,
                        sp_str_t reason);

/* All is well again. */
void sp_ledger_clear(const sp_storage_t *storage, sp_str_t name);

/* May `name` be ordered? SP_BUDGET_LEFT also when the storage can't be read: sp_ledger_spend,
 * without which nothing is ordered, then fails. */
sp_budget_state_t sp_ledger_check(const sp_storage_t *storage, const sp_budget_t *budget,
                                  sp_str_t name, uint64_t now_s, uint64_t *ret_free_s);

/* Checks and counts in one step. SP_OK; SP_TOO_LONG: it is spent; SP_IO, SP_NO_MEMORY. */
sp_status_t sp_ledger_spend(const sp_storage_t *storage, const sp_budget_t *budget, sp_str_t name,
                            uint64_t now_s, sp_error_t *err);

/* What sp_ledger_spend counted at `at_s` was no order. Where that can't be written it stays one. */
void sp_ledger_take_back(const sp_storage_t *storage, sp_str_t name, uint64_t at_s);

#endif
