/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/certificates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/tls.h"
#include "serve/config_origin.h"
#include "serve/fault_log.h"
#include "tls/folder.h"

#define CERTIFICATES "/tls/certificates"

struct sp_certificates {
    const sp_log_t *log;
    sp_tls_policy_t *policy;
    sp_tls_store_t *store;
};

/* 0 when it is a folder that can be searched. */
static int look_at(const char *path)
{
    struct stat found;

    if (stat(path, &found) != 0) {
        return errno;
    }
    if (!S_ISDIR(found.st_mode)) {
        return ENOTDIR;
    }
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* The files in it are read when they are needed. */
static sp_status_t check_folder(const sp_config_t *config, const sp_log_t *log)
{
    int error = look_at(config->tls_certificates);

    if (error == 0 || (error == ENOENT && config->acme.storage != NULL)) {
        return SP_OK; /* where none is there, all of them are got on demand */
    }
    sp_fault_log_value(log, config, CERTIFICATES,
                       "%s is to speak TLS, but tls.certificates, %s, can't be used: %s; expected "
                       "a folder with one folder for each name",
                       sp_config_tls_listener(config)->address.text, config->tls_certificates,
                       strerror(error));
    return SP_BAD_VALUE;
}

static sp_status_t check_default(const sp_config_t *config, const sp_log_t *log)
{
    sp_certificate_t *certificate = NULL;
    uint64_t mark = 0;
    sp_error_t err = {0};
    sp_status_t status = SP_OK;

    if (config->tls_default[0] == '\0' || !sp_config_knows(config, "/tls/default")) {
        return SP_OK;
    }
    status = sp_tls_folder_read(config->tls_certificates, sp_str_from(config->tls_default), &mark,
                                &certificate, &err);
    if (status != SP_OK) {
        sp_fault_log_value(log, config, "/tls/default", "tls.default: %s/%s: %s",
                           config->tls_certificates, config->tls_default, err.message);
        return SP_BAD_VALUE;
    }
    sp_certificate_release(certificate);
    return SP_OK;
}

sp_status_t sp_certificates_check(const sp_config_t *config, const sp_log_t *log)
{
    sp_status_t status = SP_OK;

    if (sp_config_tls_listener(config) == NULL || !sp_config_knows(config, CERTIFICATES)) {
        return SP_OK;
    }
    status = check_folder(config, log);
    return status == SP_OK ? check_default(config, log) : status;
}

static void on_event(void *arg, sp_tls_event_t event, sp_str_t folder, const char *message)
{
    const sp_log_t *log = arg;

    switch (event) {
    case SP_TLS_EVENT_LOADED:
        sp_log_write(log, SP_LOG_DEBUG, "certificate %.*s read", (int)folder.len, folder.ptr);
        return;
    case SP_TLS_EVENT_CHANGED:
        sp_log_write(log, SP_LOG_INFO, "certificate %.*s has changed and is in use",
                     (int)folder.len, folder.ptr);
        return;
    case SP_TLS_EVENT_FAULT:
        sp_log_write(log, SP_LOG_ERROR, "certificate %.*s can't be used: %s", (int)folder.len,
                     folder.ptr, message);
        return;
    }
}

static sp_tls_store_options_t options_of(const sp_config_t *config, const sp_log_t *log)
{
    return (sp_tls_store_options_t){.folders = {config->tls_certificates, config->acme.storage},
                                    .fallback =
                                        config->tls_default[0] == '\0' ? NULL : config->tls_default,
                                    .on_event = on_event,
                                    .event_arg = (void *)(uintptr_t)log};
}

sp_status_t sp_certificates_create(const sp_config_t *config, const sp_log_t *log,
                                   sp_certificates_t **ret_certificates)
{
    sp_certificates_t *certificates = NULL;
    sp_tls_store_options_t options = options_of(config, log);
    sp_error_t err = {0};
    sp_status_t status = SP_OK;

    if (sp_config_tls_listener(config) == NULL) {
        *ret_certificates = NULL;
        return SP_OK;
    }
    certificates = calloc(1, sizeof(*certificates));
    if (certificates == NULL) {
        return SP_NO_MEMORY;
    }
    certificates->log = log;
    status = sp_tls_policy_create(sp_tls_offer_of, &certificates->policy, &err);
    if (status == SP_OK) {
        status = sp_tls_store_create(&options, &certificates->store, &err);
    }
    if (status != SP_OK) {
        sp_log_write(log, SP_LOG_ERROR, "%s", err.message);
        sp_certificates_destroy(certificates);
        return status;
    }
    *ret_certificates = certificates;
    return SP_OK;
}

void sp_certificates_destroy(sp_certificates_t *certificates)
{
    if (certificates != NULL) {
        sp_tls_store_destroy(certificates->store);
        sp_tls_policy_destroy(certificates->policy);
        free(certificates);
    }
}

void sp_certificates_reload(sp_certificates_t *certificates, const sp_config_t *config)
{
    sp_tls_store_options_t options;

    if (certificates == NULL) {
        return;
    }
    options = options_of(config, certificates->log);
    if (sp_tls_store_reload(certificates->store, &options) != SP_OK) {
        sp_log_write(certificates->log, SP_LOG_ERROR,
                     "out of memory: certificates stay as they were");
    }
}

SSL_CTX *sp_certificates_context(const sp_certificates_t *certificates)
{
    return sp_tls_policy_context(certificates->policy);
}

sp_tls_store_t *sp_certificates_store(const sp_certificates_t *certificates)
{
    return certificates->store;
}
