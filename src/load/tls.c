/* SPDX-License-Identifier: Apache-2.0 */
#include "load/tls.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/tls_sessions.h"

struct sp_load_tls {
    SSL_CTX *context;
    sp_load_sessions_t sessions;
    bool http2;
};

struct sp_load_tls_stream {
    SSL *ssl;
    BIO *in, *out; /* the wire; owned by `ssl` */
    bool http2;
    unsigned long fault; /* of the library, when the handshake failed; 0: it agreed to no HTTP/2 */
    size_t name_len;
    char name[SP_LOAD_SESSION_NAME + 1]; /* of the host, ended by NUL; "": none */
};

static sp_str_t name_of(const sp_load_tls_stream_t *stream)
{
    return (sp_str_t){stream->name, stream->name_len};
}

/* Called by the library when the server gives a session; keeps the reference. */
static int on_session(SSL *ssl, SSL_SESSION *session)
{
    sp_load_tls_t *tls = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    sp_load_sessions_keep(&tls->sessions, name_of(SSL_get_app_data(ssl)), session);
    return 1;
}

static bool configure(sp_load_tls_t *tls)
{
    static const unsigned char h2[] = "\x02h2";
    static const unsigned char http1[] = "\x08http/1.1";
    const unsigned char *offer = tls->http2 ? h2 : http1;
    unsigned len = tls->http2 ? sizeof(h2) - 1 : sizeof(http1) - 1;

    SSL_CTX_set_verify(tls->context, SSL_VERIFY_NONE, NULL);
    (void)SSL_CTX_set_mode(tls->context, SSL_MODE_RELEASE_BUFFERS);
    (void)SSL_CTX_set_session_cache_mode(tls->context,
                                         SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(tls->context, on_session);
    return SSL_CTX_set_app_data(tls->context, tls) == 1 &&
           SSL_CTX_set_alpn_protos(tls->context, offer, len) == 0;
}

sp_status_t sp_load_tls_create(bool http2, sp_load_tls_t **ret_tls)
{
    sp_load_tls_t *tls = calloc(1, sizeof(*tls));

    if (tls == NULL) {
        return SP_NO_MEMORY;
    }
    tls->http2 = http2;
    tls->context = SSL_CTX_new(TLS_client_method());
    if (tls->context == NULL || !configure(tls)) {
        sp_load_tls_destroy(tls);
        return SP_NO_MEMORY;
    }
    *ret_tls = tls;
    return SP_OK;
}

void sp_load_tls_destroy(sp_load_tls_t *tls)
{
    if (tls != NULL) {
        sp_load_sessions_clear(&tls->sessions);
        SSL_CTX_free(tls->context);
        free(tls);
    }
}

/* The host without a port, and without the dot at its end. */
static void keep_name(sp_load_tls_stream_t *stream, sp_str_t host)
{
    bool bracket = sp_str_starts_with(host, SP_STR("["));

    host = sp_str_slice(host, 0, sp_str_find(host, bracket ? ']' : ':'));
    if (sp_str_ends_with(host, SP_STR("."))) {
        host.len -= 1;
    }
    stream->name_len = host.len > SP_LOAD_SESSION_NAME ? 0 : host.len;
    memcpy(stream->name, host.ptr, stream->name_len);
}

static bool is_address(sp_str_t name)
{
    for (size_t i = 0; i != name.len; ++i) {
        if (!sp_is_digit(name.ptr[i]) && name.ptr[i] != '.') {
            return sp_str_starts_with(name, SP_STR("["));
        }
    }
    return true;
}

/* Server name indication takes names alone (RFC 6066, 3). */
static bool set_name(sp_load_tls_stream_t *stream)
{
    return is_address(name_of(stream)) || SSL_set_tlsext_host_name(stream->ssl, stream->name) == 1;
}

/* Goes on with the last session that this host gave, if it may. */
static bool set_session(sp_load_tls_t *tls, sp_load_tls_stream_t *stream)
{
    SSL_SESSION *session = sp_load_sessions_find(&tls->sessions, name_of(stream));

    return session == NULL || SSL_SESSION_is_resumable(session) != 1 ||
           SSL_set_session(stream->ssl, session) == 1;
}

static bool prepare(sp_load_tls_t *tls, sp_load_tls_stream_t *stream, sp_str_t host)
{
    stream->ssl = SSL_new(tls->context);
    stream->in = BIO_new(BIO_s_mem());
    stream->out = BIO_new(BIO_s_mem());
    if (stream->ssl == NULL || stream->in == NULL || stream->out == NULL) {
        (void)BIO_free(stream->in);
        (void)BIO_free(stream->out);
        return false;
    }
    SSL_set_bio(stream->ssl, stream->in, stream->out);
    SSL_set_connect_state(stream->ssl);
    keep_name(stream, host);
    return SSL_set_app_data(stream->ssl, stream) == 1 && set_session(tls, stream) &&
           set_name(stream);
}

sp_load_tls_stream_t *sp_load_tls_open(sp_load_tls_t *tls, sp_str_t host)
{
    sp_load_tls_stream_t *stream = calloc(1, sizeof(*stream));

    if (stream == NULL) {
        return NULL;
    }
    stream->http2 = tls->http2;
    if (!prepare(tls, stream, host)) {
        sp_load_tls_close(stream);
        return NULL;
    }
    return stream;
}

/* A session counts as broken, and is not resumed, when its connection ends without a farewell. That
 * is nobody's concern here, so the library is told that there was one. */
void sp_load_tls_close(sp_load_tls_stream_t *stream)
{
    if (stream != NULL) {
        if (stream->ssl != NULL) {
            SSL_set_shutdown(stream->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
            SSL_free(stream->ssl);
        }
        free(stream);
    }
}

static sp_load_tls_step_t step_of(const sp_load_tls_stream_t *stream, int result)
{
    switch (SSL_get_error(stream->ssl, result)) {
    case SSL_ERROR_NONE:
        return SP_LOAD_TLS_DONE;
    case SSL_ERROR_WANT_READ:
        return SP_LOAD_TLS_MORE;
    case SSL_ERROR_ZERO_RETURN:
        return SP_LOAD_TLS_ENDED;
    default:
        return SP_LOAD_TLS_FAILED;
    }
}

static bool is_agreed(const sp_load_tls_stream_t *stream)
{
    const unsigned char *name = NULL;
    unsigned len = 0;

    SSL_get0_alpn_selected(stream->ssl, &name, &len);
    return !stream->http2 || (len == 2 && memcmp(name, "h2", 2) == 0);
}

sp_load_tls_step_t sp_load_tls_handshake(sp_load_tls_stream_t *stream)
{
    sp_load_tls_step_t step = SP_LOAD_TLS_FAILED;

    ERR_clear_error();
    step = step_of(stream, SSL_do_handshake(stream->ssl));
    stream->fault = step == SP_LOAD_TLS_FAILED ? ERR_peek_error() : 0;
    return step == SP_LOAD_TLS_DONE && !is_agreed(stream) ? SP_LOAD_TLS_FAILED : step;
}

/* The server has said why, in an alert (RFC 8446, 6.2). */
static void tell_alert(int alert, char text[SP_LOAD_TLS_FAULT_MAX])
{
    const char *hint = "";

    if (alert == SSL_AD_UNRECOGNIZED_NAME) {
        hint = ": it has no certificate for a name that was asked for";
    } else if (alert == SSL_AD_NO_APPLICATION_PROTOCOL) {
        hint = ": it does not speak this version of HTTP; see --http";
    }
    (void)snprintf(text, SP_LOAD_TLS_FAULT_MAX, "the server refuses TLS with the alert '%s'%s",
                   SSL_alert_desc_string_long(alert), hint);
}

void sp_load_tls_fault(const sp_load_tls_stream_t *stream, char text[SP_LOAD_TLS_FAULT_MAX])
{
    int reason = ERR_GET_REASON(stream->fault);
    const char *words = ERR_reason_error_string(stream->fault);

    if (stream->fault == 0) {
        (void)snprintf(text, SP_LOAD_TLS_FAULT_MAX,
                       "the server does not agree to HTTP/2 (ALPN); leave out --http 2");
    } else if (reason > SSL_AD_REASON_OFFSET && reason <= SSL_AD_REASON_OFFSET + UCHAR_MAX) {
        tell_alert(reason - SSL_AD_REASON_OFFSET, text);
    } else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
        (void)snprintf(text, SP_LOAD_TLS_FAULT_MAX,
                       "what the server sends is no TLS; leave out --tls, or name its TLS port");
    } else {
        (void)snprintf(text, SP_LOAD_TLS_FAULT_MAX, "the TLS handshake failed: %s",
                       words == NULL ? "for a reason unknown" : words);
    }
}

bool sp_load_tls_is_resumed(const sp_load_tls_stream_t *stream)
{
    return SSL_session_reused(stream->ssl) == 1;
}

bool sp_load_tls_put(sp_load_tls_stream_t *stream, sp_str_t octets)
{
    return octets.len <= INT_MAX &&
           BIO_write(stream->in, octets.ptr, (int)octets.len) == (int)octets.len;
}

sp_load_tls_step_t sp_load_tls_read(sp_load_tls_stream_t *stream, char *into, size_t max,
                                    size_t *ret_len)
{
    *ret_len = 0;
    ERR_clear_error();
    return step_of(stream, SSL_read_ex(stream->ssl, into, max, ret_len));
}

bool sp_load_tls_write(sp_load_tls_stream_t *stream, sp_str_t text)
{
    size_t written = 0;

    ERR_clear_error();
    return SSL_write_ex(stream->ssl, text.ptr, text.len, &written) == 1 && written == text.len;
}

void sp_load_tls_leave(sp_load_tls_stream_t *stream)
{
    ERR_clear_error();
    (void)SSL_shutdown(stream->ssl); /* writes its alert; the answer to it does not matter */
}

sp_str_t sp_load_tls_outgoing(sp_load_tls_stream_t *stream)
{
    char *octets = NULL;
    long len = BIO_get_mem_data(stream->out, &octets);

    return len > 0 ? (sp_str_t){octets, (size_t)len} : (sp_str_t){"", 0};
}

void sp_load_tls_taken(sp_load_tls_stream_t *stream)
{
    (void)BIO_reset(stream->out);
}
