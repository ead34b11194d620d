/* SPDX-License-Identifier: Apache-2.0 */
#include "http/endpoints.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "http/write_response.h"

#define REQUEST_MS 10000
#define CHUNK_SIZE 16384
#define FINAL_TURNS 50 /* of the loop, until cut-off connections are gone */
#define BATCH 16       /* connections taken in one turn */

typedef struct guest {
    h2o_linklist_t link; /* in endpoints->guests */
    sp_endpoints_t *endpoints;
    h2o_socket_t *socket;
} guest_t;

struct sp_endpoints {
    h2o_loop_t *loop;
    h2o_globalconf_t config;
    h2o_context_t context;
    h2o_accept_ctx_t accept;
    h2o_socket_t *listener;
    h2o_linklist_t guests;
    size_t guest_count;
    sp_call_fn *on_call;
    void *arg;
};

struct sp_call {
    h2o_req_t *req;
    h2o_generator_t generator;
    sp_arena_t arena;
    void (*on_gone)(void *arg);
    void *arg;
};

typedef struct handler {
    h2o_handler_t super;
    sp_endpoints_t *endpoints;
} handler_t;

static void on_call_gone(void *memory)
{
    sp_call_t *call = memory;

    if (call->on_gone != NULL) {
        call->on_gone(call->arg);
    }
    sp_arena_clear(&call->arena);
}

static int on_request(h2o_handler_t *self, h2o_req_t *req)
{
    sp_endpoints_t *endpoints = ((handler_t *)self)->endpoints;
    sp_call_t *call = h2o_mem_alloc_shared(&req->pool, sizeof(*call), on_call_gone);

    *call = (sp_call_t){.req = req};
    sp_arena_init(&call->arena, NULL, 0, CHUNK_SIZE);
    endpoints->on_call(endpoints->arg, call);
    return 0;
}

static void on_guest_gone(void *data)
{
    guest_t *guest = data;

    h2o_linklist_unlink(&guest->link);
    --guest->endpoints->guest_count;
    free(guest);
}

static bool take_one(sp_endpoints_t *endpoints)
{
    h2o_socket_t *socket = h2o_evloop_socket_accept(endpoints->listener);
    guest_t *guest = NULL;

    if (socket == NULL) {
        return false;
    }
    if (endpoints->guest_count < SP_ENDPOINTS_CONNECTIONS_MAX) {
        guest = calloc(1, sizeof(*guest));
    }
    if (guest == NULL) {
        h2o_socket_close(socket);
        return true;
    }
    guest->endpoints = endpoints;
    guest->socket = socket;
    h2o_linklist_insert(&endpoints->guests, &guest->link);
    ++endpoints->guest_count;
    socket->on_close.cb = on_guest_gone;
    socket->on_close.data = guest;
    h2o_accept(&endpoints->accept, socket);
    return true;
}

static void on_acceptable(h2o_socket_t *socket, const char *err)
{
    for (int i = 0; err == NULL && i != BATCH && take_one(socket->data); ++i) {
    }
}

static void configure(sp_endpoints_t *endpoints)
{
    h2o_globalconf_t *config = &endpoints->config;
    h2o_hostconf_t *host = NULL;
    handler_t *handler = NULL;

    h2o_config_init(config);
    config->server_name = h2o_iovec_init(NULL, 0); /* write_response.c has ours */
    config->max_request_entity_size = SP_ENDPOINTS_BODY_MAX;
    config->http1.req_timeout = REQUEST_MS;
    config->http2.idle_timeout = REQUEST_MS;
    host = h2o_config_register_host(config, h2o_iovec_init(H2O_STRLIT("(admin)")), 65535);
    handler =
        (handler_t *)h2o_create_handler(h2o_config_register_path(host, "/", 0), sizeof(*handler));
    handler->super.on_req = on_request;
    handler->endpoints = endpoints;
}

sp_status_t sp_endpoints_create(h2o_loop_t *loop, sp_call_fn *on_call, void *arg,
                                sp_endpoints_t **ret_endpoints)
{
    sp_endpoints_t *endpoints = calloc(1, sizeof(*endpoints));

    if (endpoints == NULL) {
        return SP_NO_MEMORY;
    }
    endpoints->loop = loop;
    endpoints->on_call = on_call;
    endpoints->arg = arg;
    h2o_linklist_init_anchor(&endpoints->guests);
    configure(endpoints);
    h2o_context_init(&endpoints->context, loop, &endpoints->config);
    endpoints->accept.ctx = &endpoints->context;
    endpoints->accept.hosts = endpoints->config.hosts;
    *ret_endpoints = endpoints;
    return SP_OK;
}

void sp_endpoints_listen_own(sp_endpoints_t *endpoints, int fd)
{
    endpoints->listener = h2o_evloop_socket_create(endpoints->loop, fd, H2O_SOCKET_FLAG_DONT_READ);
    endpoints->listener->data = endpoints;
    h2o_socket_read_start(endpoints->listener, on_acceptable);
}

static void cut_off_all(sp_endpoints_t *endpoints)
{
    for (h2o_linklist_t *link = endpoints->guests.next; link != &endpoints->guests;
         link = link->next) {
        const guest_t *guest = H2O_STRUCT_FROM_MEMBER(guest_t, link, link);

        (void)shutdown(h2o_socket_get_fd(guest->socket), SHUT_RDWR);
    }
}

void sp_endpoints_destroy(sp_endpoints_t *endpoints)
{
    if (endpoints == NULL) {
        return;
    }
    if (endpoints->listener != NULL) {
        h2o_socket_close(endpoints->listener);
    }
    h2o_context_request_shutdown(&endpoints->context);
    for (int i = 0; i != FINAL_TURNS && endpoints->guest_count != 0; ++i) {
        cut_off_all(endpoints);
        (void)h2o_evloop_run(endpoints->loop, 1);
    }
    /* The library leaves the timer of its own leave-taking behind. */
    h2o_timeout_unlink(&endpoints->context.http2._graceful_shutdown_timeout);
    h2o_context_dispose(&endpoints->context);
    h2o_config_dispose(&endpoints->config);
    free(endpoints);
}

static sp_str_t slice(h2o_iovec_t vector)
{
    return (sp_str_t){.ptr = vector.base, .len = vector.len};
}

sp_str_t sp_call_method(const sp_call_t *call)
{
    return slice(call->req->input.method);
}

sp_str_t sp_call_path(const sp_call_t *call)
{
    sp_str_t target = slice(call->req->input.path);

    return sp_str_slice(target, 0, sp_str_find(target, '?'));
}

sp_str_t sp_call_query(const sp_call_t *call)
{
    sp_str_t target = slice(call->req->input.path);

    return sp_str_skip(target, sp_str_find(target, '?') + 1);
}

sp_str_t sp_call_accept(const sp_call_t *call)
{
    ssize_t at = h2o_find_header(&call->req->headers, H2O_TOKEN_ACCEPT, -1);

    return at == -1 ? SP_STR("") : slice(call->req->headers.entries[at].value);
}

sp_arena_t *sp_call_arena(sp_call_t *call)
{
    return &call->arena;
}

void sp_call_set_on_gone(sp_call_t *call, void (*on_gone)(void *arg), void *arg)
{
    call->on_gone = on_gone;
    call->arg = arg;
}

void sp_call_answer(sp_call_t *call, const sp_outcome_t *answer)
{
    sp_write_response(call->req, answer, &call->generator);
}
