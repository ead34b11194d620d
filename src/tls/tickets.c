/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/tickets.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 16
#define KEYS 2 /* the current one and the one before */

typedef struct ticket_key {
    unsigned char name[NAME_SIZE];
    unsigned char cipher[32]; /* AES-256-CBC */
    unsigned char mac[32];    /* HMAC-SHA-256 */
} ticket_key_t;

struct sp_tickets {
    pthread_mutex_t lock;
    EVP_CIPHER *cipher; /* fetched once: looking it up each time would cost more than using it */
    size_t key_count;
    ticket_key_t keys[KEYS];
    uint64_t made_ms; /* keys[0] */
};

static bool make_key(ticket_key_t *key)
{
    return RAND_bytes(key->name, sizeof(key->name)) == 1 &&
           RAND_priv_bytes(key->cipher, sizeof(key->cipher)) == 1 &&
           RAND_priv_bytes(key->mac, sizeof(key->mac)) == 1;
}

sp_status_t sp_tickets_create(uint64_t now_ms, sp_tickets_t **ret_tickets)
{
    sp_tickets_t *tickets = calloc(1, sizeof(*tickets));

    if (tickets == NULL || pthread_mutex_init(&tickets->lock, NULL) != 0) {
        free(tickets);
        return SP_NO_MEMORY;
    }
    tickets->cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    tickets->made_ms = now_ms;
    tickets->key_count = 1;
    if (tickets->cipher == NULL || !make_key(&tickets->keys[0])) {
        sp_tickets_destroy(tickets);
        return SP_IO;
    }
    *ret_tickets = tickets;
    return SP_OK;
}

void sp_tickets_destroy(sp_tickets_t *tickets)
{
    if (tickets != NULL) {
        EVP_CIPHER_free(tickets->cipher);
        OPENSSL_cleanse(tickets->keys, sizeof(tickets->keys));
        (void)pthread_mutex_destroy(&tickets->lock);
        free(tickets);
    }
}

/* Without randomness the old key goes on. After a long silence no old key is worth keeping. */
static void rotate(sp_tickets_t *tickets, uint64_t now_ms)
{
    /* Another worker may have changed the key after this one had looked at the clock. */
    uint64_t age_ms = now_ms > tickets->made_ms ? now_ms - tickets->made_ms : 0;
    ticket_key_t fresh;

    if (age_ms < (uint64_t)SP_TICKET_KEY_S * 1000 || !make_key(&fresh)) {
        return;
    }
    tickets->key_count = age_ms < (uint64_t)2 * SP_TICKET_KEY_S * 1000 ? KEYS : 1;
    tickets->keys[1] = tickets->keys[0];
    if (tickets->key_count == 1) {
        OPENSSL_cleanse(&tickets->keys[1], sizeof(tickets->keys[1]));
    }
    tickets->keys[0] = fresh;
    tickets->made_ms = now_ms;
    OPENSSL_cleanse(&fresh, sizeof(fresh));
}

/* The key of that name, else the current one; *ret_age: 0 is the current one, -1 none. */
static void pick(sp_tickets_t *tickets, uint64_t now_ms, const unsigned char *name,
                 ticket_key_t *ret_key, int *ret_age)
{
    (void)pthread_mutex_lock(&tickets->lock);
    rotate(tickets, now_ms);
    *ret_key = tickets->keys[0];
    *ret_age = name == NULL ? 0 : -1;
    for (size_t i = 0; name != NULL && i != tickets->key_count; ++i) {
        if (memcmp(tickets->keys[i].name, name, NAME_SIZE) == 0) {
            *ret_key = tickets->keys[i];
            *ret_age = (int)i;
        }
    }
    (void)pthread_mutex_unlock(&tickets->lock);
}

static bool set_mac(EVP_MAC_CTX *mac, ticket_key_t *key)
{
    char digest[] = "SHA256";
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key->mac, sizeof(key->mac)),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };

    return EVP_MAC_CTX_set_params(mac, params) == 1;
}

static int make(const sp_tickets_t *tickets, ticket_key_t *key, unsigned char *name,
                unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac)
{
    memcpy(name, key->name, NAME_SIZE);
    return RAND_bytes(iv, EVP_CIPHER_get_iv_length(tickets->cipher)) == 1 &&
                   EVP_EncryptInit_ex2(cipher, tickets->cipher, key->cipher, iv, NULL) == 1 &&
                   set_mac(mac, key)
               ? 1
               : -1;
}

/* What is opened with the old key is replaced (2). */
static int open_ticket(const sp_tickets_t *tickets, ticket_key_t *key, int age,
                       const unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac)
{
    if (EVP_DecryptInit_ex2(cipher, tickets->cipher, key->cipher, iv, NULL) != 1 ||
        !set_mac(mac, key)) {
        return -1;
    }
    return age == 0 ? 1 : 2;
}

// NOLINTNEXTLINE(readability-function-size): OpenSSL's own parameters, and two more
int sp_tickets_use(sp_tickets_t *tickets, uint64_t now_ms, unsigned char name[16],
                   unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int is_making)
{
    ticket_key_t key;
    int age = 0;
    int result = 0;

    pick(tickets, now_ms, is_making != 0 ? NULL : name, &key, &age);
    if (is_making != 0) {
        result = make(tickets, &key, name, iv, cipher, mac);
    } else if (age != -1) {
        result = open_ticket(tickets, &key, age, iv, cipher, mac);
    }
    OPENSSL_cleanse(&key, sizeof(key));
    return result;
}
