/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_CONNECTION_H
#define SIGNPOST_LOAD_CONNECTION_H

/* One connection of a worker: the socket, TLS on it, HTTP on that, and the requests that are under
 * way on it. Octets are read into the worker's buffer and judged there; nothing is allocated for a
 * request. */

#include "load/due_queue.h"
#include "load/http1.h"
#include "load/judge.h"
#include "load/list.h"
#include "load/tls.h"

struct sp_load_worker;
struct nghttp2_session;
typedef struct sp_load_connection sp_load_connection_t;

/* Has been sent, and not yet ended. */
typedef struct sp_load_request {
    sp_load_link_t link; /* in worker->in_flight, by the time of sending */
    sp_load_connection_t *connection;
    sp_load_due_t due;
    uint64_t sent_ns;
    struct sp_load_request *next_spare;
    int32_t stream;          /* this and what follows: HTTP/2 */
    bool is_cut_off;         /* the server has reset the stream */
    sp_load_answer_t answer; /* so far; the Location lies in `location` */
    char *location;
    size_t location_room;
} sp_load_request_t;

typedef enum sp_load_state {
    SP_LOAD_IS_CONNECTING,
    SP_LOAD_IS_HANDSHAKE,
    SP_LOAD_IS_OPEN,
    SP_LOAD_IS_LEAVING, /* answered, and the server will close: it no longer counts */
    SP_LOAD_IS_CLOSED   /* events of this batch may still name it */
} sp_load_state_t;

/* What a connection is opened for. */
typedef enum sp_load_purpose {
    SP_LOAD_FOR_HOST, /* whatever waits when it is open; `due` tells the host for TLS, no more */
    SP_LOAD_FOR_RESERVED, /* a request that becomes due once the connection is open */
    SP_LOAD_FOR_DUE       /* a request that is due */
} sp_load_purpose_t;

struct sp_load_connection {
    sp_load_link_t link; /* in one of the worker's lists: opening, ready, leaving, closed */
    sp_load_link_t all;  /* in worker->connections, unless it is closed */
    struct sp_load_worker *worker;
    int fd;
    sp_load_state_t state;
    uint64_t since_ns; /* when it began to open, or to leave */
    uint64_t heard_ns; /* when octets last came in */
    sp_load_tls_stream_t *tls;
    struct nghttp2_session *http2;
    sp_http1_reader_t reader;
    char *unsent; /* octets that the socket did not take */
    size_t unsent_len, unsent_room;
    unsigned capacity; /* requests at a time */
    unsigned busy;     /* requests under way */
    bool is_retiring;  /* takes no further request */
    sp_load_purpose_t purpose;
    sp_load_due_t due;
    sp_load_request_t *requests; /* worker->streams of them */
    sp_load_request_t *spare;
};

/* Begins to connect. Failure is dealt with like a failure that shows later. */
void sp_load_connection_open(struct sp_load_worker *worker, const sp_load_due_t *due,
                             sp_load_purpose_t purpose);

/* What epoll has said: reads, answers, goes on with opening. */
void sp_load_connection_event(sp_load_connection_t *connection, uint32_t events);

/* Sends, or keeps what the socket does not take. When that fails, the connection is closed and its
 * requests have ended: look at `state` afterwards. */
void sp_load_connection_write(sp_load_connection_t *connection, sp_str_t octets);

/* Sends what the socket did not take before, and what TLS has to say of itself. */
void sp_load_connection_flush_unsent(sp_load_connection_t *connection);
void sp_load_connection_flush_tls(sp_load_connection_t *connection);

/* Ends its requests as `kind`. */
void sp_load_connection_close(sp_load_connection_t *connection, sp_load_kind_t kind);

/* It is not open yet, and will never be: that counts as a failed request. */
void sp_load_connection_fail(sp_load_connection_t *connection);

/* Its requests are done: lets the server close first, so that this end is not left with a port that
 * can't be used for a minute (TIME_WAIT). */
void sp_load_connection_leave(sp_load_connection_t *connection);

/* Memory of a closed connection. */
void sp_load_connection_destroy(sp_load_connection_t *connection);

#endif
