/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "acme/account.h"
#include "acme/challenge.h"
#include "serve/admin/upstream.h"
#include "serve/issuer_shares.h"
#include "serve/issuer_wishes.h"

#define STEP_MS 1000
#define LEFTOVER_S 3600 /* what a killed client has left is not needed any more */

struct sp_issuer {
    sp_board_t *board;
    sp_tls_store_t *store;
    sp_clients_t *clients; /* NULL: they are not limited */
    sp_storage_t *storage;
    pthread_t thread;
    bool has_thread;
    h2o_loop_t *loop;
    h2o_socket_t *wake;
    int wake_fd;
    h2o_timeout_t step_timeout;
    h2o_timeout_entry_t step;
    bool has_timeout;
    sp_upstream_t *upstream;
    sp_orders_t *orders;
    sp_renewals_t renewals;
    atomic_bool is_to_end;
    sp_issuer_wishes_t wishes;
    pthread_mutex_t mutex; /* of what follows */
    sp_issuer_figures_t figures;
};

/* --- The store's side: its thread --- */

static void wake(const sp_issuer_t *issuer)
{
    uint64_t one = 1;
    ssize_t len = write(issuer->wake_fd, &one, sizeof(one));

    (void)len; /* a full counter wakes as well */
}

static unsigned per_hour(const sp_issuer_t *issuer)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(issuer->board);
    unsigned count = sp_snapshot_config(snapshot)->acme.per_hour;

    sp_snapshot_release(snapshot);
    return count;
}

/* False: whoever asks has had what one client may have. */
static bool admit(sp_issuer_t *issuer, sp_str_t name, const sp_tls_askers_t *askers,
                  uint64_t *ret_asker, const char **ret_why)
{
    sp_permit_t permit =
        sp_issuer_admit(issuer->clients, askers, per_hour(issuer), sp_now_ms(), ret_asker);

    if (permit == SP_PERMIT_GRANTED) {
        return true;
    }
    *ret_why = permit == SP_PERMIT_CLIENT_NAMES
                   ? "its client asks for too many names that have no certificate"
                   : "its client has caused as many orders in this hour as one client may";
    (void)pthread_mutex_lock(&issuer->mutex);
    ++issuer->figures.refusals[permit];
    (void)pthread_mutex_unlock(&issuer->mutex);
    sp_log_write(sp_board_log(issuer->board), SP_LOG_DEBUG, "%.*s: a certificate is not wanted: %s",
                 (int)name.len, name.ptr, *ret_why);
    return false;
}

static sp_tls_want_t want(void *arg, sp_str_t name, const sp_tls_askers_t *askers,
                          const char **ret_why)
{
    sp_issuer_t *issuer = arg;
    uint64_t asker = 0;

    if (!admit(issuer, name, askers, &asker, ret_why)) {
        return SP_TLS_WANT_LIMITED;
    }
    if (!sp_issuer_wishes_add(&issuer->wishes, name, asker)) {
        *ret_why = "too many certificates are wanted at once";
        return SP_TLS_WANT_REFUSED;
    }
    wake(issuer);
    return SP_TLS_WANT_DUE;
}

static sp_certificate_t *challenge(void *arg, sp_str_t name)
{
    const sp_issuer_t *issuer = arg;

    return sp_challenge_certificate(issuer->storage, name);
}

/* --- The thread --- */

static void note_under_way(sp_issuer_t *issuer)
{
    (void)pthread_mutex_lock(&issuer->mutex);
    issuer->figures.under_way = sp_orders_count(issuer->orders);
    (void)pthread_mutex_unlock(&issuer->mutex);
}

/* A reload may have taken `tls.acme` away: what is under way is finished, nothing more is begun. */
static bool is_wanted(const sp_issuer_t *issuer)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(issuer->board);
    bool is_set = sp_snapshot_config(snapshot)->acme.storage != NULL;

    sp_snapshot_release(snapshot);
    return is_set;
}

