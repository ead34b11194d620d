/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_TYPE_MAX 32
#define ISSUER_MAX 96
#define RSA_BITS_MIN 2048
#define SECONDS_PER_DAY 86400

/* What OpenSSL keeps of a certificate and of a key, beside their octets as found by measuring. */
#define SIZE_PER_PAIR ((size_t)6000)
#define SIZE_PER_CHAIN_LINK ((size_t)4000)

typedef struct pair {
    X509 *leaf;
    STACK_OF(X509) * chain; /* without the leaf */
    EVP_PKEY *key;
    char key_type[KEY_TYPE_MAX];
} pair_t;

struct sp_certificate {
    atomic_size_t references;
    size_t pair_count;
    pair_t pairs[SP_CERTIFICATE_PAIRS_MAX];
    GENERAL_NAMES *names; /* of the first pair; NULL: none */
    time_t not_before;
    time_t not_after;
    char issuer[ISSUER_MAX];
    size_t size;
};

static void clear_pair(pair_t *pair)
{
    X509_free(pair->leaf);
    sk_X509_pop_free(pair->chain, X509_free);
    EVP_PKEY_free(pair->key);
}

static void destroy(sp_certificate_t *certificate)
{
    for (size_t i = 0; i != SP_CERTIFICATE_PAIRS_MAX; ++i) {
        clear_pair(&certificate->pairs[i]);
    }
    GENERAL_NAMES_free(certificate->names);
    free(certificate);
}

/* The reading end of a text; NULL when memory is out. */
static BIO *open_text(sp_str_t text)
{
    return BIO_new_mem_buf(text.ptr, (int)text.len);
}

/* The end of the text, or something that is no certificate? Both show as a failed read. */
static bool is_at_end(void)
{
    unsigned long error = ERR_peek_last_error();

    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

static sp_status_t read_links(BIO *bio, pair_t *pair, sp_error_t *err)
{
    X509 *link = NULL;

    pair->chain = sk_X509_new_null();
    while (pair->chain != NULL && (link = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        if (sk_X509_num(pair->chain) == SP_CERTIFICATE_CHAIN_MAX - 1) {
            X509_free(link);
            return sp_fail(err, SP_TOO_LONG, 0, "more than %d certificates in one chain",
                           SP_CERTIFICATE_CHAIN_MAX);
        }
        if (sk_X509_push(pair->chain, link) == 0) {
            X509_free(link);
            return SP_NO_MEMORY;
        }
    }
    if (pair->chain == NULL) {
        return SP_NO_MEMORY;
    }
    return is_at_end() ? SP_OK
                       : sp_fail(err, SP_BAD_SYNTAX, 0,
                                 "certificate %d of the chain is damaged; expected PEM",
                                 sk_X509_num(pair->chain) + 2);
}

static sp_status_t read_chain(sp_str_t text, pair_t *pair, sp_error_t *err)
{
    BIO *bio = open_text(text);
    sp_status_t status = SP_NO_MEMORY;

    if (bio == NULL) {
        return SP_NO_MEMORY;
    }
    pair->leaf = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    if (pair->leaf == NULL) {
        status = sp_fail(err, SP_BAD_SYNTAX, 0,
                         "no certificate in PEM form (-----BEGIN CERTIFICATE-----) could be read");
    } else {
        status = read_links(bio, pair, err);
    }
    BIO_free_all(bio);
    return status;
}

/* Without it OpenSSL would ask at the terminal. */
/* NOLINTNEXTLINE(readability-non-const-parameter): OpenSSL's type */
static int has_no_passphrase(char *buf, int size, int is_writing, void *arg)
{
    bool *is_encrypted = arg;

    (void)buf;
    (void)size;
    (void)is_writing;
    *is_encrypted = true;
    return -1;
}

static sp_status_t read_key(sp_str_t text, pair_t *pair, sp_error_t *err)
{
    bool is_encrypted = false;
    BIO *bio = open_text(text);

    if (bio == NULL) {
        return SP_NO_MEMORY;
    }
    pair->key = PEM_read_bio_PrivateKey(bio, NULL, has_no_passphrase, &is_encrypted);
    BIO_free_all(bio);
    if (pair->key != NULL) {
        return SP_OK;
    }
    if (is_encrypted) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "the private key is encrypted; expected one without passphrase");
    }
    return sp_fail(err, SP_BAD_SYNTAX, 0,
                   "no private key in PEM form (-----BEGIN PRIVATE KEY-----) could be read");
}

