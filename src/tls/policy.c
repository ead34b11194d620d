/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/policy.h"

#include <openssl/err.h>
#include <stdlib.h>

#include "dns/lookup.h"
#include "tls/tickets.h"

/* Forward secrecy and authenticated encryption only (RFC 9325). */
#define CIPHERS_TLS13 "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
#define CIPHERS_TLS12                                                                              \
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"                                   \
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"                                   \
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
#define GROUPS "X25519:P-256:P-384"

/* No SHA-1, as the library would still take for TLS 1.2. */
#define SIGNATURES                                                                                 \
    "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:RSA-PSS+SHA256:RSA-PSS+SHA384:"                \
    "RSA-PSS+SHA512:RSA+SHA256:RSA+SHA384:RSA+SHA512"

/* One ticket a connection: a client that wants more connections gets one with each. */
#define TICKETS 1

struct sp_tls_policy {
    SSL_CTX *context;
    sp_tickets_t *tickets;
    sp_tls_offer_fn *offer;
};

static sp_tls_policy_t *policy_of(SSL *ssl)
{
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

/* TLS 1.3 wants each ticket to be used once (RFC 8446, C.4): 2 asks for another one, which OpenSSL
 * would not send otherwise. */
static int on_ticket(SSL *ssl, unsigned char name[16], unsigned char *iv, EVP_CIPHER_CTX *cipher,
                     EVP_MAC_CTX *mac, int is_making)
{
    int result =
        sp_tickets_use(policy_of(ssl)->tickets, sp_now_ms(), name, iv, cipher, mac, is_making);

    return result == 1 && is_making == 0 && SSL_version(ssl) == TLS1_3_VERSION ? 2 : result;
}

static int on_certificate(SSL *ssl, void *arg)
{
    const sp_tls_policy_t *policy = arg;
    const sp_tls_offer_t *offer = policy->offer(ssl);

    return offer != NULL && offer->certificate != NULL &&
                   sp_certificate_use(offer->certificate, ssl)
               ? 1
               : 0;
}

/* Tells the client that its name was recognized (RFC 6066, 3). */
/* NOLINTNEXTLINE(readability-non-const-parameter): OpenSSL's type */
static int on_server_name(SSL *ssl, int *alert, void *arg)
{
    (void)ssl;
    (void)alert;
    (void)arg;
    return SSL_TLSEXT_ERR_OK;
}

/* In our order: HTTP/2 first. A client that names only protocols which are not spoken here is told
 * so (RFC 7301, 3.2). */
static int on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                   const unsigned char *in, unsigned in_len, void *arg)
{
    static const unsigned char http[] = "\x02h2\x08http/1.1";
    static const unsigned char challenge[] = "\x0a"
                                             "acme-tls/1";
    const sp_tls_policy_t *policy = arg;
    const sp_tls_offer_t *offer = policy->offer(ssl);
    bool is_challenge = offer != NULL && offer->is_challenge;
    unsigned char *selected = NULL;

    if (SSL_select_next_proto(&selected, out_len, is_challenge ? challenge : http,
                              is_challenge ? sizeof(challenge) - 1 : sizeof(http) - 1, in,
                              in_len) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *out = selected;
    return SSL_TLSEXT_ERR_OK;
}

/* The library throws away what OpenSSL would say to a client that it refuses; the client should
 * know all the same. */
static void on_info(const SSL *ssl, int where, int value)
{
    const sp_tls_policy_t *policy = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    OSSL_HANDSHAKE_STATE state = SSL_get_state(ssl);
    sp_tls_offer_t *offer = NULL;

    if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT &&
        (state == TLS_ST_BEFORE || state == TLS_ST_SR_CLNT_HELLO)) {
        offer = policy->offer((SSL *)(uintptr_t)ssl);
    }
    if (offer != NULL) {
        offer->alert = (uint8_t)((unsigned)value & 0xffU);
    }
}

static bool set_ciphers(SSL_CTX *context)
{
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, CIPHERS_TLS12) == 1 &&
           SSL_CTX_set_ciphersuites(context, CIPHERS_TLS13) == 1 &&
           SSL_CTX_set1_groups_list(context, GROUPS) == 1 &&
           SSL_CTX_set1_sigalgs_list(context, SIGNATURES) == 1;
}

/* Sessions go on by tickets alone: no worker keeps any. */
static bool set_sessions(SSL_CTX *context)
{
    static const unsigned char id[] = "signpost";

    (void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    (void)SSL_CTX_set_timeout(context, SP_TICKET_KEY_S);
    return SSL_CTX_set_session_id_context(context, id, sizeof(id) - 1) == 1 &&
           SSL_CTX_set_num_tickets(context, TICKETS) == 1 &&
           SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket) == 1;
}

static void set_behaviour(SSL_CTX *context)
{
    (void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE |
                                           SSL_OP_PRIORITIZE_CHACHA);
    /* 34 KB less for each idle connection. */
    (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

static bool set_all(sp_tls_policy_t *policy)
{
    SSL_CTX *context = policy->context;

    if (SSL_CTX_set_app_data(context, policy) != 1 || !set_ciphers(context) ||
        !set_sessions(context)) {
        return false;
    }
    set_behaviour(context);
    SSL_CTX_set_info_callback(context, on_info);
    SSL_CTX_set_cert_cb(context, on_certificate, policy);
    SSL_CTX_set_alpn_select_cb(context, on_alpn, policy);
    return SSL_CTX_set_tlsext_servername_callback(context, on_server_name) == 1;
}

sp_status_t sp_tls_policy_create(sp_tls_offer_fn *offer, sp_tls_policy_t **ret_policy,
                                 sp_error_t *err)
{
    sp_tls_policy_t *policy = calloc(1, sizeof(*policy));
    sp_status_t status = SP_OK;

    if (policy == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    policy->offer = offer;
    status = sp_tickets_create(sp_now_ms(), &policy->tickets);
    policy->context = SSL_CTX_new(TLS_server_method());
    if (status != SP_OK || policy->context == NULL || !set_all(policy)) {
        sp_tls_policy_destroy(policy);
        ERR_clear_error();
        return status == SP_NO_MEMORY
                   ? sp_fail(err, status, 0, "out of memory")
                   : sp_fail(err, SP_IO, 0, "OpenSSL can't be set up for TLS 1.2 and 1.3");
    }
    *ret_policy = policy;
    return SP_OK;
}

void sp_tls_policy_destroy(sp_tls_policy_t *policy)
{
    if (policy != NULL) {
        SSL_CTX_free(policy->context);
        sp_tickets_destroy(policy->tickets);
        free(policy);
    }
}

SSL_CTX *sp_tls_policy_context(const sp_tls_policy_t *policy)
{
    return policy->context;
}