static void on_wake(h2o_socket_t *socket, const char *err)
{
    sp_issuer_t *issuer = socket->data;
    uint64_t count = 0;
    ssize_t len = read(issuer->wake_fd, &count, sizeof(count));

    (void)len; /* what matters is that it is not readable any more */
    (void)err;
    for (sp_issuer_wish_t *wish = sp_issuer_wishes_take(&issuer->wishes), *next = NULL;
         wish != NULL; wish = next) {
        sp_str_t name = {.ptr = wish->name, .len = wish->len};

        next = wish->next;
        if (!is_wanted(issuer)) {
            sp_tls_store_refused(issuer->store, name, "tls.acme is not set any more");
        } else if (!sp_orders_want(issuer->orders, name, SP_ORDER_DEMAND, wish->asker)) {
            sp_tls_store_refused(issuer->store, name, "too many certificates are being got");
        }
        free(wish);
    }
    note_under_way(issuer);
}

static sp_orders_view_t enter(void *arg)
{
    sp_issuer_t *issuer = arg;
    sp_upstream_use_t *use = sp_upstream_enter(issuer->upstream);
    const sp_config_t *config = sp_snapshot_config(use->snapshot);

    return (sp_orders_view_t){.settings = &config->acme,
                              .policy = &config->policy,
                              .lookups = use->lookups,
                              .caa = use->caa,
                              .timeout_ms = config->dns.timeout_ms,
                              .holder = use};
}

static void leave(void *arg, void *holder)
{
    (void)arg;
    sp_upstream_leave(holder);
}

static bool take_share(void *arg, uint64_t asker)
{
    const sp_issuer_t *issuer = arg;

    return sp_issuer_take_order(issuer->clients, asker, per_hour(issuer), sp_now_ms());
}

/* At the start, and when other settings ask for another account. */
static void see_to_account(sp_issuer_t *issuer)
{
    const sp_orders_view_t view = enter(issuer);
    bool is_registered = sp_acme_account_is_registered(issuer->storage, view.settings);

    leave(issuer, view.holder);
    if (!is_registered) {
        sp_orders_register(issuer->orders);
    }
}

static void on_step(h2o_timeout_entry_t *entry)
{
    sp_issuer_t *issuer = H2O_STRUCT_FROM_MEMBER(sp_issuer_t, step, entry);

    h2o_timeout_link(issuer->loop, &issuer->step_timeout, &issuer->step);
    if (is_wanted(issuer) && sp_renewals_step(&issuer->renewals, sp_now_ms(), time(NULL))) {
        (void)pthread_mutex_lock(&issuer->mutex);
        issuer->figures.stored = issuer->renewals.figures;
        (void)pthread_mutex_unlock(&issuer->mutex);
        see_to_account(issuer);
    }
    note_under_way(issuer);
}

static void log_end(const sp_issuer_t *issuer, const sp_order_end_t *end)
{
    const sp_log_t *log = sp_board_log(issuer->board);
    const char *what = end->is_renewal ? "renewing the certificate" : "a certificate";

    switch (end->result) {
    case SP_ORDER_ISSUED:
        sp_log_write(log, SP_LOG_INFO, "%.*s: the certificate is %s", (int)end->name.len,
                     end->name.ptr, end->is_renewal ? "renewed" : "there");
        break;
    case SP_ORDER_PRESENT:
        break;
    case SP_ORDER_REFUSED: /* whoever sends any name could fill the log */
        sp_log_write(log, SP_LOG_DEBUG, "%.*s: %s is not wanted from the authority: %s",
                     (int)end->name.len, end->name.ptr, what, end->why);
        break;
    case SP_ORDER_FAILED:
        sp_log_write(log, SP_LOG_WARNING, "%.*s: %s failed: %s", (int)end->name.len, end->name.ptr,
                     what, end->why);
        break;
    }
}

static void log_account(const sp_issuer_t *issuer, const sp_order_end_t *end)
{
    const sp_log_t *log = sp_board_log(issuer->board);

    if (end->result == SP_ORDER_ISSUED) {
        sp_log_write(log, SP_LOG_DEBUG, "registered with the certificate authority");
    } else {
        sp_log_write(log, SP_LOG_WARNING, "registering with the certificate authority failed: %s",
                     end->why);
    }
}

