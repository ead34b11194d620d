/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/certificate.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

#define LIFE_S (24L * 60 * 60)

static bool add_extension(X509 *certificate, int nid, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension = NULL;
    bool added = false;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

static bool fill(X509 *certificate, EVP_PKEY *key)
{
    static const char name[] = SP_LAB_CERTIFICATE_NAME;
    unsigned char octets[sizeof(name)];
    X509_NAME *subject = X509_get_subject_name(certificate);

    memcpy(octets, name, sizeof(name));
    return X509_set_version(certificate, 2) == 1 &&
           ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), LIFE_S) != NULL &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, octets, -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, subject) == 1 &&
           X509_set_pubkey(certificate, key) == 1 &&
           add_extension(certificate, NID_subject_alt_name, "DNS:" SP_LAB_CERTIFICATE_NAME) &&
           add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
           X509_sign(certificate, key, EVP_sha256()) != 0;
}

static sp_status_t write_pem(const char *path, X509 *certificate, EVP_PKEY *key, sp_error_t *err)
{
    FILE *file = fopen(path, "wb");
    bool written = false;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "%.100s: %s", path, strerror(errno));
    }
    written = certificate != NULL ? PEM_write_X509(file, certificate) == 1
                                  : PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1;
    if (fclose(file) != 0 || !written) {
        return sp_fail(err, SP_IO, 0, "%.100s can't be written", path);
    }
    return SP_OK;
}

sp_status_t sp_lab_certificate_write(const char *certificate_path, const char *key_path,
                                     sp_error_t *err)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    sp_status_t status = SP_OK;

    if (key == NULL || certificate == NULL || !fill(certificate, key)) {
        status = sp_fail(err, SP_IO, 0, "OpenSSL can't make a certificate");
    }
    if (status == SP_OK) {
        status = write_pem(certificate_path, certificate, NULL, err);
    }
    if (status == SP_OK) {
        status = write_pem(key_path, NULL, key, err);
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    return status;
}
