/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/key_request.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <signpost/rule/hostname.h>
#include <stdio.h>

#define ALT_NAME_MAX (SP_NAME_MAX + 8)

static bool add_alt_name(X509_REQ *request, sp_str_t name)
{
    char text[ALT_NAME_MAX];
    X509_EXTENSION *extension = NULL;
    STACK_OF(X509_EXTENSION) *extensions = NULL;
    bool done = false;

    (void)snprintf(text, sizeof(text), "DNS:%.*s", (int)name.len, name.ptr);
    extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, text);
    extensions = sk_X509_EXTENSION_new_null();
    if (extension != NULL && extensions != NULL && sk_X509_EXTENSION_push(extensions, extension)) {
        extension = NULL; /* goes with the stack */
        done = X509_REQ_add_extensions(request, extensions) == 1;
    }
    X509_EXTENSION_free(extension);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    return done;
}

/* The name stands among the alternative names alone: a common name has 64 octets at most. */
static X509_REQ *create_request(EVP_PKEY *key, sp_str_t name)
{
    X509_REQ *request = X509_REQ_new();

    if (request == NULL || X509_REQ_set_version(request, 0) != 1 ||
        X509_REQ_set_pubkey(request, key) != 1 || !add_alt_name(request, name) ||
        X509_REQ_sign(request, key, EVP_sha256()) == 0) {
        X509_REQ_free(request);
        return NULL;
    }
    return request;
}

static sp_str_t text_of(BIO *bio, sp_arena_t *arena)
{
    char *text = NULL;
    long len = BIO_get_mem_data(bio, &text);

    return sp_arena_copy(arena, (sp_str_t){.ptr = text, .len = len < 0 ? 0 : (size_t)len});
}

static sp_str_t print_key(EVP_PKEY *key, sp_arena_t *arena)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    sp_str_t text = {0};

    if (bio != NULL && PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1) {
        text = text_of(bio, arena);
    }
    BIO_free(bio);
    return text;
}

static sp_str_t print_request(const X509_REQ *request, sp_arena_t *arena)
{
    BIO *bio = BIO_new(BIO_s_mem());
    sp_str_t text = {0};

    if (bio != NULL && PEM_write_bio_X509_REQ(bio, request) == 1) {
        text = text_of(bio, arena);
    }
    BIO_free(bio);
    return text;
}

sp_status_t sp_key_request_create(sp_str_t name, sp_arena_t *arena, sp_key_request_t *ret_request)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509_REQ *request = key == NULL ? NULL : create_request(key, name);
    sp_key_request_t made = {0};

    if (request != NULL) {
        made.key = print_key(key, arena);
        made.request = print_request(request, arena);
    }
    X509_REQ_free(request);
    EVP_PKEY_free(key);
    if (made.key.ptr == NULL || made.request.ptr == NULL) {
        return SP_NO_MEMORY;
    }
    *ret_request = made;
    return SP_OK;
}
