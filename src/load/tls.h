/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_TLS_H
#define SIGNPOST_LOAD_TLS_H

/* TLS without I/O: octets of the wire go in and out, whoever carries them. Certificates are not
 * verified: what is measured is a server that the user has named by its address. */

#include <signpost/base/error.h>

/* Of one thread: settings, and the sessions that hosts gave last, to go on with at the same host.
 */
typedef struct sp_load_tls sp_load_tls_t;

/* Of one connection. */
typedef struct sp_load_tls_stream sp_load_tls_stream_t;

typedef enum sp_load_tls_step {
    SP_LOAD_TLS_DONE,
    SP_LOAD_TLS_MORE,  /* octets of the peer are missing */
    SP_LOAD_TLS_ENDED, /* the peer has closed in an orderly way */
    SP_LOAD_TLS_FAILED
} sp_load_tls_step_t;

/* `http2`: offers h2 and insists on it, else http/1.1. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_load_tls_create(bool http2, sp_load_tls_t **ret_tls);
void sp_load_tls_destroy(sp_load_tls_t *tls); /* accepts NULL; after all streams */

/* `host` as in a Host field: a port is left out, an address is not sent. NULL: no memory. */
sp_load_tls_stream_t *sp_load_tls_open(sp_load_tls_t *tls, sp_str_t host);
void sp_load_tls_close(sp_load_tls_stream_t *stream); /* accepts NULL */

/* To be called at first and whenever octets have been put in, until it is no longer MORE. */
sp_load_tls_step_t sp_load_tls_handshake(sp_load_tls_stream_t *stream);

/* Why the handshake failed, and what may help, as a sentence without its end. */
#define SP_LOAD_TLS_FAULT_MAX 160
void sp_load_tls_fault(const sp_load_tls_stream_t *stream, char text[SP_LOAD_TLS_FAULT_MAX]);
bool sp_load_tls_is_resumed(const sp_load_tls_stream_t *stream);

/* Octets from the wire. False: no memory. */
bool sp_load_tls_put(sp_load_tls_stream_t *stream, sp_str_t octets);

/* Up to `max` octets of plain text. */
sp_load_tls_step_t sp_load_tls_read(sp_load_tls_stream_t *stream, char *into, size_t max,
                                    size_t *ret_len);

/* Plain text to be sent. False: it can't be. */
bool sp_load_tls_write(sp_load_tls_stream_t *stream, sp_str_t text);

/* Says that nothing more will be sent. */
void sp_load_tls_leave(sp_load_tls_stream_t *stream);

/* Octets for the wire; they are the stream's until it is told that they were taken over. */
sp_str_t sp_load_tls_outgoing(sp_load_tls_stream_t *stream);
void sp_load_tls_taken(sp_load_tls_stream_t *stream);

#endif
