/* SPDX-License-Identifier: Apache-2.0 */
#include "load/http2.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "load/dispatch.h"
#include "load/exchange.h"

#define WINDOW_OCTETS (1 << 20) /* bodies are thrown away: they never need to wait */

static sp_load_request_t *request_of(nghttp2_session *session, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(session, stream);
}

static void set_status(sp_load_answer_t *answer, sp_str_t value)
{
    uint64_t status = 0;

    *answer = (sp_load_answer_t){.status = 0}; /* what an interim answer has said is void */
    if (sp_str_to_uint(value, 999, &status)) {
        answer->status = (unsigned)status;
    }
}

/* False when memory is out. */
static bool set_location(sp_load_request_t *request, sp_str_t value)
{
    if (request->answer.location_count++ != 0) {
        return true;
    }
    if (value.len > request->location_room) {
        char *grown = realloc(request->location, value.len);

        if (grown == NULL) {
            return false;
        }
        request->location = grown;
        request->location_room = value.len;
    }
    if (value.len != 0) {
        memcpy(request->location, value.ptr, value.len);
    }
    request->answer.location = (sp_str_t){request->location, value.len};
    return true;
}

static sp_str_t text_of(nghttp2_rcbuf *buffer)
{
    nghttp2_vec octets = nghttp2_rcbuf_get_buf(buffer);

    return (sp_str_t){(const char *)octets.base, octets.len};
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
    sp_load_request_t *request = request_of(session, frame->hd.stream_id);

    (void)flags;
    (void)arg;
    if (request == NULL) {
        return 0;
    }
    if (sp_str_eq(text_of(name), SP_STR(":status"))) {
        set_status(&request->answer, text_of(value));
    } else if (sp_str_eq(text_of(name), SP_STR("location")) &&
               !set_location(request, text_of(value))) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
}

static void take_settings(sp_load_connection_t *connection)
{
    uint32_t max = nghttp2_session_get_remote_settings(connection->http2,
                                                       NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    unsigned streams = connection->worker->streams;

    connection->capacity = max < streams ? max : streams;
    if (connection->capacity == 0) { /* the library holds the one back, and it times out */
        connection->capacity = 1;
    }
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    sp_load_connection_t *connection = arg;
    sp_load_request_t *request = NULL;

    switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
        take_settings(connection);
        break;
    case NGHTTP2_GOAWAY:
        connection->is_retiring = true;
        break;
    case NGHTTP2_RST_STREAM:
        request = request_of(session, frame->hd.stream_id);
        if (request != NULL) {
            request->is_cut_off = true;
        }
        break;
    default:
        break;
    }
    return 0;
}

/* A stream that we cancelled has no request any more. */
static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error_code, void *arg)
{
    const sp_load_connection_t *connection = arg;
    sp_load_request_t *request = request_of(session, stream);

    if (request == NULL) {
        return 0;
    }
    if (error_code == NGHTTP2_NO_ERROR && request->answer.status != 0) {
        sp_load_exchange_answered(request, &request->answer);
    } else if (error_code == NGHTTP2_REFUSED_STREAM &&
               (request->is_cut_off || connection->is_retiring)) {
        sp_load_exchange_give_back(request);
    } else {
        sp_load_exchange_ended(request,
                               request->is_cut_off ? SP_LOAD_CLOSED_EARLY : SP_LOAD_BAD_ANSWER);
    }
    return 0;
}

sp_status_t sp_load_http2_prepare(sp_load_worker_t *worker)
{
    if (nghttp2_session_callbacks_new(&worker->http2_callbacks) != 0) {
        return SP_NO_MEMORY;
    }
    nghttp2_session_callbacks_set_on_header_callback2(worker->http2_callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(worker->http2_callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(worker->http2_callbacks,
                                                           on_stream_close);
    return SP_OK;
}

void sp_load_http2_forget(sp_load_worker_t *worker)
{
    nghttp2_session_callbacks_del(worker->http2_callbacks);
    worker->http2_callbacks = NULL;
}

bool sp_load_http2_begin(sp_load_connection_t *connection)
{
    static const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_OCTETS},
    };

    return nghttp2_session_client_new(&connection->http2, connection->worker->http2_callbacks,
                                      connection) == 0 &&
           nghttp2_submit_settings(connection->http2, NGHTTP2_FLAG_NONE, settings,
                                   SP_COUNT(settings)) == 0 &&
           nghttp2_session_set_local_window_size(connection->http2, NGHTTP2_FLAG_NONE, 0,
                                                 WINDOW_OCTETS) == 0;
}

