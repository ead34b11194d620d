/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/policy.h"

#include <criterion/criterion.h>
#include <openssl/err.h>
#include <string.h>

#include "unit/tls/maker.h"

static sp_tls_offer_t offer;

static sp_tls_offer_t *find_offer(SSL *ssl)
{
    (void)ssl;
    return &offer;
}

/* What a client of these tests asks for. */
typedef struct client {
    int min_version;
    int max_version;
    const char *ciphers;    /* NULL: its usual ones */
    const char *signatures; /* the same */
    const char *alpn;       /* the same: none */
    SSL_SESSION *session;   /* NULL: a new one */
} client_t;

/* What came of it. */
typedef struct result {
    bool is_ok;
    bool is_resumed;
    int version;
    int key_kind; /* of the server's certificate */
    char cipher[64];
    char alpn[32];
    SSL_SESSION *session;
} result_t;

static sp_tls_policy_t *policy;
static sp_certificate_t *certificate;

static void init(void)
{
    maker_pair_t pairs[2];
    sp_certificate_pem_t pems[2];

    maker_make(&pairs[0], MAKER_P256, "a.example", -1, MAKER_DAY);
    maker_make(&pairs[1], MAKER_RSA, "a.example", -1, MAKER_DAY);
    for (size_t i = 0; i != 2; ++i) {
        pems[i] = (sp_certificate_pem_t){.chain = sp_str_from(pairs[i].chain),
                                         .key = sp_str_from(pairs[i].key)};
    }
    cr_assert_eq(sp_certificate_read(pems, 2, &certificate, NULL), SP_OK);
    cr_assert_eq(sp_tls_policy_create(find_offer, &policy, NULL), SP_OK);
    offer = (sp_tls_offer_t){.certificate = certificate};
}

static void clear(void)
{
    sp_tls_policy_destroy(policy);
    sp_certificate_release(certificate);
}

TestSuite(policy, .init = init, .fini = clear);

static SSL *make_client(SSL_CTX *context, const client_t *client)
{
    SSL *ssl = NULL;

    SSL_CTX_set_security_level(context, 0);
    cr_assert_eq(SSL_CTX_set_min_proto_version(context, client->min_version), 1);
    cr_assert_eq(SSL_CTX_set_max_proto_version(context, client->max_version), 1);
    if (client->ciphers != NULL) {
        cr_assert_eq(SSL_CTX_set_cipher_list(context, client->ciphers), 1);
    }
    if (client->signatures != NULL) {
        /* OpenSSL's macro for it casts the const away. */
        cr_assert_eq(SSL_CTX_ctrl(context, SSL_CTRL_SET_SIGALGS_LIST, 0,
                                  (void *)(uintptr_t)client->signatures),
                     1);
    }
    ssl = SSL_new(context);
    if (client->alpn != NULL) {
        cr_assert_eq(SSL_set_alpn_protos(ssl, (const unsigned char *)client->alpn,
                                         (unsigned)strlen(client->alpn)),
                     0);
    }
    if (client->session != NULL) {
        cr_assert_eq(SSL_set_session(ssl, client->session), 1);
    }
    SSL_set_connect_state(ssl);
    return ssl;
}

static void note_result(SSL *ssl, result_t *result)
{
    const unsigned char *alpn = NULL;
    unsigned alpn_len = 0;
    X509 *shown = SSL_get1_peer_certificate(ssl);

    result->is_resumed = SSL_session_reused(ssl) == 1;
    result->version = SSL_version(ssl);
    result->key_kind = shown == NULL ? 0 : EVP_PKEY_get_base_id(X509_get0_pubkey(shown));
    (void)strncpy(result->cipher, SSL_get_cipher_name(ssl), sizeof(result->cipher) - 1);
    SSL_get0_alpn_selected(ssl, &alpn, &alpn_len);
    memcpy(result->alpn, alpn == NULL ? (const unsigned char *)"" : alpn, alpn_len);
    result->session = SSL_get1_session(ssl);
    X509_free(shown);
}

/* A handshake in memory, and an octet from the server, which brings the tickets along. */
static result_t shake_hands(const client_t *wishes)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *client = make_client(context, wishes);
    SSL *server = SSL_new(sp_tls_policy_context(policy));
    BIO *to_server = BIO_new(BIO_s_mem());
    BIO *to_client = BIO_new(BIO_s_mem());
    result_t result = {.is_ok = false};
    char octet = 0;

    offer.alert = 0;
    cr_assert_eq(BIO_up_ref(to_server) + BIO_up_ref(to_client), 2);
    SSL_set_bio(client, to_client, to_server);
    SSL_set_bio(server, to_server, to_client);
    SSL_set_accept_state(server);
    for (int i = 0; i != 5; ++i) {
        (void)SSL_do_handshake(client);
        (void)SSL_do_handshake(server);
    }
    if (SSL_is_init_finished(client) && SSL_is_init_finished(server)) {
        cr_assert_eq(SSL_write(server, "x", 1), 1);
        result.is_ok = SSL_read(client, &octet, 1) == 1;
        note_result(client, &result);
    }
    (void)SSL_shutdown(client); /* a session that ends otherwise does not go on */
    SSL_free(client);
    SSL_free(server);
    SSL_CTX_free(context);
    ERR_clear_error();
    return result;
}

