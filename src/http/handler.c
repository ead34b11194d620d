/* SPDX-License-Identifier: Apache-2.0 */
#include "http/handler.h"

#include "http/connection.h"
#include "http/pending.h"
#include "http/read_request.h"

typedef struct front_handler {
    h2o_handler_t super;
    sp_front_t *front;
} front_handler_t;

typedef struct front_logger {
    h2o_logger_t super;
    sp_front_t *front;
} front_logger_t;

static int on_request(h2o_handler_t *self, h2o_req_t *req)
{
    sp_pending_start(((front_handler_t *)self)->front, req);
    return 0;
}

/* The library has answered by itself: the body is too large or broken, and the client may still be
 * sending it. */
static void on_refused(h2o_logger_t *self, h2o_req_t *req)
{
    if (sp_is_http1(req)) {
        sp_connection_end_gently(sp_connection_of(req));
    }
    sp_pending_report_refused(((front_logger_t *)self)->front, req);
}

void sp_handler_init(sp_front_t *front)
{
    h2o_globalconf_t *config = &front->config;
    h2o_hostconf_t *host = NULL;
    h2o_pathconf_t *path = NULL;
    front_handler_t *handler = NULL;
    front_logger_t *logger = NULL;

    h2o_config_init(config);
    config->server_name =
        h2o_iovec_init(NULL, 0); /* write_response.c has ours: records override it */
    sp_correct_library();
    /* One more than allowed, as the library counts chunked bodies differently; the limit itself is
     * kept in pending.c. */
    config->max_request_entity_size = SP_FRONT_BODY_MAX + 1;
    config->http1.req_timeout = SP_FRONT_REQUEST_MS;
    config->http2.idle_timeout = SP_FRONT_IDLE_MS;
    config->http2.max_concurrent_requests_per_connection = SP_FRONT_STREAMS_MAX;
    /* A name that no request can have: requests without Host get it and are known by it. */
    host = h2o_config_register_host(config, h2o_iovec_init(H2O_STRLIT("(no host)")), 65535);
    path = h2o_config_register_path(host, "/", 0);
    handler = (front_handler_t *)h2o_create_handler(path, sizeof(*handler));
    handler->super.on_req = on_request;
    handler->front = front;
    logger = (front_logger_t *)h2o_create_logger(&host->fallback_path, sizeof(*logger));
    logger->super.log_access = on_refused;
    logger->front = front;
}

void sp_handler_clear(sp_front_t *front)
{
    h2o_config_dispose(&front->config);
}
