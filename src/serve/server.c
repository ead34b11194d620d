/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/server.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "http/listener.h"
#include "serve/activation.h"
#include "serve/admin/admin.h"
#include "serve/board.h"
#include "serve/certificates.h"
#include "serve/check.h"
#include "serve/cpus.h"
#include "serve/drain.h"
#include "serve/file_limit.h"
#include "serve/issuer.h"
#include "serve/notify.h"
#include "serve/reopen.h"
#include "serve/signals.h"
#include "serve/worker.h"

#define LOOK_MS 10000 /* between looks at what the log lost */

/* Descriptors of the process and of each worker, connections apart: loops, listeners, resolvers,
 * connections that are just coming or ending. */
#define PROCESS_FILES ((size_t)64)
#define WORKER_FILES ((size_t)128)

typedef struct sp_server {
    const sp_config_flags_t *flags;
    sp_log_t log;
    sp_watchdog_t watchdog;
    sp_activation_t activation;
    sp_clients_t *clients;
    sp_certificates_t *certificates; /* NULL: no listener speaks TLS */
    sp_issuer_t *issuer;             /* NULL: no certificates on demand */
    sp_snapshot_t *snapshot;
    int signal_fd;
    int done_fd; /* eventfd: a worker has ended */
    size_t worker_count;
    sp_worker_t **workers;
    size_t listener_count;
    sp_listener_t *listeners;
    sp_access_log_t *access;
    sp_board_t *board;
    sp_admin_t *admin;      /* NULL: no admin listener */
    sp_reopen_t outputs[2]; /* standard output and standard error, which may be files */
    uint64_t told_dropped;  /* lines of it that were lost, as last told */
} sp_server_t;

static sp_status_t open_listener(sp_server_t *server, const sp_address_t *address)
{
    const struct sockaddr *place = (const struct sockaddr *)&address->socket;
    sp_listener_t *listener = &server->listeners[server->listener_count];
    int fd = sp_activation_take(&server->activation, place);
    sp_error_t err = {0};
    sp_status_t status = SP_OK;

    if (fd == -1) {
        status = sp_listener_open(place, address->socket_len, server->worker_count, listener, &err);
    } else {
        status = sp_listener_inherit_own(fd, server->worker_count, listener, &err);
        if (status != SP_OK) {
            (void)close(fd);
        }
    }
    if (status != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "cannot listen on %s: %s", address->text,
                     err.message);
        return status;
    }
    ++server->listener_count;
    return SP_OK;
}

/* A socket that nobody serves would let clients wait for ever. */
static sp_status_t refuse_rest(const sp_server_t *server)
{
    int fd = sp_activation_rest(&server->activation);

    if (fd != -1) {
        sp_log_write(&server->log, SP_LOG_ERROR,
                     "descriptor %d from the service manager listens at an address that \"listen\" "
                     "does not name",
                     fd);
    }
    return fd == -1 ? SP_OK : SP_IO;
}

static sp_status_t read_activation(sp_server_t *server)
{
    sp_error_t err = {0};
    sp_status_t status = sp_activation_read(&server->activation, &err);

    if (status != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "%s", err.message);
    }
    return status;
}

static sp_status_t open_listeners(sp_server_t *server, const sp_config_t *config)
{
    sp_status_t status = SP_OK;

    server->listeners = calloc(config->listen_count, sizeof(*server->listeners));
    if (server->listeners == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; status == SP_OK && i != config->listen_count; ++i) {
        status = open_listener(server, &config->listen[i].address);
    }
    return status == SP_OK ? refuse_rest(server) : status;
}

static sp_status_t give_sockets(sp_server_t *server, size_t index)
{
    const sp_config_listen_t *listen = sp_snapshot_config(server->snapshot)->listen;
    sp_status_t status = SP_OK;

    for (size_t i = 0; status == SP_OK && i != server->listener_count; ++i) {
        int fd = sp_listener_take(&server->listeners[i], index);

        sp_listen_mode_t mode = {.is_inherited = server->listeners[i].is_inherited,
                                 .tls = listen[i].tls,
                                 .proxy_protocol = listen[i].proxy_protocol,
                                 .https_port = listen[i].https_port};

        status = sp_worker_listen_own(server->workers[index], fd, &mode);
        if (status != SP_OK) {
            (void)close(fd);
        }
    }
    return status;
}