/* "ECDSA P-256". */
static void name_ec_key(pair_t *pair)
{
    char group[KEY_TYPE_MAX] = "";
    const char *common = NULL;

    if (EVP_PKEY_get_group_name(pair->key, group, sizeof(group), NULL) == 1) {
        common = EC_curve_nid2nist(OBJ_sn2nid(group));
    }
    (void)snprintf(pair->key_type, sizeof(pair->key_type), "ECDSA %.20s",
                   common == NULL ? group : common);
}

static sp_status_t judge_key(pair_t *pair, sp_error_t *err)
{
    int bits = EVP_PKEY_get_bits(pair->key);

    if (X509_check_private_key(pair->leaf, pair->key) != 1) {
        return sp_fail(
            err, SP_BAD_VALUE, 0,
            "the private key belongs to another certificate than the first of the chain");
    }
    switch (EVP_PKEY_get_base_id(pair->key)) {
    case EVP_PKEY_EC:
        name_ec_key(pair);
        return SP_OK;
    case EVP_PKEY_RSA:
        (void)snprintf(pair->key_type, sizeof(pair->key_type), "RSA %d", bits);
        return bits >= RSA_BITS_MIN
                   ? SP_OK
                   : sp_fail(err, SP_BAD_VALUE, 0, "the RSA key has %d bits; expected at least %d",
                             bits, RSA_BITS_MIN);
    case EVP_PKEY_ED25519:
        (void)snprintf(pair->key_type, sizeof(pair->key_type), "Ed25519");
        return SP_OK;
    default:
        return sp_fail(err, SP_BAD_VALUE, 0, "the key is neither ECDSA, RSA nor Ed25519");
    }
}

static sp_status_t read_pair(const sp_certificate_pem_t *pem, pair_t *pair, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    if (pem->chain.len > SP_CERTIFICATE_TEXT_MAX || pem->key.len > SP_CERTIFICATE_TEXT_MAX) {
        return sp_fail(err, SP_TOO_LONG, 0, "a file may have at most %zu octets",
                       SP_CERTIFICATE_TEXT_MAX);
    }
    status = read_chain(pem->chain, pair, err);
    if (status == SP_OK) {
        status = read_key(pem->key, pair, err);
    }
    return status == SP_OK ? judge_key(pair, err) : status;
}

static size_t size_of_pair(const pair_t *pair)
{
    size_t size = SIZE_PER_PAIR + (size_t)i2d_X509(pair->leaf, NULL);

    for (int i = 0; i != sk_X509_num(pair->chain); ++i) {
        size += SIZE_PER_CHAIN_LINK + (size_t)i2d_X509(sk_X509_value(pair->chain, i), NULL);
    }
    return size;
}

static bool seconds_of(const ASN1_TIME *moment, const ASN1_TIME *epoch, time_t *ret_seconds)
{
    int days = 0;
    int seconds = 0;

    if (ASN1_TIME_diff(&days, &seconds, epoch, moment) != 1) {
        return false;
    }
    *ret_seconds = (time_t)days * SECONDS_PER_DAY + seconds;
    return true;
}

static bool read_times(sp_certificate_t *certificate)
{
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    bool is_read = epoch != NULL;

    for (size_t i = 0; is_read && i != certificate->pair_count; ++i) {
        const X509 *leaf = certificate->pairs[i].leaf;
        time_t from = 0;
        time_t until = 0;

        is_read = seconds_of(X509_get0_notBefore(leaf), epoch, &from) &&
                  seconds_of(X509_get0_notAfter(leaf), epoch, &until);
        if (i == 0 || from > certificate->not_before) {
            certificate->not_before = from;
        }
        if (i == 0 || until < certificate->not_after) {
            certificate->not_after = until;
        }
    }
    ASN1_TIME_free(epoch);
    return is_read;
}

/* The issuer as people know it: its common name, else its organization. */
static void read_issuer(sp_certificate_t *certificate)
{
    const X509_NAME *name = X509_get_issuer_name(certificate->pairs[0].leaf);

    if (X509_NAME_get_text_by_NID((X509_NAME *)(uintptr_t)name, NID_commonName, certificate->issuer,
                                  sizeof(certificate->issuer)) <= 0) {
        (void)X509_NAME_get_text_by_NID((X509_NAME *)(uintptr_t)name, NID_organizationName,
                                        certificate->issuer, sizeof(certificate->issuer));
    }
    sp_make_printable(certificate->issuer);
}

