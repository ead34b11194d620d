/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_FRONT_STATE_H
#define SIGNPOST_HTTP_FRONT_STATE_H

/* The inside of sp_front_t, for the modules of this folder only. */

#include "http/front.h"

#define SP_FRONT_SPARE_MAX 64 /* pending requests kept for reuse */

struct sp_pending;
struct sp_connection;
typedef struct sp_preface sp_preface_t; /* preface.c */

struct sp_front {
    h2o_loop_t *loop;
    h2o_globalconf_t config;
    h2o_context_t context;
    h2o_accept_ctx_t accept;
    sp_service_t *service;
    sp_clients_t *clients; /* NULL: nobody is counted */
    sp_report_fn *on_report;
    void *report_arg;
    sp_front_counters_t counters;
    bool is_draining;
    uint64_t drain_ms; /* sp_now_ms() when it began */

    h2o_linklist_t listeners;   /* sp_listening_t, accept.c */
    h2o_linklist_t connections; /* sp_connection_t, connection.c: the one used last is the last */
    h2o_linklist_t lingering;   /* sp_linger_t, linger.c */
    h2o_linklist_t waiting;     /* sp_pending_t whose answer has not been sent, pending.c */
    h2o_linklist_t spare;       /* sp_pending_t free for reuse */
    size_t spare_count;

    struct {
        SSL_CTX *context;
        sp_tls_inbox_t *inbox; /* NULL: no TLS */
        h2o_socket_t *wake;    /* the inbox has something */
        size_t waits;          /* connections that wait for a certificate */
    } tls;

    h2o_timeout_t sweep_timeout; /* while draining, and after accept has failed */
    h2o_timeout_t linger_timeout;
    h2o_timeout_t preface_timeout;
    h2o_timeout_entry_t batch_end; /* in this turn of the loop, while HTTP/2 requests come in */
    uint64_t batch;
    h2o_timeout_entry_t leave_sweep;
    h2o_timeout_entry_t second_sweep;
};

#endif
