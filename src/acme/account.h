/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_ACCOUNT_H
#define SIGNPOST_ACME_ACCOUNT_H

/* The account at the authority, as the storage holds it: a key, and beside it what the client notes
 * of it. */

#include "acme/settings.h"
#include "acme/storage.h"

/* Has it been registered, for this directory and with these settings? */
bool sp_acme_account_is_registered(const sp_storage_t *storage, const sp_acme_settings_t *settings);

/* The file of its key, below the storage. */
sp_storage_name_t sp_acme_account_key(const sp_acme_settings_t *settings);

/* Makes a key where there is none. The caller holds the lock. SP_OK, SP_IO, SP_NO_MEMORY. */
sp_status_t sp_acme_account_prepare(const sp_storage_t *storage, const sp_acme_settings_t *settings,
                                    sp_error_t *err);

/* It has. SP_OK or SP_IO. */
sp_status_t sp_acme_account_note(const sp_storage_t *storage, const sp_acme_settings_t *settings,
                                 sp_error_t *err);

/* The authority does not know it any more, or the settings have changed: it is to be registered
 * again, with the key that it has. */
void sp_acme_account_drop(const sp_storage_t *storage, const sp_acme_settings_t *settings);

/* Its URL, by which CAA records may name it (RFC 8657); empty when it is not known. In `arena`.
 * `storage` may be NULL. */
sp_str_t sp_acme_account_uri(const sp_storage_t *storage, const sp_acme_settings_t *settings,
                             sp_arena_t *arena);

#endif
