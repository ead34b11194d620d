/* SPDX-License-Identifier: Apache-2.0 */
#include "http/preface.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "http/proxy_header.h"
#include "tls/client_hello.h"

#define ALERT_UNEXPECTED_MESSAGE 10
#define ALERT_DECODE_ERROR 50
#define ALERT_INTERNAL_ERROR 80
#define ALERT_UNRECOGNIZED_NAME 112

/* Octets that there may be, ClientHello included, while its certificate is waited for: no client
 * has anything more to say before it hears from us. */
#define EARLY_MAX SP_CLIENT_HELLO_INPUT_MAX

typedef enum stage { STAGE_PROXY, STAGE_HELLO, STAGE_CERTIFICATE, STAGE_HANDSHAKE } stage_t;

struct sp_preface {
    sp_connection_t *connection;
    h2o_timeout_entry_t timeout;
    stage_t stage;
    bool is_waiting; /* for the store */
    size_t need;     /* octets of input before it is worth looking again */
    sp_tls_wait_t wait;
    sp_tls_offer_t offer;
    sp_certificate_t *certificate; /* of the offer */
};

static h2o_socket_t *socket_of(const sp_preface_t *preface)
{
    return preface->connection->socket;
}

static void restart_clock(sp_preface_t *preface)
{
    sp_front_t *front = preface->connection->front;

    h2o_timeout_unlink(&preface->timeout);
    h2o_timeout_link(front->loop, &front->preface_timeout, &preface->timeout);
    preface->connection->used_ms = sp_now_ms();
}

void sp_preface_destroy(sp_preface_t *preface)
{
    if (preface == NULL) {
        return;
    }
    h2o_timeout_unlink(&preface->timeout);
    if (preface->is_waiting) {
        sp_certificate_release(sp_tls_store_cancel(&preface->wait));
        --preface->connection->front->tls.waits;
    }
    sp_certificate_release(preface->certificate);
    free(preface);
}

sp_tls_offer_t *sp_preface_offer(sp_preface_t *preface)
{
    return &preface->offer;
}

/* ---- how it ends ---- */

static void count(const sp_preface_t *preface, sp_handshake_t result)
{
    ++preface->connection->front->counters.handshakes[result];
}

static void end(sp_preface_t *preface)
{
    h2o_socket_close(socket_of(preface)); /* calls sp_preface_destroy */
}

/* As long as the server has said nothing else, an alert is plain text (RFC 8446, 6). */
static void end_with_alert(sp_preface_t *preface, sp_handshake_t result, unsigned alert)
{
    const unsigned char record[] = {21, 3, 1, 0, 2, 2, (unsigned char)alert};

    count(preface, result);
    (void)send(h2o_socket_get_fd(socket_of(preface)), record, sizeof(record),
               MSG_NOSIGNAL | MSG_DONTWAIT);
    sp_connection_end_gently(preface->connection);
    end(preface);
}

static void refuse_proxy(sp_preface_t *preface, sp_proxy_refusal_t refusal)
{
    ++preface->connection->front->counters.proxy_refusals[refusal];
    end(preface);
}

static void go_to_http(sp_preface_t *preface, bool is_http2)
{
    sp_connection_t *connection = preface->connection;
    sp_front_t *front = connection->front;
    struct timeval now = *h2o_get_timestamp(&front->context, NULL, NULL);

    connection->preface = NULL;
    connection->used_ms = sp_now_ms();
    sp_preface_destroy(preface);
    if (is_http2) {
        h2o_http2_accept(&front->accept, connection->socket, now);
    } else {
        h2o_http1_accept(&front->accept, connection->socket, now);
    }
}

/* ---- the handshake ---- */

static bool is_gone(const char *err)
{
    return err == h2o_socket_error_closed || err == h2o_socket_error_io;
}

static void end_failed(sp_preface_t *preface, const char *err)
{
    ERR_clear_error();
    if (preface->offer.alert != 0) {
        end_with_alert(preface, SP_HANDSHAKE_FAILED, preface->offer.alert);
        return;
    }
    count(preface, is_gone(err) ? SP_HANDSHAKE_GONE : SP_HANDSHAKE_FAILED);
    end(preface);
}

