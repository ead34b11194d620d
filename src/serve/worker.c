/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "acme/challenge.h"
#include "http/pending.h"

/* A snapshot as this worker uses it. Requests keep the one they began with. */
typedef struct in_force {
    sp_service_t service;
    sp_snapshot_t *snapshot;
    struct in_force *next; /* older ones that requests still hold */
} in_force_t;

struct sp_worker {
    sp_worker_options_t options;
    pthread_t thread;
    bool has_thread;
    h2o_loop_t *loop;
    h2o_socket_t *wake; /* eventfd: look at the orders */
    int wake_fd;
    sp_front_t *front;
    in_force_t *current;
    in_force_t *retired;
    atomic_bool is_to_drain;
    atomic_bool is_to_abort;
    atomic_bool is_done;
    atomic_uint_fast64_t question; /* of the watchdog */
    atomic_uint_fast64_t answered;
    _Atomic(sp_snapshot_t *) next_snapshot;
};

static void on_report(void *arg, const sp_report_t *report)
{
    sp_worker_t *worker = arg;
    sp_access_format_t format = sp_snapshot_config(worker->current->snapshot)->log.access;

    sp_counters_add(worker->options.counters, report);
    if (format != SP_ACCESS_OFF) {
        sp_access_buffer_add(worker->options.access, format, report);
    }
}

static bool trusts(const void *arg, const struct sockaddr *peer)
{
    return sp_config_trusts(arg, peer);
}

static sp_str_t answer_challenge(const void *arg, sp_str_t path, sp_arena_t *arena)
{
    return sp_challenge_answer(arg, path, arena);
}

static void in_force_destroy(in_force_t *in_force)
{
    if (in_force != NULL) {
        sp_lookups_destroy(in_force->service.lookups);
        sp_snapshot_release(in_force->snapshot);
        free(in_force);
    }
}