static sp_status_t create_worker(sp_server_t *server, size_t index)
{
    sp_worker_options_t options = {
        .counters = sp_board_counters(server->board, index),
        .access = sp_access_log_buffer(server->access, index),
        .log = &server->log,
        .clients = server->clients,
        .certificates = server->certificates,
        .storage = server->issuer == NULL ? NULL : sp_issuer_storage(server->issuer),
        .done_fd = server->done_fd};
    sp_error_t err = {0};
    sp_status_t status =
        sp_worker_create(&options, server->snapshot, &server->workers[index], &err);

    if (status == SP_OK) {
        status = give_sockets(server, index);
    }
    if (status == SP_OK) {
        status = sp_worker_start(server->workers[index], &err);
    }
    if (status != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "cannot start a worker: %s", err.message);
    }
    return status;
}

static sp_status_t create_workers(sp_server_t *server)
{
    sp_status_t status = SP_OK;

    server->workers = calloc(server->worker_count, sizeof(sp_worker_t *));
    if (server->workers == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; status == SP_OK && i != server->worker_count; ++i) {
        status = create_worker(server, i);
    }
    return status;
}

static sp_status_t create_clients(sp_server_t *server)
{
    size_t others = PROCESS_FILES + server->worker_count * (WORKER_FILES + server->listener_count);

    return sp_clients_create(sp_file_limit_connections(others), &server->clients);
}

static sp_status_t create_board(sp_server_t *server)
{
    sp_status_t status = sp_access_log_create(STDOUT_FILENO, server->worker_count, &server->access);

    if (status != SP_OK) {
        return status;
    }
    status = sp_board_create(server->worker_count, server->snapshot, server->access, &server->log,
                             &server->board);
    if (status == SP_OK) {
        sp_board_set_certificates(server->board, server->certificates);
    }
    return status;
}

static sp_status_t start_issuer(sp_server_t *server, const sp_config_t *config)
{
    sp_tls_store_t *store =
        server->certificates == NULL ? NULL : sp_certificates_store(server->certificates);
    sp_error_t err = {0};
    sp_status_t status = SP_OK;

    if (config->acme.storage == NULL) {
        return SP_OK;
    }
    status = sp_issuer_create(server->board, store, server->clients, &server->issuer, &err);
    if (status != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "tls.acme: %s", err.message);
        return status;
    }
    sp_board_set_issuer(server->board, server->issuer);
    return SP_OK;
}

/* Before the workers: who asks is told that they are being started. */
static sp_status_t start_admin(sp_server_t *server, const sp_config_t *config)
{
    sp_error_t err = {0};
    char text[SP_LISTENER_TEXT_MAX];

    if (config->admin.kind == SP_ADDRESS_NONE) {
        return SP_OK;
    }
    if (sp_admin_create(&config->admin, server->board, &server->admin, &err) != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "cannot listen on %s: %s", config->admin.text,
                     err.message);
        return SP_IO;
    }
    sp_admin_print(server->admin, text);
    sp_log_write(&server->log, SP_LOG_INFO, "admin endpoints on %s", text);
    return SP_OK;
}

static sp_status_t open_events(sp_server_t *server)
{
    sp_error_t err = {0};

    if (sp_signals_open(&server->signal_fd, &err) != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "%s", err.message);
        return SP_IO;
    }
    server->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (server->done_fd == -1) {
        sp_log_write(&server->log, SP_LOG_ERROR, "eventfd: %s", strerror(errno));
        return SP_IO;
    }
    return SP_OK;
}

