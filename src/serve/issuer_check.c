/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "acme/client.h"
#include "serve/fault_log.h"
#include "serve/nested_folders.h"

/* What lies in the storage is replaced and deleted; what lies in the other folder is its owner's.
 */
static bool is_apart(const sp_config_t *config, const sp_log_t *log)
{
    if (!sp_folders_are_nested(config->acme.storage, config->tls_certificates)) {
        return true;
    }
    sp_fault_log_value(log, config, "/tls/acme/storage",
                       "tls.acme.storage, %s, must have nothing in common with tls.certificates, "
                       "%s, whose files would be replaced; expected a folder of its own",
                       config->acme.storage, config->tls_certificates);
    return false;
}

static sp_status_t check_storage(const sp_config_t *config, const sp_log_t *log)
{
    sp_storage_t *storage = NULL;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    if (!is_apart(config, log)) {
        return SP_BAD_VALUE;
    }
    status = sp_storage_open(config->acme.storage, true, &storage, &err);
    if (status != SP_OK) {
        sp_fault_log_value(log, config, "/tls/acme/storage",
                           "tls.acme.storage can't be used: %s; expected a folder that signpost "
                           "may write to",
                           err.message);
    }
    sp_storage_close(storage);
    return status == SP_OK ? SP_OK : SP_BAD_VALUE;
}

static sp_status_t check_ca_file(const sp_config_t *config, const sp_log_t *log)
{
    const char *path = config->acme.ca_file;

    if (path == NULL || access(path, R_OK) == 0) {
        return SP_OK;
    }
    sp_fault_log_value(log, config, "/tls/acme/ca_file",
                       "tls.acme.ca_file, %s, can't be read: %s; expected certificates as PEM",
                       path, strerror(errno));
    return SP_BAD_VALUE;
}

static sp_status_t check_client(const sp_config_t *config, const sp_log_t *log)
{
    char program[SP_ACME_CLIENT_FILE_MAX];

    if (sp_acme_client_find(program)) {
        return SP_OK;
    }
    sp_fault_log_value(log, config, "/tls/acme",
                       "tls.acme needs the program " SP_ACME_CLIENT
                       ", which is not installed: apt-get install " SP_ACME_CLIENT);
    return SP_BAD_VALUE;
}

/* Everything that an order needs is there before the first client asks. */
sp_status_t sp_issuer_check(const sp_config_t *config, const sp_log_t *log)
{
    sp_status_t status = SP_OK;

    if (config->acme.storage != NULL) {
        status = check_storage(config, log);
        status = sp_fault_worse(status, check_client(config, log));
    }
    /* Of a section without storage this is the one thing that can still be looked at. */
    return sp_fault_worse(status, check_ca_file(config, log));
}
