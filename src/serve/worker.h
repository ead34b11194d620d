/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_WORKER_H
#define SIGNPOST_SERVE_WORKER_H

/* One thread that serves: its loop, its connections, its lookups, its counters. The process speaks
 * to it through the functions here, which never wait for it. */

#include "acme/storage.h"
#include "http/clients.h"
#include "http/front.h"
#include "serve/access_log.h"
#include "serve/certificates.h"
#include "serve/counters.h"
#include "serve/snapshot.h"

typedef struct sp_worker sp_worker_t;

/* What a worker is given; all of it must outlive the worker. */
typedef struct sp_worker_options {
    sp_counters_t *counters; /* its own, written by its thread alone */
    sp_access_buffer_t *access;
    const sp_log_t *log;
    sp_clients_t *clients;                 /* shared by the workers */
    const sp_certificates_t *certificates; /* the same; NULL: no TLS */
    const sp_storage_t *storage;           /* the same; NULL: no certificates on demand */
    int done_fd;                           /* eventfd: 1 is added when the worker has ended */
} sp_worker_options_t;

/* Ready to run, without a thread yet. Keeps a reference to `snapshot`. */
sp_status_t sp_worker_create(const sp_worker_options_t *options, sp_snapshot_t *snapshot,
                             sp_worker_t **ret_worker, sp_error_t *err);

/* Before sp_worker_start: adds a listening socket, which belongs to the worker if it succeeds.
 */
sp_status_t sp_worker_listen_own(sp_worker_t *worker, int fd, const sp_listen_mode_t *mode);

sp_status_t sp_worker_start(sp_worker_t *worker, sp_error_t *err);

/* From any thread. */
void sp_worker_reload(sp_worker_t *worker, sp_snapshot_t *snapshot); /* takes a reference */
void sp_worker_drain(sp_worker_t *worker); /* no new connections; ends when the last is gone */
void sp_worker_abort(sp_worker_t *worker); /* ends now */

/* Does its loop turn? It answers the question that it was asked last, when it comes to it. */
void sp_worker_ask(sp_worker_t *worker, uint64_t question);
bool sp_worker_has_answered(const sp_worker_t *worker, uint64_t question); /* or has ended */

/* The worker's thread has nothing more to do. */
bool sp_worker_is_done(const sp_worker_t *worker);

/* Waits for the thread (which has been told to end), frees everything. Accepts NULL. */
void sp_worker_destroy(sp_worker_t *worker);

#endif
