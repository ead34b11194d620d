/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "acme/client.h"
#include "serve/nested_folders.h"

/* What lies in the storage is replaced and deleted; what lies in the other folder is its owner's.
 */
static sp_status_t check_apart(const sp_config_t *config, const sp_log_t *log)
{
    if (!sp_folders_are_nested(config->acme.storage, config->tls_certificates)) {
        return SP_OK;
    }
    sp_log_write(log, SP_LOG_ERROR,
                 "tls.acme.storage, %s, must have nothing in common with tls.certificates, %s, "
                 "whose files would be replaced; expected a folder of its own",
                 config->acme.storage, config->tls_certificates);
    return SP_BAD_VALUE;
}

/* Everything that an order needs is there before the first client asks. */
sp_status_t sp_issuer_check(const sp_config_t *config, const sp_log_t *log)
{
    const sp_acme_settings_t *acme = &config->acme;
    char program[SP_ACME_CLIENT_FILE_MAX];
    sp_storage_t *storage = NULL;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    if (acme->storage == NULL) {
        return SP_OK;
    }
    status = check_apart(config, log);
    if (status == SP_OK && sp_storage_open(acme->storage, true, &storage, &err) != SP_OK) {
        sp_log_write(log, SP_LOG_ERROR,
                     "tls.acme.storage can't be used: %s; expected a folder that signpost may "
                     "write to",
                     err.message);
        status = SP_BAD_VALUE;
    }
    sp_storage_close(storage);
    if (acme->ca_file != NULL && access(acme->ca_file, R_OK) != 0) {
        sp_log_write(log, SP_LOG_ERROR,
                     "tls.acme.ca_file, %s, can't be read: %s; expected certificates as PEM",
                     acme->ca_file, strerror(errno));
        status = SP_BAD_VALUE;
    }
    if (!sp_acme_client_find(program)) {
        sp_log_write(log, SP_LOG_ERROR,
                     "tls.acme needs the program " SP_ACME_CLIENT
                     ", which is not installed: apt-get install " SP_ACME_CLIENT);
        status = SP_BAD_VALUE;
    }
    return status;
}