static const client_t tls13 = {.min_version = TLS1_3_VERSION, .max_version = TLS1_3_VERSION};
static const client_t tls12 = {.min_version = TLS1_2_VERSION, .max_version = TLS1_2_VERSION};

Test(policy, speaks_tls_1_2_and_1_3)
{
    result_t result = shake_hands(&tls13);

    cr_assert(result.is_ok);
    cr_expect_eq(result.version, TLS1_3_VERSION);
    cr_expect_str_eq(result.cipher, "TLS_AES_128_GCM_SHA256");
    SSL_SESSION_free(result.session);
    result = shake_hands(&tls12);
    cr_assert(result.is_ok);
    cr_expect_eq(result.version, TLS1_2_VERSION);
    cr_expect_str_eq(result.cipher, "ECDHE-ECDSA-AES128-GCM-SHA256");
    SSL_SESSION_free(result.session);
}

Test(policy, speaks_nothing_older)
{
    client_t client = {
        .min_version = TLS1_VERSION, .max_version = TLS1_1_VERSION, .ciphers = "ALL:@SECLEVEL=0"};

    cr_expect_not(shake_hands(&client).is_ok);
    cr_expect_eq(offer.alert, 70, "protocol_version, %u", (unsigned)offer.alert);
}

Test(policy, takes_no_weak_cipher)
{
    static const char *const weak[] = {"AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA",
                                       "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-GCM-SHA256"};

    for (size_t i = 0; i != sizeof(weak) / sizeof(weak[0]); ++i) {
        client_t client = tls12;

        client.ciphers = weak[i];
        cr_expect_not(shake_hands(&client).is_ok, "%s", weak[i]);
        cr_expect_eq(offer.alert, 40, "handshake_failure");
    }
}

Test(policy, shows_the_kind_of_key_that_the_client_takes)
{
    client_t client = tls13;
    result_t result = shake_hands(&client);

    cr_expect_eq(result.key_kind, EVP_PKEY_EC);
    SSL_SESSION_free(result.session);
    client.signatures = "RSA-PSS+SHA256";
    result = shake_hands(&client);
    cr_assert(result.is_ok);
    cr_expect_eq(result.key_kind, EVP_PKEY_RSA);
    SSL_SESSION_free(result.session);
    client = tls12;
    client.ciphers = "ECDHE-RSA-AES128-GCM-SHA256";
    result = shake_hands(&client);
    cr_expect_eq(result.key_kind, EVP_PKEY_RSA);
    SSL_SESSION_free(result.session);
    client.signatures = "RSA+SHA1";
    cr_expect_not(shake_hands(&client).is_ok, "SHA-1");
}

static bool has_same_ticket(const SSL_SESSION *one, const SSL_SESSION *other)
{
    const unsigned char *tickets[2] = {NULL, NULL};
    size_t lens[2] = {0, 0};

    SSL_SESSION_get0_ticket(one, &tickets[0], &lens[0]);
    SSL_SESSION_get0_ticket(other, &tickets[1], &lens[1]);
    return lens[0] == lens[1] && memcmp(tickets[0], tickets[1], lens[0]) == 0;
}

Test(policy, goes_on_with_a_session)
{
    static const client_t *const versions[] = {&tls13, &tls12};

    for (size_t i = 0; i != 2; ++i) {
        client_t client = *versions[i];
        result_t first = shake_hands(&client);
        result_t second;

        cr_assert(first.is_ok);
        cr_expect_not(first.is_resumed);
        client.session = first.session;
        offer.certificate = NULL; /* it is not needed */
        second = shake_hands(&client);
        cr_expect(second.is_ok);
        cr_expect(second.is_resumed);
        offer.certificate = certificate;
        cr_expect_eq(has_same_ticket(first.session, second.session),
                     client.max_version == TLS1_2_VERSION, "another ticket for the next time");
        SSL_SESSION_free(first.session);
        SSL_SESSION_free(second.session);
    }
}

Test(policy, chooses_the_protocol)
{
    static const struct {
        const char *offered;
        const char *chosen; /* NULL: the handshake fails */
    } cases[] = {
        {"\x08http/1.1\x02h2", "h2"},
        {"\x08http/1.1", "http/1.1"},
        {"\x05other\x02h2", "h2"},
        {"\x05other", NULL},
        {"\x0a"
         "acme-tls/1",
         NULL},
    };

    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        client_t client = tls13;
        result_t result;

        client.alpn = cases[i].offered;
        result = shake_hands(&client);
        cr_expect_eq(result.is_ok, cases[i].chosen != NULL, "%zu", i);
        cr_expect_str_eq(result.alpn, cases[i].chosen == NULL ? "" : cases[i].chosen);
        SSL_SESSION_free(result.session);
    }
}

Test(policy, answers_a_challenge_with_its_protocol)
{
    client_t client = tls13;
    result_t result;

    offer.is_challenge = true;
    client.alpn = "\x0a"
                  "acme-tls/1";
    result = shake_hands(&client);
    cr_expect(result.is_ok);
    cr_expect_str_eq(result.alpn, "acme-tls/1");
    SSL_SESSION_free(result.session);
    client.alpn = "\x02h2";
    cr_expect_not(shake_hands(&client).is_ok);
    cr_expect_eq(offer.alert, 120, "no_application_protocol");
}

Test(policy, has_nothing_to_show_without_a_certificate)
{
    offer.certificate = NULL;
    cr_expect_not(shake_hands(&tls13).is_ok);
    cr_expect_neq(offer.alert, 0);
}