/* The first line of standard output; the access log follows. */
static sp_status_t say_ready(sp_server_t *server)
{
    sp_error_t err = {0};
    ssize_t written = 0;

    for (size_t i = 0; i != server->listener_count; ++i) {
        char text[SP_LISTENER_TEXT_MAX];

        sp_listener_print(&server->listeners[i], text);
        sp_log_write(&server->log, SP_LOG_INFO, "listening on %s", text);
    }
    sp_board_set_life(server->board, SP_LIFE_SERVING);
    written = write(STDOUT_FILENO, "ready\n", 6);
    (void)written; /* nobody reads it: no reason not to serve */
    sp_notify("READY=1");
    if (sp_access_log_start(server->access, &err) != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR, "%s", err.message);
        return SP_IO;
    }
    return SP_OK;
}

static sp_status_t start(sp_server_t *server)
{
    const sp_config_t *config = sp_snapshot_config(server->snapshot);
    sp_status_t status = SP_OK;

    server->worker_count = config->threads == 0 ? sp_cpus_usable() : config->threads;
    server->watchdog = sp_watchdog_from_environment();
    sp_file_limit_raise(&server->log);
    status = read_activation(server);
    if (status == SP_OK) {
        status = open_events(server);
    }
    if (status == SP_OK) {
        status = open_listeners(server, config);
    }
    if (status == SP_OK) {
        status = create_clients(server);
    }
    if (status == SP_OK) {
        status = sp_certificates_create(config, &server->log, &server->certificates);
    }
    if (status == SP_OK) {
        status = create_board(server);
    }
    if (status == SP_OK) {
        status = start_issuer(server, config);
    }
    if (status == SP_OK) {
        status = start_admin(server, config);
    }
    if (status == SP_OK) {
        status = create_workers(server);
    }
    if (status == SP_OK) {
        status = say_ready(server);
    }
    if (status == SP_NO_MEMORY) {
        sp_log_write(&server->log, SP_LOG_ERROR, "out of memory");
    }
    return status;
}

/* The manager wants to know when, by the clock that ours is too. */
static void notify_reloading(void)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, sp_now_us());
    sp_notify(text);
}

static void use_log_settings(sp_server_t *server, const sp_config_t *config)
{
    atomic_store(&server->log.level, config->log.level);
    atomic_store(&server->log.format, config->log.format);
}

static void reload(sp_server_t *server)
{
    sp_snapshot_t *snapshot = NULL;
    const sp_config_t *config = NULL;

    notify_reloading();
    if (sp_check_load(server->flags, &server->log, server->snapshot, &snapshot) != SP_OK) {
        sp_log_write(&server->log, SP_LOG_ERROR,
                     "not reloaded: the configuration and zones from before stay in force");
        sp_board_count_failed_reload(server->board);
        sp_notify("READY=1");
        return;
    }
    config = sp_snapshot_config(snapshot);
    use_log_settings(server, config);
    sp_board_count_reload(server->board, snapshot);
    sp_certificates_reload(server->certificates, config);
    for (size_t i = 0; i != server->worker_count; ++i) {
        sp_worker_reload(server->workers[i], snapshot);
    }
    sp_snapshot_release(server->snapshot);
    server->snapshot = snapshot;
    sp_log_write(&server->log, SP_LOG_INFO, "reloaded");
    sp_notify("READY=1");
}

static void tell_of_lost_lines(sp_server_t *server)
{
    uint64_t dropped = sp_access_log_dropped(server->access);

    if (dropped != server->told_dropped) {
        sp_log_write(&server->log, SP_LOG_WARNING,
                     "whoever reads the access log is too slow: %" PRIu64 " lines lost so far",
                     dropped);
        server->told_dropped = dropped;
    }
}

static void reopen(sp_server_t *server)
{
    sp_error_t err = {0};

    for (size_t i = 0; i != SP_COUNT(server->outputs); ++i) {
        if (sp_reopen_again(&server->outputs[i], &err) != SP_OK) {
            sp_log_write(&server->log, SP_LOG_ERROR, "cannot reopen a log file: %s", err.message);
        }
    }
    sp_log_write(&server->log, SP_LOG_INFO, "log files opened again");
}

