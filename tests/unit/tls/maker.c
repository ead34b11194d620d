/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/tls/maker.h"

#include <criterion/criterion.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static EVP_PKEY *make_key(maker_key_t key)
{
    switch (key) {
    case MAKER_P256:
        return EVP_EC_gen("P-256");
    case MAKER_P384:
        return EVP_EC_gen("P-384");
    case MAKER_RSA:
        return EVP_RSA_gen(2048);
    case MAKER_RSA_WEAK:
        return EVP_RSA_gen(1024);
    case MAKER_ED25519:
        return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    case MAKER_ED448:
        return EVP_PKEY_Q_keygen(NULL, NULL, "ED448");
    }
    return NULL;
}

static void add_name(X509 *certificate, const char *name)
{
    char text[300];
    X509_EXTENSION *extension = NULL;
    X509_NAME *subject = X509_get_subject_name(certificate);

    (void)snprintf(text, sizeof(text), "DNS:%s", name);
    extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, text);
    cr_assert_not_null(extension);
    cr_assert_eq(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
    cr_assert_eq(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                            (const unsigned char *)"Test Authority", -1, -1, 0),
                 1);
    cr_assert_eq(X509_set_issuer_name(certificate, subject), 1);
}

static X509 *make_certificate(EVP_PKEY *key, maker_key_t kind, const char *name, long from_s,
                              long until_s)
{
    X509 *certificate = X509_new();
    bool is_edwards = kind == MAKER_ED25519 || kind == MAKER_ED448;

    cr_assert_not_null(certificate);
    cr_assert_eq(X509_set_version(certificate, 2), 1);
    cr_assert_eq(ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1), 1);
    cr_assert_not_null(X509_gmtime_adj(X509_getm_notBefore(certificate), from_s));
    cr_assert_not_null(X509_gmtime_adj(X509_getm_notAfter(certificate), until_s));
    cr_assert_eq(X509_set_pubkey(certificate, key), 1);
    add_name(certificate, name);
    cr_assert_gt(X509_sign(certificate, key, is_edwards ? NULL : EVP_sha256()), 0);
    return certificate;
}

static void take_text(BIO *bio, char text[MAKER_TEXT_MAX])
{
    int len = BIO_read(bio, text, MAKER_TEXT_MAX - 1);

    cr_assert_gt(len, 0);
    text[len] = '\0';
    BIO_free_all(bio);
}

void maker_make(maker_pair_t *pair, maker_key_t kind, const char *name, long from_s, long until_s)
{
    EVP_PKEY *key = make_key(kind);
    X509 *certificate = NULL;
    BIO *bio = BIO_new(BIO_s_mem());

    cr_assert_not_null(key);
    certificate = make_certificate(key, kind, name, from_s, until_s);
    cr_assert_eq(PEM_write_bio_X509(bio, certificate), 1);
    take_text(bio, pair->chain);
    bio = BIO_new(BIO_s_mem());
    cr_assert_eq(PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), 1);
    take_text(bio, pair->key);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

void maker_encrypt(maker_pair_t *pair)
{
    unsigned char word[] = "secret";
    BIO *bio = BIO_new_mem_buf(pair->key, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);

    cr_assert_not_null(key);
    BIO_free_all(bio);
    bio = BIO_new(BIO_s_mem());
    cr_assert_eq(
        PEM_write_bio_PrivateKey(bio, key, EVP_aes_128_cbc(), word, sizeof(word) - 1, NULL, NULL),
        1);
    take_text(bio, pair->key);
    EVP_PKEY_free(key);
}

void maker_create_root(char root[MAKER_ROOT_MAX])
{
    (void)snprintf(root, MAKER_ROOT_MAX, "/tmp/signpost-tls-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

void maker_remove(const char *root)
{
    char command[MAKER_PATH_MAX + 16];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0); /* NOLINT(cert-env33-c): a path of our own making */
}

void maker_write(const char *root, const char *folder, const char *file, const char *text)
{
    char path[MAKER_PATH_MAX];
    char fresh[MAKER_PATH_MAX];
    FILE *stream = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s", root, folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof(path), "%s/%s/%s", root, folder, file);
    (void)snprintf(fresh, sizeof(fresh), "%s/%s/.fresh", root, folder);
    stream = fopen(fresh, "we");
    cr_assert_not_null(stream, "%s", fresh);
    cr_assert_geq(fputs(text, stream), 0);
    cr_assert_eq(fclose(stream), 0);
    cr_assert_eq(rename(fresh, path), 0);
}

void maker_add(const char *root, const char *folder, const char *name)
{
    maker_pair_t pair;

    maker_make(&pair, MAKER_P256, name, -MAKER_DAY, MAKER_DAY);
    maker_write(root, folder, "privkey.pem", pair.key);
    maker_write(root, folder, "fullchain.pem", pair.chain);
}