static sp_status_t read_all(sp_certificate_t *certificate, const sp_certificate_pem_t *pems,
                            sp_error_t *err)
{
    for (size_t i = 0; i != certificate->pair_count; ++i) {
        sp_status_t status = read_pair(&pems[i], &certificate->pairs[i], err);

        if (status != SP_OK) {
            return status;
        }
        certificate->size += size_of_pair(&certificate->pairs[i]);
    }
    if (certificate->pair_count == 2 && EVP_PKEY_get_base_id(certificate->pairs[0].key) ==
                                            EVP_PKEY_get_base_id(certificate->pairs[1].key)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "both certificates have keys of one kind; expected ECDSA and RSA");
    }
    if (!read_times(certificate)) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the certificate's time of validity is damaged");
    }
    read_issuer(certificate);
    certificate->names =
        X509_get_ext_d2i(certificate->pairs[0].leaf, NID_subject_alt_name, NULL, NULL);
    return SP_OK;
}

sp_status_t sp_certificate_read(const sp_certificate_pem_t *pems, size_t count,
                                sp_certificate_t **ret_certificate, sp_error_t *err)
{
    sp_certificate_t *certificate = calloc(1, sizeof(*certificate));
    sp_status_t status = SP_OK;

    if (certificate == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    atomic_init(&certificate->references, 1);
    certificate->pair_count = count;
    certificate->size = sizeof(*certificate);
    ERR_clear_error();
    status = read_all(certificate, pems, err);
    ERR_clear_error();
    if (status != SP_OK) {
        destroy(certificate);
        return status == SP_NO_MEMORY ? sp_fail(err, status, 0, "out of memory") : status;
    }
    *ret_certificate = certificate;
    return SP_OK;
}

sp_certificate_t *sp_certificate_retain(sp_certificate_t *certificate)
{
    (void)atomic_fetch_add_explicit(&certificate->references, 1, memory_order_relaxed);
    return certificate;
}

void sp_certificate_release(sp_certificate_t *certificate)
{
    if (certificate != NULL &&
        atomic_fetch_sub_explicit(&certificate->references, 1, memory_order_acq_rel) == 1) {
        destroy(certificate);
    }
}

bool sp_certificate_use(const sp_certificate_t *certificate, SSL *ssl)
{
    bool is_used = true;

    for (size_t i = 0; is_used && i != certificate->pair_count; ++i) {
        const pair_t *pair = &certificate->pairs[i];

        is_used = SSL_use_cert_and_key(ssl, pair->leaf, pair->key, pair->chain, 1) == 1;
    }
    return is_used;
}

time_t sp_certificate_not_before(const sp_certificate_t *certificate)
{
    return certificate->not_before;
}

time_t sp_certificate_not_after(const sp_certificate_t *certificate)
{
    return certificate->not_after;
}

bool sp_certificate_is_valid_at(const sp_certificate_t *certificate, time_t now)
{
    return now >= certificate->not_before && now <= certificate->not_after;
}

bool sp_certificate_covers(const sp_certificate_t *certificate, sp_str_t name)
{
    bool is_covered = true;

    for (size_t i = 0; is_covered && i != certificate->pair_count; ++i) {
        is_covered = X509_check_host(certificate->pairs[i].leaf, name.ptr, name.len, 0, NULL) == 1;
    }
    return is_covered;
}

size_t sp_certificate_pair_count(const sp_certificate_t *certificate)
{
    return certificate->pair_count;
}

const char *sp_certificate_key_type(const sp_certificate_t *certificate, size_t pair)
{
    return certificate->pairs[pair].key_type;
}

const char *sp_certificate_issuer(const sp_certificate_t *certificate)
{
    return certificate->issuer;
}

sp_str_t sp_certificate_name(const sp_certificate_t *certificate, size_t index)
{
    int count = certificate->names == NULL ? 0 : sk_GENERAL_NAME_num(certificate->names);

    for (int i = 0; i < count; ++i) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(certificate->names, i);

        if (name->type == GEN_DNS && index-- == 0) {
            return (sp_str_t){.ptr = (const char *)ASN1_STRING_get0_data(name->d.dNSName),
                              .len = (size_t)ASN1_STRING_length(name->d.dNSName)};
        }
    }
    return (sp_str_t){.ptr = "", .len = 0};
}

size_t sp_certificate_size(const sp_certificate_t *certificate)
{
    return certificate->size;
}