static void on_handshake(h2o_socket_t *socket, const char *err)
{
    sp_preface_t *preface = socket->data;
    h2o_iovec_t protocol;

    if (err != NULL) {
        end_failed(preface, err);
        return;
    }
    if (preface->offer.is_challenge) {
        count(preface, SP_HANDSHAKE_CHALLENGE);
        end(preface);
        return;
    }
    count(preface,
          h2o_socket_get_ssl_session_reused(socket) == 1 ? SP_HANDSHAKE_RESUMED : SP_HANDSHAKE_OK);
    protocol = h2o_socket_ssl_get_selected_protocol(socket);
    go_to_http(preface, h2o_memis(protocol.base, protocol.len, H2O_STRLIT("h2")));
}

static void shake_hands_own(sp_preface_t *preface, sp_certificate_t *certificate)
{
    preface->stage = STAGE_HANDSHAKE;
    preface->certificate = certificate;
    preface->offer.certificate = certificate;
    restart_clock(preface);
    h2o_socket_ssl_handshake(socket_of(preface), preface->connection->front->tls.context, NULL,
                             on_handshake);
}

/* ---- the certificate ---- */

static void use_certificate_own(sp_preface_t *preface, sp_certificate_t *certificate,
                                sp_handshake_t otherwise)
{
    if (certificate == NULL) {
        end_with_alert(preface, otherwise, ALERT_UNRECOGNIZED_NAME);
    } else {
        shake_hands_own(preface, certificate);
    }
}

static void on_certificate(sp_tls_wait_t *wait, sp_certificate_t *certificate)
{
    sp_preface_t *preface = H2O_STRUCT_FROM_MEMBER(sp_preface_t, wait, wait);

    preface->is_waiting = false;
    --preface->connection->front->tls.waits;
    use_certificate_own(preface, certificate, SP_HANDSHAKE_NO_CERTIFICATE);
}

/* What the store has all the same (an expired one, an old one) is better than nothing. */
static void give_up_waiting(sp_preface_t *preface)
{
    preface->is_waiting = false;
    --preface->connection->front->tls.waits;
    use_certificate_own(preface, sp_tls_store_cancel(&preface->wait), SP_HANDSHAKE_TIMEOUT);
}

static sp_tls_found_t look_up(sp_preface_t *preface, sp_str_t name,
                              sp_certificate_t **ret_certificate)
{
    sp_tls_inbox_t *inbox = preface->connection->front->tls.inbox;

    if (preface->offer.is_challenge) {
        return sp_tls_store_find_challenge(inbox, name, &preface->wait);
    }
    return sp_tls_store_find(inbox, name, sp_now_ms(), &preface->wait, ret_certificate);
}

static void find_certificate(sp_preface_t *preface, sp_str_t name)
{
    sp_front_t *front = preface->connection->front;
    sp_certificate_t *certificate = NULL;

    preface->stage = STAGE_CERTIFICATE;
    preface->wait.on_done = on_certificate;
    preface->wait.asker = sp_client_to_number(&preface->connection->client);
    restart_clock(preface);
    switch (front->tls.waits == SP_PREFACE_WAITS_MAX ? SP_TLS_BUSY
                                                     : look_up(preface, name, &certificate)) {
    case SP_TLS_FOUND:
        shake_hands_own(preface, certificate);
        return;
    case SP_TLS_NONE:
        end_with_alert(preface, SP_HANDSHAKE_NO_CERTIFICATE, ALERT_UNRECOGNIZED_NAME);
        return;
    case SP_TLS_BUSY:
        end_with_alert(preface, SP_HANDSHAKE_BUSY, ALERT_INTERNAL_ERROR);
        return;
    case SP_TLS_WAITING:
        preface->is_waiting = true;
        ++front->tls.waits;
        return;
    }
}

/* ---- what arrives ---- */

/* A name that can't be one of a certificate's folders is the same as one that has none. */
static void read_hello(sp_preface_t *preface, const sp_client_hello_t *hello)
{
    char memory[SP_TLS_NAME_MAX];
    sp_str_t name = {.ptr = "", .len = 0};

    preface->offer.is_challenge = hello->offers_acme;
    if (hello->name_len != 0 &&
        !sp_tls_name_read((sp_str_t){.ptr = hello->name, .len = hello->name_len}, memory, &name)) {
        end_with_alert(preface, SP_HANDSHAKE_NO_CERTIFICATE, ALERT_UNRECOGNIZED_NAME);
        return;
    }
    find_certificate(preface, name);
}

