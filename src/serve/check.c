/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/check.h"

#include "serve/certificates.h"
#include "serve/fault_log.h"
#include "serve/issuer.h"
#include "serve/server.h"

/* The snapshot is given whatever the status is, but with SP_NO_MEMORY. */
static sp_status_t judge(const sp_config_flags_t *flags, const sp_log_t *log,
                         const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot)
{
    sp_snapshot_t *snapshot = NULL;
    sp_status_t status = sp_snapshot_examine(flags, log, old, &snapshot);

    if (snapshot != NULL) {
        const sp_config_t *config = sp_snapshot_config(snapshot);

        status = sp_fault_worse(status, sp_certificates_check(config, log));
        status = sp_fault_worse(status, sp_issuer_check(config, log));
        *ret_snapshot = snapshot;
    }
    return status;
}

sp_status_t sp_check_load(const sp_config_flags_t *flags, const sp_log_t *log,
                          const sp_snapshot_t *old, sp_snapshot_t **ret_snapshot)
{
    sp_snapshot_t *snapshot = NULL;
    sp_status_t status = judge(flags, log, old, &snapshot);

    if (status == SP_OK && old != NULL) {
        status = sp_snapshot_keep(snapshot, old, log);
    }
    if (status != SP_OK) {
        sp_snapshot_release(snapshot);
        return status;
    }
    *ret_snapshot = snapshot;
    return SP_OK;
}

int sp_check_exit_status(sp_status_t status)
{
    return status == SP_NO_MEMORY ? SP_EXIT_CANNOT_SERVE : SP_EXIT_CANNOT_LOAD;
}

int sp_serve_check(const sp_config_flags_t *flags)
{
    sp_log_t log = {.level = SP_LOG_INFO};
    sp_snapshot_t *snapshot = NULL;
    sp_status_t status = judge(flags, &log, NULL, &snapshot);

    if (snapshot != NULL) {
        status =
            sp_fault_worse(status, sp_certificates_inspect(sp_snapshot_config(snapshot), &log));
    }
    sp_snapshot_release(snapshot);
    return status == SP_OK ? SP_EXIT_SERVED : sp_check_exit_status(status);
}