static void note_deleted(sp_issuer_t *issuer, const sp_order_end_t *end)
{
    (void)pthread_mutex_lock(&issuer->mutex);
    ++issuer->figures.deleted;
    (void)pthread_mutex_unlock(&issuer->mutex);
    sp_log_write(sp_board_log(issuer->board), SP_LOG_INFO,
                 "%.*s: its certificate is deleted: it expired more than %d days ago, and %s",
                 (int)end->name.len, end->name.ptr, (int)(SP_RENEWALS_KEEP_S / 86400), end->why);
}

static void on_end(void *arg, const sp_order_end_t *end)
{
    sp_issuer_t *issuer = arg;
    bool has_changed = end->result == SP_ORDER_ISSUED || end->result == SP_ORDER_PRESENT;

    if (end->is_account) {
        log_account(issuer, end);
        return;
    }

    (void)pthread_mutex_lock(&issuer->mutex);
    ++(end->is_renewal ? issuer->figures.renewals : issuer->figures.orders)[end->result];
    issuer->figures.refusals[end->permit] += end->result == SP_ORDER_REFUSED ? 1 : 0;
    (void)pthread_mutex_unlock(&issuer->mutex);
    log_end(issuer, end);
    if (sp_renewals_note(&issuer->renewals, end, time(NULL))) {
        note_deleted(issuer, end);
        has_changed = true;
    }
    if (issuer->store != NULL && has_changed) {
        sp_tls_store_changed(issuer->store, end->name);
    } else if (issuer->store != NULL) { /* of a renewal too: a client may wait for what it brings */
        sp_tls_store_refused(issuer->store, end->name, end->why);
    }
}

/* In the loop's own thread: the library keeps memory for each. */
static void clear_loop(sp_issuer_t *issuer)
{
    if (issuer->wake != NULL) {
        h2o_socket_close(issuer->wake);
    }
    if (issuer->has_timeout) {
        h2o_timeout_unlink(&issuer->step);
        h2o_timeout_dispose(issuer->loop, &issuer->step_timeout);
    }
    sp_renewals_clear(&issuer->renewals);
    sp_orders_destroy(issuer->orders);
    sp_upstream_destroy(issuer->upstream);
    if (issuer->loop != NULL) {
        (void)h2o_evloop_run(issuer->loop, 0);
        h2o_evloop_destroy(issuer->loop);
    }
    issuer->loop = NULL;
}

static void sweep(const sp_issuer_t *issuer)
{
    static const char *const folders[] = {"/new", "/challenges", "/alpn"};

    for (size_t i = 0; i != SP_COUNT(folders); ++i) {
        sp_storage_name_t at = sp_storage_name(SP_STORAGE_STATE, sp_str_from(folders[i]), "");

        sp_storage_sweep(issuer->storage, at.text, time(NULL), LEFTOVER_S);
    }
}

static void *run(void *arg)
{
    sp_issuer_t *issuer = arg;

    sweep(issuer);
    while (!atomic_load(&issuer->is_to_end)) {
        (void)h2o_evloop_run(issuer->loop, INT32_MAX);
        sp_upstream_sweep(issuer->upstream);
    }
    clear_loop(issuer);
    return NULL;
}

/* --- Beginning and end --- */

static sp_status_t create_wake(sp_issuer_t *issuer, sp_error_t *err)
{
    int loop_fd = -1;

    issuer->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    /* The loop closes its descriptor when it ends; ours stays for those who still call. */
    if (issuer->wake_fd != -1) {
        loop_fd = fcntl(issuer->wake_fd, F_DUPFD_CLOEXEC, 0);
    }
    if (loop_fd == -1) {
        return sp_fail(err, SP_IO, 0, "eventfd: %s", strerror(errno));
    }
    issuer->wake = h2o_evloop_socket_create(issuer->loop, loop_fd, H2O_SOCKET_FLAG_DONT_READ);
    issuer->wake->data = issuer;
    h2o_socket_read_start(issuer->wake, on_wake);
    return SP_OK;
}

