/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/account.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <signpost/base/buf.h>
#include <stdio.h>

#include "acme/client.h"

#define MARK SP_STORAGE_STATE "/account"
#define ACCOUNTS SP_STORAGE_STATE "/accounts/"
#define ARENA_CHUNK 4096
#define KEY ".pem"
#define KEY_BITS 2048
#define DIGEST_SHOWN 16 /* octets of a digest that name a directory */

/* Each directory has an account of its own. */
static sp_storage_name_t file_of(const sp_acme_settings_t *settings, const char *suffix)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    char text[2 * DIGEST_SHOWN + 1] = "";

    if (EVP_Digest(settings->directory.ptr, settings->directory.len, digest, &len, EVP_sha256(),
                   NULL) == 1) {
        for (size_t i = 0; i != DIGEST_SHOWN; ++i) {
            (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
        }
    }
    return sp_storage_name(ACCOUNTS, sp_str_from(text), suffix);
}

sp_storage_name_t sp_acme_account_key(const sp_acme_settings_t *settings)
{
    return file_of(settings, KEY);
}

/* RSA, since the client knows no other; 2048 bits, since a handshake may be waiting. */
static sp_status_t create_key(const sp_storage_t *storage, const char *at, sp_error_t *err)
{
    EVP_PKEY *key = EVP_RSA_gen(KEY_BITS);
    BIO *bio = BIO_new(BIO_s_secmem());
    char *text = NULL;
    long len = 0;
    sp_status_t status = SP_NO_MEMORY;

    if (key != NULL && bio != NULL &&
        PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1) {
        len = BIO_get_mem_data(bio, &text);
        status = sp_storage_write(storage, at, (sp_str_t){.ptr = text, .len = (size_t)len}, err);
    }
    BIO_free(bio);
    EVP_PKEY_free(key);
    return status == SP_NO_MEMORY ? sp_fail(err, status, 0, "out of memory") : status;
}

sp_status_t sp_acme_account_prepare(const sp_storage_t *storage, const sp_acme_settings_t *settings,
                                    sp_error_t *err)
{
    sp_storage_name_t at = sp_acme_account_key(settings);
    sp_arena_t arena;
    sp_str_t text;
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    if (sp_storage_read(storage, at.text, &arena, &text) == SP_NOT_FOUND) {
        status = create_key(storage, at.text, err);
    }
    sp_arena_clear(&arena);
    return status;
}

bool sp_acme_account_is_registered(const sp_storage_t *storage, const sp_acme_settings_t *settings)
{
    sp_arena_t arena;
    sp_buf_t wanted;
    sp_str_t mark = {0};
    bool is_registered = false;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&wanted, &arena, ARENA_CHUNK);
    sp_acme_client_account(settings, &wanted);
    is_registered = wanted.status == SP_OK &&
                    sp_storage_read(storage, MARK, &arena, &mark) == SP_OK &&
                    sp_str_eq(mark, sp_buf_str(&wanted));
    sp_arena_clear(&arena);
    return is_registered;
}

sp_status_t sp_acme_account_note(const sp_storage_t *storage, const sp_acme_settings_t *settings,
                                 sp_error_t *err)
{
    sp_arena_t arena;
    sp_buf_t mark;
    sp_status_t status = SP_NO_MEMORY;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&mark, &arena, ARENA_CHUNK);
    sp_acme_client_account(settings, &mark);
    if (mark.status == SP_OK) {
        status = sp_storage_write(storage, MARK, sp_buf_str(&mark), err);
    }
    sp_arena_clear(&arena);
    return status;
}

void sp_acme_account_drop(const sp_storage_t *storage, const sp_acme_settings_t *settings)
{
    sp_storage_name_t at = file_of(settings, KEY ".json");

    sp_storage_remove(storage, at.text);
    at = file_of(settings, KEY "_id.json");
    sp_storage_remove(storage, at.text);
    sp_storage_remove(storage, MARK);
}

sp_str_t sp_acme_account_uri(const sp_storage_t *storage, const sp_acme_settings_t *settings,
                             sp_arena_t *arena)
{
    sp_storage_name_t at;
    sp_str_t text = {0};
    sp_str_t key = SP_STR("\"url\":\"");
    size_t start = 0;

    if (storage == NULL) {
        return SP_STR("");
    }
    at = file_of(settings, KEY "_id.json");
    if (sp_storage_read(storage, at.text, arena, &text) != SP_OK) {
        return SP_STR("");
    }
    start = sp_str_search(text, key);
    if (start == text.len) {
        return SP_STR("");
    }
    text = sp_str_skip(text, start + key.len);
    return sp_str_slice(text, 0, sp_str_find(text, '"'));
}
