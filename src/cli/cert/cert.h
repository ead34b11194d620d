/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_CERT_CERT_H
#define SIGNPOST_CLI_CERT_CERT_H

/* What `signpost cert` does with a storage, one file for each. */

#include "acme/storage.h"
#include "serve/snapshot.h"

/* list.c: prints what is there, and what has failed. SP_OK, SP_NO_MEMORY or SP_IO. */
sp_status_t sp_cert_list(const sp_storage_t *storage, bool json);

/* renew.c: orders a certificate for `name`, whatever is there, and waits for it. SP_OK;
 * SP_BAD_VALUE when there is none, and *err says why; SP_NO_MEMORY, SP_IO. */
sp_status_t sp_cert_renew(const sp_storage_t *storage, const sp_snapshot_t *snapshot, sp_str_t name,
                          sp_error_t *err);

#endif
