/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/certificates.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "serve/config_origin.h"
#include "serve/fault_log.h"
#include "tls/folder.h"
#include "tls/name.h"

/* What the folders of a wildcard begin with, and the label that stands for any one. */
static const char *const wildcards[] = {"*.", "_.", "_wildcard."};
#define ANY_LABEL "any"

/* One folder below tls.certificates. */
typedef struct inspected {
    const char *root;
    const char *folder;
    const sp_log_t *log;
} inspected_t;

static void warn(const inspected_t *inspected, const char *message)
{
    sp_log_write(inspected->log, SP_LOG_WARNING, "%s/%s: %s", inspected->root, inspected->folder,
                 message);
}

/* A host name that clients of the folder would ask for; false: nobody ever asks for it. */
static bool asked_name(const char *folder, char memory[SP_TLS_NAME_MAX], sp_str_t *ret_name)
{
    char text[SP_TLS_NAME_MAX + sizeof(ANY_LABEL)];
    const char *rest = NULL;
    int len = 0;

    for (size_t i = 0; rest == NULL && i != SP_COUNT(wildcards); ++i) {
        if (strncmp(folder, wildcards[i], strlen(wildcards[i])) == 0) {
            rest = folder + strlen(wildcards[i]);
        }
    }
    len = rest == NULL ? snprintf(text, sizeof(text), "%s", folder)
                       : snprintf(text, sizeof(text), ANY_LABEL ".%s", rest);
    return len > 0 && (size_t)len < sizeof(text) &&
           sp_tls_name_read(sp_str_from(text), memory, ret_name) &&
           sp_str_eq(*ret_name, sp_str_from(text)); /* names are looked for in lower case */
}

static void inspect_certificate(const inspected_t *inspected, const sp_certificate_t *certificate)
{
    char memory[SP_TLS_NAME_MAX];
    sp_str_t name;
    time_t now = time(NULL);

    if (!asked_name(inspected->folder, memory, &name)) {
        warn(inspected, "no client's name leads here; expected a host name in lower case, or "
                        "*.NAME");
    } else if (!sp_certificate_covers(certificate, name)) {
        warn(inspected, "the certificate does not hold for the name of its folder");
    }
    if (now > sp_certificate_not_after(certificate)) {
        warn(inspected, "the certificate has expired");
    } else if (!sp_certificate_is_valid_at(certificate, now)) {
        warn(inspected, "the certificate is not valid yet");
    }
}

/* Folders of something else, such as uacme's private/, have no certificate. */
static sp_status_t inspect_folder(const inspected_t *inspected)
{
    char path[SP_TLS_FOLDER_PATH_MAX];
    sp_str_t folder = sp_str_from(inspected->folder);
    sp_certificate_t *certificate = NULL;
    struct stat found;
    sp_error_t err = {0};
    uint64_t mark = 0;
    sp_status_t status = SP_OK;

    if (folder.ptr[0] == '.' || !sp_tls_folder_path(inspected->root, folder, path) ||
        stat(path, &found) != 0 || !S_ISDIR(found.st_mode)) {
        return SP_OK;
    }
    status = sp_tls_folder_read(inspected->root, folder, &mark, &certificate, &err);
    if (status == SP_NOT_FOUND) {
        return SP_OK;
    }
    if (status != SP_OK) {
        sp_log_write_place(inspected->log, "%s: %s", path, err.message);
        return status == SP_NO_MEMORY ? status : SP_BAD_VALUE;
    }
    inspect_certificate(inspected, certificate);
    sp_certificate_release(certificate);
    return SP_OK;
}

sp_status_t sp_certificates_inspect(const sp_config_t *config, const sp_log_t *log)
{
    inspected_t inspected = {.root = config->tls_certificates, .log = log};
    struct dirent **entries = NULL;
    sp_status_t status = SP_OK;
    int count = 0;

    if (sp_config_tls_listener(config) == NULL || !sp_config_knows(config, "/tls/certificates")) {
        return SP_OK;
    }
    count = scandir(inspected.root, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        sp_status_t one = SP_OK;

        inspected.folder = entries[i]->d_name;
        one = inspect_folder(&inspected);
        status = sp_fault_worse(status, one);
        free(entries[i]);
    }
    free(entries);
    return status;
}