static sp_status_t open_storage(sp_issuer_t *issuer, sp_error_t *err)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(issuer->board);
    sp_status_t status =
        sp_storage_open(sp_snapshot_config(snapshot)->acme.storage, true, &issuer->storage, err);

    sp_snapshot_release(snapshot);
    return status;
}

static sp_status_t create_parts(sp_issuer_t *issuer, sp_error_t *err)
{
    const sp_orders_callbacks_t callbacks = {enter, leave, on_end, take_share, issuer};
    sp_status_t status = open_storage(issuer, err);

    if (status == SP_OK) {
        status = create_wake(issuer, err);
    }
    if (status == SP_OK) {
        status = sp_upstream_create(issuer->loop, issuer->board, &issuer->upstream, err);
    }
    if (status == SP_OK) {
        status = sp_orders_create(issuer->loop, issuer->storage, &callbacks, &issuer->orders, err);
    }
    if (status == SP_OK) {
        sp_renewals_init(&issuer->renewals, issuer->storage, issuer->orders);
        issuer->step.cb = on_step;
        h2o_timeout_init(issuer->loop, &issuer->step_timeout, STEP_MS);
        h2o_timeout_link(issuer->loop, &issuer->step_timeout, &issuer->step);
        issuer->has_timeout = true;
    }
    return status;
}

sp_status_t sp_issuer_create(sp_board_t *board, sp_tls_store_t *store, sp_clients_t *clients,
                             sp_issuer_t **ret_issuer, sp_error_t *err)
{
    sp_issuer_t *issuer = calloc(1, sizeof(*issuer));
    const sp_tls_issuer_t seam = {.arg = issuer, .want = want, .challenge = challenge};
    sp_status_t status = SP_OK;
    int error = 0;

    if (issuer == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    (void)pthread_mutex_init(&issuer->mutex, NULL);
    sp_issuer_wishes_init(&issuer->wishes);
    issuer->board = board;
    issuer->store = store;
    issuer->clients = clients;
    issuer->wake_fd = -1;
    issuer->loop = h2o_evloop_create();
    status = create_parts(issuer, err);
    if (status == SP_OK) {
        error = pthread_create(&issuer->thread, NULL, run, issuer);
        issuer->has_thread = error == 0;
    }
    if (error != 0) {
        status = sp_fail(err, SP_IO, 0, "cannot start a thread: %s", strerror(error));
    }
    if (status != SP_OK) {
        issuer->store = NULL;
        sp_issuer_destroy(issuer);
        return status;
    }
    if (store != NULL) {
        sp_tls_store_set_issuer(store, &seam);
    }
    *ret_issuer = issuer;
    return SP_OK;
}

void sp_issuer_destroy(sp_issuer_t *issuer)
{
    if (issuer == NULL) {
        return;
    }
    if (issuer->store != NULL) {
        sp_tls_store_set_issuer(issuer->store, NULL);
    }
    if (issuer->has_thread) {
        atomic_store(&issuer->is_to_end, true);
        wake(issuer);
        (void)pthread_join(issuer->thread, NULL);
    } else {
        clear_loop(issuer);
    }
    sp_issuer_wishes_clear(&issuer->wishes);
    if (issuer->wake_fd != -1) {
        (void)close(issuer->wake_fd);
    }
    sp_storage_close(issuer->storage);
    (void)pthread_mutex_destroy(&issuer->mutex);
    free(issuer);
}

void sp_issuer_count(sp_issuer_t *issuer, sp_issuer_figures_t *ret_figures)
{
    (void)pthread_mutex_lock(&issuer->mutex);
    *ret_figures = issuer->figures;
    (void)pthread_mutex_unlock(&issuer->mutex);
}

const sp_dns_stats_t *sp_issuer_dns(const sp_issuer_t *issuer)
{
    return sp_upstream_stats(issuer->upstream);
}

const sp_storage_t *sp_issuer_storage(const sp_issuer_t *issuer)
{
    return issuer->storage;
}
