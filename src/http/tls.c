/* SPDX-License-Identifier: Apache-2.0 */
#include "http/tls.h"

#include <fcntl.h>

#include "http/connection.h"
#include "http/preface.h"

/* Both versions of the library give OpenSSL a BIO of theirs whose data is the socket. */
sp_tls_offer_t *sp_tls_offer_of(SSL *ssl)
{
    const h2o_socket_t *socket = BIO_get_data(SSL_get_rbio(ssl));
    const sp_connection_t *connection = socket->on_close.data;

    return connection->preface == NULL ? NULL : sp_preface_offer(connection->preface);
}

static void on_certificates(h2o_socket_t *socket, const char *err)
{
    sp_front_t *front = socket->data;

    if (err == NULL) {
        sp_tls_inbox_run(front->tls.inbox);
    }
}

sp_status_t sp_front_use_tls(sp_front_t *front, SSL_CTX *context, sp_tls_store_t *store)
{
    sp_status_t status = sp_tls_inbox_create(store, &front->tls.inbox);
    int fd = -1;

    if (status != SP_OK) {
        return status;
    }
    /* The loop closes its descriptor when it ends; the store may still write to its own. */
    fd = fcntl(sp_tls_inbox_fd(front->tls.inbox), F_DUPFD_CLOEXEC, 0);
    if (fd == -1) {
        sp_tls_stop(front);
        return SP_IO;
    }
    front->tls.context = context;
    front->tls.wake = h2o_evloop_socket_create(front->loop, fd, H2O_SOCKET_FLAG_DONT_READ);
    front->tls.wake->data = front;
    h2o_socket_read_start(front->tls.wake, on_certificates);
    return SP_OK;
}

void sp_tls_stop(sp_front_t *front)
{
    if (front->tls.wake != NULL) {
        h2o_socket_close(front->tls.wake);
    }
    sp_tls_inbox_destroy(front->tls.inbox);
    front->tls.wake = NULL;
    front->tls.inbox = NULL;
}