static sp_status_t in_force_create(sp_worker_t *worker, sp_snapshot_t *snapshot,
                                   in_force_t **ret_in_force, sp_error_t *err)
{
    const sp_config_t *config = sp_snapshot_config(snapshot);
    sp_dns_options_t dns = *sp_snapshot_dns(snapshot);
    in_force_t *in_force = calloc(1, sizeof(*in_force));
    sp_status_t status = SP_OK;

    if (in_force == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    in_force->snapshot = sp_snapshot_retain(snapshot);
    in_force->service.policy = &config->policy;
    in_force->service.timeout_ms = config->dns.timeout_ms;
    in_force->service.connections_per_client = config->limits.connections;
    in_force->service.misses_per_client_per_s = config->limits.misses_per_client_per_s;
    in_force->service.trusts = config->trusted_proxy_count == 0 ? NULL : trusts;
    in_force->service.trusts_arg = config;
    in_force->service.challenge = worker->options.storage == NULL ? NULL : answer_challenge;
    in_force->service.challenge_arg = worker->options.storage;
    dns.stats = &worker->options.counters->dns;
    status = sp_lookups_create(worker->loop, &dns, sp_snapshot_zones(snapshot),
                               sp_snapshot_cache(snapshot), &in_force->service.lookups, err);
    if (status != SP_OK) {
        in_force_destroy(in_force);
        return status;
    }
    sp_lookups_guard(in_force->service.lookups, sp_pending_may_ask);
    *ret_in_force = in_force;
    return SP_OK;
}

static void use(sp_worker_t *worker, in_force_t *in_force)
{
    if (worker->current != NULL) {
        worker->current->next = worker->retired;
        worker->retired = worker->current;
    }
    worker->current = in_force;
    sp_front_use(worker->front, &in_force->service);
}

/* Not from inside a lookup's callback: its service may be the one that goes. */
static void free_unused(sp_worker_t *worker)
{
    in_force_t **link = &worker->retired;

    while (*link != NULL) {
        in_force_t *in_force = *link;

        if (in_force->service.users == 0) {
            *link = in_force->next;
            in_force_destroy(in_force);
        } else {
            link = &in_force->next;
        }
    }
}

static void take_snapshot(sp_worker_t *worker)
{
    sp_snapshot_t *snapshot = atomic_exchange(&worker->next_snapshot, NULL);
    in_force_t *in_force = NULL;
    sp_error_t err = {0};

    if (snapshot == NULL) {
        return;
    }
    if (in_force_create(worker, snapshot, &in_force, &err) == SP_OK) {
        use(worker, in_force);
    } else {
        sp_log_write(worker->options.log, SP_LOG_ERROR, "a worker keeps the old configuration: %s",
                     err.message);
    }
    sp_snapshot_release(snapshot);
}

static void on_wake(h2o_socket_t *socket, const char *err)
{
    sp_worker_t *worker = socket->data;
    uint64_t count = 0;
    ssize_t len = read(worker->wake_fd, &count, sizeof(count));

    (void)len; /* what matters is that it is not readable any more */
    if (err == NULL) {
        atomic_store(&worker->answered, atomic_load(&worker->question));
        take_snapshot(worker);
        if (atomic_load(&worker->is_to_drain)) {
            sp_front_drain(worker->front);
        }
    }
}

static bool has_ended(const sp_worker_t *worker)
{
    return atomic_load_explicit(&worker->is_to_abort, memory_order_relaxed) ||
           (atomic_load_explicit(&worker->is_to_drain, memory_order_relaxed) &&
            sp_front_is_drained(worker->front));
}

static void add_one(int fd)
{
    uint64_t one = 1;
    ssize_t len = write(fd, &one, sizeof(one));

    (void)len; /* a full counter wakes as well */
}

/* Frees what belongs to the loop, in its own thread: the library keeps memory for each. */
static void clear_loop(sp_worker_t *worker)
{
    if (worker->wake != NULL) {
        h2o_socket_close(worker->wake);
    }
    sp_front_destroy(worker->front);
    free_unused(worker);
    in_force_destroy(worker->current);
    if (worker->loop != NULL) {
        (void)h2o_evloop_run(worker->loop, 0);
        h2o_evloop_destroy(worker->loop);
    }
    worker->wake = NULL;
    worker->front = NULL;
    worker->current = NULL;
    worker->loop = NULL;
}

/* What the front counts for itself, for who reads the metrics. */
static void tell_connections(const sp_worker_t *worker)
{
    const sp_front_counters_t *front = sp_front_counters(worker->front);
    sp_counters_t *counters = worker->options.counters;

    atomic_store_explicit(&counters->connections, front->connections, memory_order_relaxed);
    atomic_store_explicit(&counters->turned_away, front->turned_away, memory_order_relaxed);
    atomic_store_explicit(&counters->evicted, front->evicted, memory_order_relaxed);
    atomic_store_explicit(&counters->floods, front->floods, memory_order_relaxed);
    for (size_t i = 0; i != SP_HANDSHAKES; ++i) {
        atomic_store_explicit(&counters->handshakes[i], front->handshakes[i], memory_order_relaxed);
    }
    for (size_t i = 0; i != SP_PROXY_REFUSALS; ++i) {
        atomic_store_explicit(&counters->proxy_refusals[i], front->proxy_refusals[i],
                              memory_order_relaxed);
    }
}

static void *run(void *arg)
{
    sp_worker_t *worker = arg;

    while (!has_ended(worker)) {
        (void)h2o_evloop_run(worker->loop, INT32_MAX);
        tell_connections(worker);
        if (worker->retired != NULL) {
            free_unused(worker);
        }
    }
    clear_loop(worker);
    atomic_store(&worker->options.counters->connections, 0);
    atomic_store(&worker->is_done, true);
    add_one(worker->options.done_fd);
    return NULL;
}

static sp_status_t create_wake(sp_worker_t *worker, sp_error_t *err)
{
    int loop_fd = -1;

    worker->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (worker->wake_fd == -1) {
        return sp_fail(err, SP_IO, 0, "eventfd: %s", strerror(errno));
    }
    /* The loop closes its descriptor when it ends; ours stays for those who still call. */
    loop_fd = fcntl(worker->wake_fd, F_DUPFD_CLOEXEC, 0);
    if (loop_fd == -1) {
        return sp_fail(err, SP_IO, 0, "eventfd: %s", strerror(errno));
    }
    worker->wake = h2o_evloop_socket_create(worker->loop, loop_fd, H2O_SOCKET_FLAG_DONT_READ);
    worker->wake->data = worker;
    h2o_socket_read_start(worker->wake, on_wake);
    return SP_OK;
}

static sp_status_t use_tls(sp_worker_t *worker, sp_error_t *err)
{
    const sp_certificates_t *certificates = worker->options.certificates;
    sp_status_t status = SP_OK;

    if (certificates != NULL) {
        status = sp_front_use_tls(worker->front, sp_certificates_context(certificates),
                                  sp_certificates_store(certificates));
    }
    return status == SP_OK ? SP_OK : sp_fail(err, status, 0, "TLS can't be set up");
}

sp_status_t sp_worker_create(const sp_worker_options_t *options, sp_snapshot_t *snapshot,
                             sp_worker_t **ret_worker, sp_error_t *err)
{
    sp_worker_t *worker = calloc(1, sizeof(*worker));
    in_force_t *in_force = NULL;
    sp_status_t status = SP_OK;

    if (worker == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    worker->options = *options;
    worker->wake_fd = -1;
    worker->loop = h2o_evloop_create();
    status = create_wake(worker, err);
    if (status == SP_OK) {
        status = sp_front_create(worker->loop, on_report, worker, &worker->front);
    }
    if (status == SP_OK) {
        status = use_tls(worker, err);
    }
    if (status == SP_OK) {
        status = in_force_create(worker, snapshot, &in_force, err);
    }
    if (status != SP_OK) {
        sp_worker_destroy(worker);
        return status;
    }
    use(worker, in_force);
    sp_front_count_in(worker->front, options->clients);
    *ret_worker = worker;
    return SP_OK;
}

sp_status_t sp_worker_listen_own(sp_worker_t *worker, int fd, const sp_listen_mode_t *mode)
{
    return sp_front_listen_own(worker->front, fd, mode);
}

sp_status_t sp_worker_start(sp_worker_t *worker, sp_error_t *err)
{
    int error = pthread_create(&worker->thread, NULL, run, worker);

    if (error != 0) {
        return sp_fail(err, SP_IO, 0, "cannot start a worker: %s", strerror(error));
    }
    worker->has_thread = true;
    return SP_OK;
}

void sp_worker_reload(sp_worker_t *worker, sp_snapshot_t *snapshot)
{
    sp_snapshot_release(atomic_exchange(&worker->next_snapshot, sp_snapshot_retain(snapshot)));
    add_one(worker->wake_fd);
}

void sp_worker_drain(sp_worker_t *worker)
{
    atomic_store(&worker->is_to_drain, true);
    add_one(worker->wake_fd);
}

void sp_worker_abort(sp_worker_t *worker)
{
    atomic_store(&worker->is_to_abort, true);
    add_one(worker->wake_fd);
}

void sp_worker_ask(sp_worker_t *worker, uint64_t question)
{
    atomic_store(&worker->question, question);
    add_one(worker->wake_fd);
}

bool sp_worker_has_answered(const sp_worker_t *worker, uint64_t question)
{
    return sp_worker_is_done(worker) || atomic_load(&worker->answered) == question;
}

bool sp_worker_is_done(const sp_worker_t *worker)
{
    return !worker->has_thread || atomic_load(&worker->is_done);
}

void sp_worker_destroy(sp_worker_t *worker)
{
    if (worker == NULL) {
        return;
    }
    if (worker->has_thread) {
        (void)pthread_join(worker->thread, NULL);
    } else {
        clear_loop(worker);
    }
    if (worker->wake_fd != -1) {
        (void)close(worker->wake_fd);
    }
    sp_snapshot_release(atomic_load(&worker->next_snapshot));
    free(worker);
}
