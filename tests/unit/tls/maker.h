/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_UNIT_TLS_MAKER_H
#define SIGNPOST_TESTS_UNIT_TLS_MAKER_H

/* Makes certificates and keys for tests, and writes them where the store looks. */

#include <openssl/x509.h>
#include <signpost/base/str.h>

#define MAKER_TEXT_MAX 16384
#define MAKER_ROOT_MAX 64
#define MAKER_PATH_MAX 512
#define MAKER_DAY 86400

typedef enum maker_key {
    MAKER_P256,
    MAKER_P384,
    MAKER_RSA,
    MAKER_RSA_WEAK, /* 1024 bits */
    MAKER_ED25519,
    MAKER_ED448 /* not taken */
} maker_key_t;

typedef struct maker_pair {
    char chain[MAKER_TEXT_MAX];
    char key[MAKER_TEXT_MAX];
} maker_pair_t;

/* A self-signed certificate for `name`, valid between two moments from now, in seconds. */
void maker_make(maker_pair_t *pair, maker_key_t kind, const char *name, long from_s, long until_s);

/* The same key, encrypted. */
void maker_encrypt(maker_pair_t *pair);

/* A new empty folder below /tmp, which maker_remove removes with all it holds. */
void maker_create_root(char root[MAKER_ROOT_MAX]);
void maker_remove(const char *root);

/* Writes ROOT/FOLDER/FILE (folders are made), over what was there, by renaming. */
void maker_write(const char *root, const char *folder, const char *file, const char *text);

/* fullchain.pem and privkey.pem of a new certificate for `name`, valid for a day. */
void maker_add(const char *root, const char *folder, const char *name);

#endif