static void go_on_with_hello(sp_preface_t *preface, sp_str_t input)
{
    sp_client_hello_t hello;

    if (input.len < preface->need || input.len == 0) {
        return;
    }
    switch (sp_client_hello_read(input, &hello)) {
    case SP_HELLO_COMPLETE:
        read_hello(preface, &hello);
        return;
    case SP_HELLO_MORE:
        preface->need = hello.need;
        return;
    case SP_HELLO_NOT_TLS:
        count(preface, SP_HANDSHAKE_NOT_TLS);
        end(preface);
        return;
    case SP_HELLO_BROKEN:
    case SP_HELLO_TOO_LONG:
        end_with_alert(preface, SP_HANDSHAKE_FAILED, ALERT_DECODE_ERROR);
        return;
    }
}

static sp_str_t input_of(const sp_preface_t *preface)
{
    const h2o_buffer_t *input = socket_of(preface)->input;

    return (sp_str_t){.ptr = input->bytes, .len = input->size};
}

static void leave_proxy(sp_preface_t *preface)
{
    if (preface->connection->mode.tls) {
        preface->stage = STAGE_HELLO;
        go_on_with_hello(preface, input_of(preface));
    } else {
        go_to_http(preface, false);
    }
}

static void go_on_with_proxy(sp_preface_t *preface, sp_str_t input)
{
    h2o_socket_t *socket = socket_of(preface);
    sp_proxy_header_t header;

    switch (sp_proxy_header_read(input, &header)) {
    case SP_PROXY_MORE:
        return;
    case SP_PROXY_BROKEN:
        refuse_proxy(preface, SP_PROXY_MALFORMED);
        return;
    case SP_PROXY_COMPLETE:
        break;
    }
    h2o_buffer_consume(&socket->input, header.size);
    if (header.source_len != 0) {
        h2o_socket_setpeername(socket, (struct sockaddr *)&header.source, header.source_len);
        if (!sp_connection_change_client(preface->connection)) {
            end(preface);
            return;
        }
    }
    leave_proxy(preface);
}

static void end_gone(sp_preface_t *preface)
{
    bool has_begun = socket_of(preface)->input->size != 0;

    if (preface->stage == STAGE_PROXY && has_begun) {
        ++preface->connection->front->counters.proxy_refusals[SP_PROXY_MALFORMED];
    } else if (preface->stage != STAGE_PROXY && has_begun) {
        count(preface, SP_HANDSHAKE_GONE);
    }
    end(preface);
}

static void on_input(h2o_socket_t *socket, const char *err)
{
    sp_preface_t *preface = socket->data;

    if (err != NULL) {
        end_gone(preface);
        return;
    }
    switch (preface->stage) {
    case STAGE_PROXY:
        go_on_with_proxy(preface, input_of(preface));
        return;
    case STAGE_HELLO:
        go_on_with_hello(preface, input_of(preface));
        return;
    case STAGE_CERTIFICATE: /* read only to learn when the client leaves */
        if (socket->input->size > EARLY_MAX) {
            end_with_alert(preface, SP_HANDSHAKE_FAILED, ALERT_UNEXPECTED_MESSAGE);
        }
        return;
    case STAGE_HANDSHAKE: /* the library reads */
        return;
    }
}

static void on_late(h2o_timeout_entry_t *entry)
{
    sp_preface_t *preface = H2O_STRUCT_FROM_MEMBER(sp_preface_t, timeout, entry);

    switch (preface->stage) {
    case STAGE_PROXY:
        refuse_proxy(preface, SP_PROXY_TIMEOUT);
        return;
    case STAGE_CERTIFICATE:
        give_up_waiting(preface);
        return;
    case STAGE_HELLO:
    case STAGE_HANDSHAKE:
        count(preface, SP_HANDSHAKE_TIMEOUT);
        end(preface);
        return;
    }
}

void sp_preface_start(sp_connection_t *connection)
{
    sp_preface_t *preface = calloc(1, sizeof(*preface));
    h2o_socket_t *socket = connection->socket;

    if (preface == NULL) {
        ++connection->front->counters.turned_away;
        h2o_socket_close(socket);
        return;
    }
    preface->connection = connection;
    preface->stage = connection->mode.proxy_protocol ? STAGE_PROXY : STAGE_HELLO;
    preface->timeout.cb = on_late;
    connection->preface = preface;
    socket->data = preface;
    restart_clock(preface);
    h2o_socket_read_start(socket, on_input);
}