void sp_load_http2_end(sp_load_connection_t *connection)
{
    nghttp2_session_del(connection->http2);
    connection->http2 = NULL;
}

/* The library only reads them. */
static nghttp2_nv field(sp_str_t name, sp_str_t value)
{
    union {
        const char *read;
        uint8_t *write;
    } name_octets = {.read = name.ptr}, value_octets = {.read = value.ptr};

    return (nghttp2_nv){.name = name_octets.write,
                        .value = value_octets.write,
                        .namelen = name.len,
                        .valuelen = value.len,
                        .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

void sp_load_http2_submit(sp_load_request_t *request)
{
    sp_load_connection_t *connection = request->connection;
    const sp_load_plan_t *plan = connection->worker->plan;
    const sp_load_target_t *target = &plan->targets->list[request->due.target];
    const nghttp2_nv fields[] = {
        field(SP_STR(":method"), SP_STR("GET")),
        field(SP_STR(":scheme"), plan->tls ? SP_STR("https") : SP_STR("http")),
        field(SP_STR(":authority"), target->host),
        field(SP_STR(":path"), target->path),
    };

    request->answer = (sp_load_answer_t){.status = 0};
    request->is_cut_off = false;
    request->stream =
        nghttp2_submit_request(connection->http2, NULL, fields, SP_COUNT(fields), NULL, request);
    if (request->stream == NGHTTP2_ERR_NOMEM) {
        connection->worker->status = SP_NO_MEMORY;
    } else if (request->stream < 0) { /* all numbers of streams are used up */
        connection->is_retiring = true;
        sp_load_exchange_give_back(request);
    }
}

/* Frames are gathered, so that many requests cost one system call. */
void sp_load_http2_flush(sp_load_connection_t *connection)
{
    char *gathered = connection->worker->plain;
    size_t len = 0;

    while (connection->http2 != NULL) {
        const uint8_t *frame = NULL;
        ssize_t frame_len = nghttp2_session_mem_send(connection->http2, &frame);

        if (frame_len < 0) {
            connection->worker->status = SP_NO_MEMORY;
            return;
        }
        if (len != 0 && (frame_len == 0 || len + (size_t)frame_len > SP_LOAD_PLAIN_ROOM)) {
            sp_load_connection_write(connection, (sp_str_t){gathered, len});
            len = 0;
        }
        if (frame_len == 0 || connection->http2 == NULL) {
            return;
        }
        if ((size_t)frame_len > SP_LOAD_PLAIN_ROOM) {
            sp_load_connection_write(connection,
                                     (sp_str_t){(const char *)frame, (size_t)frame_len});
        } else {
            memcpy(gathered + len, frame, (size_t)frame_len);
            len += (size_t)frame_len;
        }
    }
}

/* Having neither anything to say nor to hear while requests are under way, the library has found
 * that the server does not speak HTTP/2. */
static void end_if_done(sp_load_connection_t *connection)
{
    if (connection->http2 != NULL && nghttp2_session_want_read(connection->http2) == 0 &&
        nghttp2_session_want_write(connection->http2) == 0) {
        sp_load_connection_close(connection, SP_LOAD_BAD_ANSWER);
    }
}

void sp_load_http2_take(sp_load_connection_t *connection, sp_str_t octets)
{
    ssize_t used =
        nghttp2_session_mem_recv(connection->http2, (const uint8_t *)octets.ptr, octets.len);

    if (used == NGHTTP2_ERR_NOMEM || used == NGHTTP2_ERR_CALLBACK_FAILURE) {
        connection->worker->status = SP_NO_MEMORY;
        return;
    }
    if (used < 0) {
        sp_load_connection_close(connection, SP_LOAD_BAD_ANSWER);
        return;
    }
    sp_load_dispatch_offer(connection);
    end_if_done(connection);
}

void sp_load_http2_cancel(sp_load_connection_t *connection, int32_t stream)
{
    (void)nghttp2_session_set_stream_user_data(connection->http2, stream, NULL);
    (void)nghttp2_submit_rst_stream(connection->http2, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}
