/* SPDX-License-Identifier: Apache-2.0 */
#include "http/front.h"

#include <stdlib.h>

#include "http/accept.h"
#include "http/connection.h"
#include "http/handler.h"
#include "http/linger.h"
#include "http/pending.h"
#include "http/preface.h"
#include "http/sweep.h"
#include "http/tls.h"

#define FINAL_TURNS 50 /* of the loop, until cut-off connections are gone */

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
/* The library keeps some buffers for each thread, and its message queue, and never gives them back.
 * LeakSanitizer asks here what it should not mention. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:h2o_mem_alloc_recycle\nleak:h2o_multithread_create_queue\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
#endif

static void on_leave(h2o_timeout_entry_t *entry)
{
    sp_front_t *front = H2O_STRUCT_FROM_MEMBER(sp_front_t, leave_sweep, entry);

    if (!h2o_linklist_is_empty(&front->listeners)) {
        sp_accept_stop(front);
        h2o_context_request_shutdown(&front->context);
    }
    sp_sweep_leave(front, sp_now_ms());
    h2o_timeout_link(front->loop, &front->sweep_timeout, &front->leave_sweep);
}

static void on_second(h2o_timeout_entry_t *entry)
{
    sp_front_t *front = H2O_STRUCT_FROM_MEMBER(sp_front_t, second_sweep, entry);

    sp_sweep_each_second(front, sp_now_ms());
    h2o_timeout_link(front->loop, &front->context.one_sec_timeout, &front->second_sweep);
}

static void on_batch_end(h2o_timeout_entry_t *entry)
{
    ++H2O_STRUCT_FROM_MEMBER(sp_front_t, batch_end, entry)->batch;
}

static void init_lists(sp_front_t *front)
{
    h2o_linklist_init_anchor(&front->listeners);
    h2o_linklist_init_anchor(&front->connections);
    h2o_linklist_init_anchor(&front->lingering);
    h2o_linklist_init_anchor(&front->waiting);
    h2o_linklist_init_anchor(&front->spare);
}

sp_status_t sp_front_create(h2o_loop_t *loop, sp_report_fn *on_report, void *report_arg,
                            sp_front_t **ret_front)
{
    sp_front_t *front = calloc(1, sizeof(*front));

    if (front == NULL) {
        return SP_NO_MEMORY;
    }
    front->loop = loop;
    front->on_report = on_report;
    front->report_arg = report_arg;
    front->batch_end.cb = on_batch_end;
    front->leave_sweep.cb = on_leave;
    front->second_sweep.cb = on_second;
    init_lists(front);
    sp_handler_init(front);
    h2o_context_init(&front->context, loop, &front->config);
    front->accept.ctx = &front->context;
    front->accept.hosts = front->config.hosts;
    h2o_timeout_init(loop, &front->sweep_timeout, SP_SWEEP_LEAVE_MS);
    h2o_timeout_init(loop, &front->linger_timeout, SP_LINGER_MS);
    h2o_timeout_init(loop, &front->preface_timeout, SP_PREFACE_MS);
    h2o_timeout_link(loop, &front->context.one_sec_timeout, &front->second_sweep);
    *ret_front = front;
    return SP_OK;
}

void sp_front_use(sp_front_t *front, sp_service_t *service)
{
    front->service = service;
}

void sp_front_count_in(sp_front_t *front, sp_clients_t *clients)
{
    front->clients = clients;
}

/* In two steps: first nobody new begins to connect, and a little later, when everybody who had
 * begun is there, the sockets close. Without listeners nobody can be on the way. */
void sp_front_drain(sp_front_t *front)
{
    if (front->is_draining) {
        return;
    }
    front->is_draining = true;
    front->drain_ms = sp_now_ms();
    sp_accept_turn_away(front);
    if (h2o_linklist_is_empty(&front->listeners)) {
        h2o_context_request_shutdown(&front->context);
    }
    h2o_timeout_link(front->loop, &front->sweep_timeout, &front->leave_sweep);
}

bool sp_front_is_drained(const sp_front_t *front)
{
    return front->counters.connections == 0 && front->lingering.next == &front->lingering &&
           front->listeners.next == &front->listeners;
}

void sp_front_abort(sp_front_t *front)
{
    sp_pending_abort_all(front);
    sp_sweep_all(front);
}

const sp_front_counters_t *sp_front_counters(const sp_front_t *front)
{
    return &front->counters;
}

static void end_connections(sp_front_t *front)
{
    sp_accept_close(front);
    h2o_context_request_shutdown(&front->context); /* answers close their connections now */
    sp_pending_abort_all(front);
    for (int i = 0; i != FINAL_TURNS && front->counters.connections != 0; ++i) {
        sp_sweep_all(front);
        (void)h2o_evloop_run(front->loop, 1);
    }
    sp_linger_stop_all(front);
}

void sp_front_destroy(sp_front_t *front)
{
    if (front == NULL) {
        return;
    }
    end_connections(front);
    sp_tls_stop(front);
    sp_pending_free_spares(front);
    h2o_timeout_unlink(&front->batch_end);
    h2o_timeout_unlink(&front->leave_sweep);
    h2o_timeout_unlink(&front->second_sweep);
    /* The library leaves the timer of its own leave-taking behind. */
    h2o_timeout_unlink(&front->context.http2._graceful_shutdown_timeout);
    h2o_timeout_dispose(front->loop, &front->sweep_timeout);
    h2o_timeout_dispose(front->loop, &front->linger_timeout);
    h2o_timeout_dispose(front->loop, &front->preface_timeout);
    h2o_context_dispose(&front->context);
    sp_handler_clear(front);
    free(front);
}