/* Until it is time to stop. */
static void serve(sp_server_t *server)
{
    struct pollfd fd = {.fd = server->signal_fd, .events = POLLIN};
    sp_signal_t signal = SP_SIGNAL_NONE;

    while (signal != SP_SIGNAL_STOP) {
        (void)poll(&fd, 1, sp_watchdog_pause(&server->watchdog, sp_now_ms(), LOOK_MS));
        sp_watchdog_look(&server->watchdog, server->workers, server->worker_count, sp_now_ms());
        tell_of_lost_lines(server);
        sp_log_tell_folded(&server->log, false);
        signal = sp_signals_read(server->signal_fd);
        if (signal == SP_SIGNAL_RELOAD) {
            reload(server);
        } else if (signal == SP_SIGNAL_REOPEN) {
            reopen(server);
        }
    }
}

static void for_each_worker(sp_server_t *server, void (*order)(sp_worker_t *))
{
    for (size_t i = 0; server->workers != NULL && i != server->worker_count; ++i) {
        if (server->workers[i] != NULL) {
            order(server->workers[i]);
        }
    }
}

static void stop(sp_server_t *server)
{
    const sp_config_drain_t *config = &sp_snapshot_config(server->snapshot)->drain;
    sp_drain_t drain = {.workers = server->workers,
                        .worker_count = server->worker_count,
                        .listeners = server->listeners,
                        .listener_count = server->listener_count,
                        .watchdog = &server->watchdog,
                        .log = &server->log,
                        .signal_fd = server->signal_fd,
                        .done_fd = server->done_fd,
                        .delay_ms = (uint64_t)config->delay_s * 1000,
                        .timeout_ms = (uint64_t)config->timeout_s * 1000};

    sp_board_set_life(server->board, SP_LIFE_DRAINING);
    sp_notify("STOPPING=1");
    if (!sp_drain(&drain)) {
        sp_log_write(&server->log, SP_LOG_WARNING, "a worker does not end: leaving without it");
        _Exit(SP_EXIT_SERVED);
    }
}

static void clear(sp_server_t *server)
{
    for_each_worker(server, sp_worker_abort);
    for_each_worker(server, sp_worker_destroy);
    free(server->workers);
    sp_admin_destroy(server->admin);
    sp_issuer_destroy(server->issuer);
    sp_board_destroy(server->board);
    for (size_t i = 0; i != server->listener_count; ++i) {
        sp_listener_close(&server->listeners[i]);
    }
    free(server->listeners);
    sp_activation_close(&server->activation);
    sp_certificates_destroy(server->certificates);
    sp_clients_destroy(server->clients);
    sp_access_log_destroy(server->access);
    if (server->done_fd != -1) {
        (void)close(server->done_fd);
    }
    if (server->signal_fd != -1) {
        (void)close(server->signal_fd);
    }
    sp_snapshot_release(server->snapshot);
    sp_log_tell_folded(&server->log, true);
    sp_log_fold_destroy(server->log.fold);
}

int sp_serve_run(const sp_config_flags_t *flags)
{
    sp_server_t server = {
        .flags = flags, .log = {.level = SP_LOG_INFO}, .signal_fd = -1, .done_fd = -1};
    sp_status_t status = sp_check_load(flags, &server.log, NULL, &server.snapshot);

    if (status != SP_OK) {
        return sp_check_exit_status(status);
    }
    use_log_settings(&server, sp_snapshot_config(server.snapshot));
    (void)sp_log_fold_create(&server.log.fold); /* without it every event is written */
    sp_reopen_init(&server.outputs[0], STDOUT_FILENO);
    sp_reopen_init(&server.outputs[1], STDERR_FILENO);
    status = start(&server);
    if (status == SP_OK) {
        serve(&server);
        stop(&server);
    }
    clear(&server);
    return status == SP_OK ? SP_EXIT_SERVED : SP_EXIT_CANNOT_SERVE;
}
